#include "engine/cuda/tuning/choose.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/cuda/field/field_noise.hpp"

namespace fdtd::cuda {
namespace {

std::string fitting_names(const Job& job, const Device& device) {
  std::string names;
  for (const Kernel& kernel : kernels())
    if (kernel.supports(job, device)) names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  return names.empty() ? "none does: take --device cpu" : "take one of: " + names;
}

const Kernel& first_that_fits(const Job& job, const Device& device) {
  for (const Kernel& kernel : kernels())
    if (kernel.supports(job, device)) return kernel;
  return kernel_for(job, device, "");
}

}  // namespace

const Kernel& choose_kernel(const Job& job, const Device& device, const BackendOptions& options) {
  if (options.kernel.empty()) return first_that_fits(job, device);
  const Kernel* const named = find_kernel(options.kernel);
  if (named != nullptr && named->supports(job, device)) return *named;
  const char* const why = named == nullptr ? "there is no GPU kernel {}" : "kernel {} does not take rooms of this grid";
  throw Error(Status::scene, fmt::format(fmt::runtime(why), options.kernel), fitting_names(job, device));
}

Choice choose(const Job& job, const Device& device, const BackendOptions& options, std::array<void*, 2> fields,
              bool tuned) {
  TuneSettings settings;
  settings.kernel = choose_kernel(job, device, options).name;
  settings.retune = options.retune;
  settings.tuned = tuned;
  TuneCache cache;
  for (std::size_t i = 0; tuned && i < fields.size(); ++i) fill_random(fields[i], job.layout, i + 1);
  return choose_tuned(job, device, fields, settings, cache);
}

}  // namespace fdtd::cuda
