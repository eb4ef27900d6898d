// The second table of a response: sound early, lateral and at two ears.
#pragma once

#include <string>
#include <vector>

#include "engine/reports/page.hpp"
#include "engine/responses/metrics.hpp"

namespace fdtd {

// Whether any octave has one of them beside the direct-to-reverberant ratio, which every response has.
bool has_further(const Metrics& metrics);

// One row an octave, of the figures that any octave has; without rows where there are none.
Table further_table(const Metrics& metrics);
// Single numbers, the axis of lateral energy, and why figures are missing, one a line.
std::vector<std::string> further_notes(const Metrics& metrics);
// Both as text; "" where there are none.
std::string further_text(const Metrics& metrics);

}  // namespace fdtd
