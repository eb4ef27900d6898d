// The walls' part of a gradient on the GPU: histories in its memory, sites correlated there (adjoint/correlation.hpp).
#pragma once

#include <memory>

#include "engine/backend/backend.hpp"
#include "engine/cuda/device_plan.hpp"

namespace fdtd::cuda {

// `backend` advances `device_plan`, which computes `plan` alone and has taken no step. All of them must outlive the result.
// Histories have the plan's precision.
template <class T>
std::unique_ptr<WallCorrelation> make_wall_correlation(const Plan& plan, Backend& backend, DevicePlan<T>& device_plan,
                                                       const CorrelationNeeds& needs);

}  // namespace fdtd::cuda
