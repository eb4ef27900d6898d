// The walls of a gradient (gradient.hpp) correlated by the host, for any backend: the laws as filters of what walls read.
#pragma once

#include <memory>

#include "engine/adjoint/adjoint_plan.hpp"
#include "engine/backend/backend.hpp"

namespace fdtd {

// The backend has loaded plan.plan. Both must outlive the result.
std::unique_ptr<WallCorrelation> make_host_walls(const AdjointPlan& plan, Backend& backend,
                                                 const CorrelationNeeds& needs);

}  // namespace fdtd
