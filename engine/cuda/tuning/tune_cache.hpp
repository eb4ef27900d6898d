// Tiles that a timed search found best, kept between runs: so that a search is paid for once, and so that the same job
// takes the same tile every time. One JSON file, written whole or not at all; of one build, because another build's
// kernels are others.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cuda {

struct TunedTile {
  Tile tile;
  double ctpn_ns = 0.0;  // as the search measured it
  bool operator==(const TunedTile&) const = default;
};

// The key of a tuned tile: device, driver, kernel, shape of the stencil (its points; not their weights),
// precision, grid.
std::string tune_key(const Job& job, const Device& device, const std::string& kernel);

class TuneCache {
 public:
  // $XDG_CACHE_HOME (or ~/.cache)/fdtd/tune.json; empty where there is no home: nothing is kept then.
  static std::filesystem::path default_file();

  // Reads the file, where there is one. `build` says which program this is: what another one left is not used.
  explicit TuneCache(std::filesystem::path file = default_file(), std::string build = version_line());
  std::optional<TunedTile> find(const std::string& key) const;
  // Keeps it, in the file as well; entries that another run has added since stay. Where the file cannot be
  // written remark() says so, and the next run searches again.
  void keep(const std::string& key, const TunedTile& tuned);
  // "" or why the file that was found is not used, or cannot be written.
  const std::string& remark() const { return remark_; }

 private:
  std::filesystem::path file_;
  std::string build_, remark_;
  std::map<std::string, TunedTile> known_;
};

}  // namespace fdtd::cuda
