#include "engine/devices/target.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"

namespace fdtd {

std::string Target::text() const {
  if (ranks > 1) return fmt::format("{} ranks, {}", ranks, on_gpu() ? "cuda" : "cpu");
  return on_gpu() ? fmt::format("cuda:{}", gpu) : "cpu";
}

Target gpu_target(int index) {
  const std::vector<Gpu> all = gpus();
  if (all.empty())
    throw Error(Status::resource, fmt::format("cuda:{}: there is no GPU: {}", index, why_no_gpu()), "use --device cpu");
  if (index < 0 || index >= static_cast<int>(all.size()))
    throw Error(Status::resource,
                fmt::format("cuda:{}: this machine has {} GPU{}", index, all.size(), all.size() == 1 ? "" : "s"),
                "`fdtd doctor` lists them; or use --device cpu");
  const Gpu& gpu = all[static_cast<std::size_t>(index)];
  if (!gpu.why_not.empty())
    throw Error(Status::resource, fmt::format("cuda:{}: {}", index, gpu.why_not), "use --device cpu");
  return {index, gpu.free_bytes};
}

std::unique_ptr<Backend> make_backend(const Target& target, const BackendOptions& options) {
  return target.on_gpu() ? make_cuda_backend(options, target.gpu) : make_cpu_backend(options);
}

std::int64_t field_bytes(const Target& target, const Plan& plan) {
  return target.on_gpu() ? cuda_state_bytes(plan, PlaneCounts{}) : cpu_state_bytes(plan, PlaneCounts{});
}

std::int64_t probe_nodes(const Target& target) { return target.on_gpu() ? 60'000'000 : 6'000'000; }

}  // namespace fdtd
