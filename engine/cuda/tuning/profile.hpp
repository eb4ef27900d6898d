// CTPN of a stencil on a GPU, kernel by kernel, each beside the roofs of the same run on the same arrays.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/tuning/tune.hpp"
#include "engine/studies/kernel_study.hpp"

namespace fdtd::cuda {

Job job_of(const GridStencil& stencil, Precision precision, std::array<int, 3> grid);

class GpuBench final : public study::KernelStudy {
 public:
  // Throws Error (status resource) where there is no such device.
  explicit GpuBench(int device, TuneCache cache = TuneCache());
  const Device& device() const { return device_; }
  const Job& job() const { return job_; }

  std::string device_name() const override { return device_.name; }
  std::string driver() const override;
  const std::string& remark() const override { return cache_.remark(); }
  std::vector<std::string> kernels() const override;
  bool has_kernel(const std::string& name) const override { return find_kernel(name) != nullptr; }
  std::int64_t array_bytes(const GridStencil& stencil, Precision precision, std::array<int, 3> grid) const override;
  void reserve(std::int64_t bytes_an_array) override;
  void release() override;
  void begin(const std::string& name, const GridStencil& stencil, Precision precision, std::array<int, 3> grid,
             Values values = Values::random) override;
  bool takes(const std::string& kernel) const override;
  std::vector<study::Launch> tiles(const std::string& kernel) const override;
  study::GpuProfile profile(const study::KernelSettings& settings) override;
  study::GpuProfile profile_or_error(const study::KernelSettings& settings) override;
  study::RoofTimes roofs(const study::KernelSettings& settings) override;
  study::Parity parity(const std::string& kernel, const study::Launch& tile) override;
  void only_steps(const std::string& kernel, const study::Launch& tile, int steps) override;

 private:
  struct Pair {
    study::Spread first, triad;
  };
  Pair beside_triad(const std::function<void(int)>& once, const study::KernelSettings& settings);
  const std::function<void(int)>& triad();
  // The kernel and the tile that the settings ask for; `tiles`: all of them with their times, where those are wanted.
  Choice choice_of(const study::KernelSettings& settings, std::vector<study::TimedLaunch>& tiles);
  void fill(const std::array<void*, 2>& fields, Values values) const;
  void make_truth();

  Device device_;
  TuneCache cache_;
  std::array<DeviceMemory, 2> memory_;
  std::array<DeviceMemory, 2> truth_;  // two steps of the plainest kernel, where parity was asked for
  std::array<void*, 2> fields_{};
  std::int64_t reserved_ = 0;
  Job job_;
  std::string stencil_;
  std::function<void(int)> triad_;  // made when first requested
};

}  // namespace fdtd::cuda
