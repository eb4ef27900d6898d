#include "engine/cuda/choose.hpp"

#include <fmt/format.h>

#include "engine/error.hpp"

namespace fdtd::cuda {
namespace {

// A step at a time: walls come between two.
bool fits(const Kernel& kernel, const Job& job, const Device& device) {
  return kernel.steps_per_launch == 1 && kernel.supports(job, device);
}

std::string fitting_names(const Job& job, const Device& device) {
  std::string names;
  for (const Kernel& kernel : kernels())
    if (fits(kernel, job, device)) names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  return names.empty() ? "none does" : "take one of: " + names;
}

const Kernel& kernel_for(const Job& job, const Device& device, const std::string& name) {
  if (name.empty()) {
    for (const Kernel& kernel : kernels())
      if (fits(kernel, job, device)) return kernel;
    throw Error(Status::resource,
                fmt::format("no GPU kernel takes a grid of {} x {} x {}", job.layout.size[0], job.layout.size[1],
                            job.layout.size[2]),
                "take --device cpu");
  }
  const Kernel* const kernel = find_kernel(name);
  if (kernel == nullptr)
    throw Error(Status::scene, fmt::format("there is no GPU kernel {}", name), fitting_names(job, device));
  if (!fits(*kernel, job, device))
    throw Error(Status::scene, fmt::format("kernel {} does not take this stencil on this grid and GPU", name),
                fitting_names(job, device));
  return *kernel;
}

}  // namespace

Chosen choose(const Job& job, const Device& device, const BackendOptions& options, std::array<void*, 2> /*fields*/) {
  const Kernel& kernel = kernel_for(job, device, options.kernel);
  return {&kernel, kernel.tiles(job, device).front()};
}

}  // namespace fdtd::cuda
