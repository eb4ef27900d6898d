// Single precision rounded to either side.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace fdtd {

inline float next_above(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  if (bits == std::numeric_limits<std::int32_t>::min()) return std::bit_cast<float>(1);  // -0
  return std::bit_cast<float>(bits >= 0 ? bits + 1 : bits - 1);
}
inline float rounded_down(double x) {
  const auto near = static_cast<float>(x);
  return static_cast<double>(near) > x ? -next_above(-near) : near;
}
inline float rounded_up(double x) {
  const auto near = static_cast<float>(x);
  return static_cast<double>(near) < x ? next_above(near) : near;
}

}  // namespace fdtd
