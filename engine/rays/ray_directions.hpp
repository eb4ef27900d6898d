// The directions in which rays start: a sequence of which each beginning covers the sphere evenly, so that any number of
// rays can be followed by more.
//
// Direction j has the height 1 - 2 {j / g} and the azimuth {j / g^2} of a turn, {} the fraction and g = 1.3247..., whose
// powers 1, g, g^2 no rational relation approximates well (the plastic number; M. Roberts, The unreasonable effectiveness
// of quasirandom sequences, 2018). Products of whole numbers modulo 2^64: exact for all j.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/facets/facet.hpp"  // Point
#include "engine/rays/portable_math.hpp"

namespace fdtd {

// Turned about z by `turned`, in turns.
inline Point ray_direction(std::int64_t number, double turned) {
  constexpr std::uint64_t by_height = 0xC13FA9A902A6328F, by_azimuth = 0x91E10DA5C79E7B1C;  // 2^64 / g, 2^64 / g^2
  const auto fraction = [number](std::uint64_t step) {
    return static_cast<double>((static_cast<std::uint64_t>(number) * step + (std::uint64_t{1} << 63U)) >> 11U) *
           0x1p-53;
  };
  const double z = 1.0 - 2.0 * fraction(by_height), across = std::sqrt(std::max(0.0, 1.0 - z * z));
  const double turns = fraction(by_azimuth) + turned;
  const auto [c, s] = cosine_sine(turns - std::floor(turns));
  return {across * c, across * s, z};
}

}  // namespace fdtd
