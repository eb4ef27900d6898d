// The response of a figure-of-eight at an ambisonic receiver of a result, turned so that its null is towards the source.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/results/result.hpp"

namespace fdtd {

struct LateralResponse {
  std::vector<double> samples;   // empty: there is none
  std::array<double, 3> axis{};  // in the scene: horizontal, to the left of a listener who faces the source
  double from = 0.0;             // Hz, from which on it is valid
  std::string reason;            // why there is none
};

// Of channel s * receivers + r, the first one of its receiver (ShownChannel).
LateralResponse lateral_response(const Result& result, std::size_t channel);

}  // namespace fdtd
