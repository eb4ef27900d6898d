// Steps of a plan's slab on a GPU, timed.
#pragma once

#include <memory>

#include "engine/backend/backend.hpp"
#include "engine/plan/slab.hpp"
#include "engine/studies/step_study.hpp"

namespace fdtd::cuda {

// In f32, on GPU `index`. The plan outlives the study. Throws Error (status resource) where memory is short.
std::unique_ptr<study::StepStudy> make_step_study(const Plan& plan, const Slab& slab, const BackendOptions& options,
                                                  int index);

}  // namespace fdtd::cuda
