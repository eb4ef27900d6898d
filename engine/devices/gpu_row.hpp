// A row of the registry of GPU code (gpu_code.hpp): all that the program asks of a vendor's devices.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/devices/gpu.hpp"
#include "engine/multigrid/masked.hpp"
#include "engine/multigrid/profile.hpp"
#include "engine/plan/slab.hpp"
#include "engine/studies/kernel_study.hpp"
#include "engine/studies/step_study.hpp"

namespace fdtd {

struct GpuCode {
  std::vector<Gpu> (*gpus)();
  std::string (*why_no_gpu)();
  void (*expect_batches)();
  // Of GPU `index`. Each throws Error (status resource) where there is none, or where memory is short.
  std::unique_ptr<Backend> (*backend)(const BackendOptions& options, int index);
  std::unique_ptr<study::KernelStudy> (*kernel_study)(int index);
  std::unique_ptr<study::StepStudy> (*step_study)(const Plan& plan, const Slab& slab, const BackendOptions& options,
                                                  int index);
  std::shared_ptr<multigrid::MaskedSolver> (*masked_solver)(int index, const multigrid::MaskLevels& levels,
                                                            const multigrid::Cycle& cycle);
  multigrid::Profile (*profile_multigrid)(int index, const std::array<int, 3>& nodes, const multigrid::Cycle& cycle,
                                          int repeats);
};

}  // namespace fdtd
