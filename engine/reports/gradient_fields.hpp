// The gradient of a plan: as JSON, and as a row of its text.
#pragma once

#include <string>

#include "engine/adjoint/planned_gradient.hpp"
#include "engine/files/json_fields.hpp"

namespace fdtd {

const JsonFields<PlannedGradient>& gradient_fields();
std::string gradient_text(const PlannedGradient& planned);

}  // namespace fdtd
