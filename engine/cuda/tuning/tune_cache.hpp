// Tiles that a timed search found best, kept between runs (tune_file.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/files/tune_file.hpp"
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
  // `build`: of this program.
  explicit TuneCache(std::filesystem::path file = TuneFile::in_cache_folder("tune_gpu.json"),
                     std::string build = version_line())
      : file_(std::move(file), std::move(build)) {}
  std::optional<TunedTile> find(const std::string& key) const;
  void keep(const std::string& key, const TunedTile& tuned);
  const std::string& remark() const { return file_.remark(); }

 private:
  TuneFile file_;
};

}  // namespace fdtd::cuda
