// Parts of a record that the crossover and the comparison below it share.
#pragma once

#include <array>
#include <vector>

#include "engine/above/above_record.hpp"
#include "engine/responses/crossover/late_noise.hpp"

namespace fdtd {

// Of the noise that stands for a pair's late sound.
LateSettings late_settings(const AboveRecord& record, const LateRecord& late);

// A pattern by its factors of the SN3D harmonics 0, 1, ... towards a unit vector; 1 without factors.
double pattern_value(const std::vector<double>& factors, const std::array<double, 3>& direction);

}  // namespace fdtd
