// A device whose kernels are studied one by one: its table of kernels, its roofs, the time of a step of the bare scheme
// on an open box of random values. `fdtd profile`, `fdtd bench` and bench/ reach GPUs through it (devices/gpu_code.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/studies/gpu_profile.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::study {

struct KernelSettings {
  std::string kernel;           // empty: the table's first; "best": the one that a search finds fastest
  bool retune = false;          // search for the tile even where the cache knows it
  bool tuned = true;            // false: the first of the kernel's own list, as its author chose it
  bool all_tiles = false;       // times every valid tile: the fastest is then the one profiled
  std::optional<Launch> tile;   // this one
  int repeats = 7;              // pairs of kernel and triad; medians are reported
  double batch_seconds = 0.02;  // of one of them, one step at least
};

// Two steps of a kernel from random values, beside those of the table's plainest.
struct Parity {
  double difference = 0.0;  // the largest over the nodes, relative to the largest value
  std::int64_t strays = 0;  // values that were written outside the box
};

class KernelStudy {
 public:
  enum class Values { random, zero };  // zero: where no launch but the kernel's own may be made

  virtual ~KernelStudy() = default;
  virtual std::string device_name() const = 0;
  virtual std::string driver() const = 0;         // "CUDA 13.0": the newest that the driver knows
  virtual const std::string& remark() const = 0;  // of the cache of tiles: why it is not used; mostly empty

  // Every kernel of the table, the best guess first, whether it takes the stencil or not.
  virtual std::vector<std::string> kernels() const = 0;
  virtual bool has_kernel(const std::string& name) const = 0;

  // Two arrays serve one stencil after another: taken once for the largest, filled anew for each.
  virtual std::int64_t array_bytes(const GridStencil& stencil, Precision precision, std::array<int, 3> grid) const = 0;
  // Throws Error (status resource) when it does not fit.
  virtual void reserve(std::int64_t bytes_an_array) = 0;
  virtual void release() = 0;
  // The stencil that the following calls are about.
  virtual void begin(const std::string& name, const GridStencil& stencil, Precision precision, std::array<int, 3> grid,
                     Values values = Values::random) = 0;
  virtual bool takes(const std::string& kernel) const = 0;
  virtual std::vector<Launch> tiles(const std::string& kernel) const = 0;  // every valid one, the best guess first

  // Throws Error (status scene) for a kernel that is unknown or does not take the stencil.
  virtual GpuProfile profile(const KernelSettings& settings) = 0;
  // The same, but a kernel that fails on this device is reported in GpuProfile::error, so that others can follow it.
  virtual GpuProfile profile_or_error(const KernelSettings& settings) = 0;
  // The time of copy and copy_halo, each in turn with the triad.
  virtual RoofTimes roofs(const KernelSettings& settings) = 0;
  virtual Parity parity(const std::string& kernel, const Launch& tile) = 0;
  // So many steps of a kernel and nothing else, for programs that watch launches.
  virtual void only_steps(const std::string& kernel, const Launch& tile, int steps) = 0;
};

// A stencil of the catalogue on a cubic grid, at its Courant limit.
inline GridStencil on_cubes(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

}  // namespace fdtd::study
