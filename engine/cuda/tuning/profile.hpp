// CTPN of a stencil on a GPU, kernel by kernel, each beside the roofs of the same run on the same arrays: what `fdtd
// profile` and `fdtd compare` report with --device cuda. The bare scheme on an open box of random values.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/tuning/profile_result.hpp"
#include "engine/cuda/tuning/roofs.hpp"
#include "engine/cuda/tuning/tune.hpp"

namespace fdtd::cuda {

struct GpuProfileSettings {
  TuneSettings tune;            // which kernel; how its tile is found
  int repeats = 7;              // pairs of kernel and triad; medians are reported
  double batch_seconds = 0.02;  // of one of them, one step at least
  bool all_tiles = false;       // times every valid tile: the fastest is then the one profiled
};

Job job_of(const GridStencil& stencil, Precision precision, std::array<int, 3> grid);
Job job_of(const Stencil& stencil, Precision precision, std::array<int, 3> grid);

std::string driver_text(const Device& device);  // "CUDA 13.0": the newest that the driver knows

// Two arrays on a GPU that serve one job after another: taken once for the largest, filled anew for each.
class GpuBench {
 public:
  // Throws Error (status resource) where there is no such device.
  explicit GpuBench(int device);
  const Device& device() const { return device_; }

  // Memory for jobs of up to so many bytes an array. Throws Error (status resource) when it does not fit.
  void reserve(std::int64_t bytes_an_array);
  void release();
  // The job that follows, its arrays random, or zero where no launch but the kernel's own may be made.
  enum class Values { random, zero };
  void begin(const Stencil& stencil, Precision precision, std::array<int, 3> grid, Values values = Values::random);
  void begin(const std::string& name, const GridStencil& stencil, Precision precision, std::array<int, 3> grid,
             Values values = Values::random);
  const Job& job() const { return job_; }

  // Any kernel that takes the job. Throws what kernel_for and choose_tuned throw.
  GpuProfile profile(const GpuProfileSettings& settings, TuneCache& cache);
  // The same, but a kernel that fails on this GPU is reported in GpuProfile::error, so that others can follow it.
  GpuProfile profile_or_error(const GpuProfileSettings& settings, TuneCache& cache);
  // The time of copy and copy_halo, each in turn with the triad.
  RoofTimes roofs(const GpuProfileSettings& settings);
  // So many steps of a kernel and nothing else, for programs that watch launches.
  void only_steps(const std::string& kernel, const Tile& tile, int steps);

 private:
  struct Pair {
    Spread first, triad;
  };
  Pair beside_triad(const std::function<void(int)>& once, const GpuProfileSettings& settings);
  const std::function<void(int)>& triad();

  Device device_;
  std::array<DeviceMemory, 2> memory_;
  std::array<void*, 2> fields_{};
  std::int64_t reserved_ = 0;
  Job job_;
  std::string stencil_;
  std::function<void(int)> triad_;  // made when first requested
};

}  // namespace fdtd::cuda
