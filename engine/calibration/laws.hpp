// Tables of absorption whose walls absorb what a fit asks for.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/calibration/problem.hpp"
#include "scenes/toml/replace_absorption.hpp"

namespace fdtd {

// The coefficient that a wall with this table has in the octave, whatever is stated.
double absorption_of_law(const AbsorptionTable& table, double octave);

struct WantedAbsorption {
  double octave = 0.0, alpha = 0.0;
};
// A table with four digits whose law has the wanted coefficients as nearly as some steps find; other bands as in `table`.
AbsorptionTable table_for(AbsorptionTable table, const std::vector<WantedAbsorption>& wanted);

}  // namespace fdtd
