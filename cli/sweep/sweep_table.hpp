// sweep.csv: the figures of all runs of a sweep, one row a run, response and band.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "cli/sweep/sweep_values.hpp"

namespace fdtd::cli {

struct TableRun {
  std::size_t number = 0;  // from 1
  SweepPoint point;
  int status = 0;
  std::string error;
};

// Columns: run, a column a key, status, error, source, receiver, band (Hz, or "all"), then the figures. A run that
// failed has one row. Written as a whole by finish(), which throws Error (file).
class SweepTable {
 public:
  SweepTable(std::filesystem::path file, const SweepPoint& keys);
  // `result`: read where the run succeeded; throws Error (file).
  void add(const TableRun& run, const std::filesystem::path& result);
  void finish();

 private:
  std::filesystem::path file_;
  std::string text_;
};

}  // namespace fdtd::cli
