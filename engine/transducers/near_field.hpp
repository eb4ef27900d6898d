// The near field of a source's nodes at a receiver's: with the weights of both, waves between the band and the grid's
// shortest add E_0 + E_1 Q + ... to the response, Q = 4 sin^2(w/2), which is no sound. n integrations over time make it
// a burst of low frequencies in a channel of order n, so rendering subtracts it. E_0 and E_1 follow from the weights, the
// symbol and the images behind walls along the grid without a run: docs/explanation/impulse-responses.md, section 7.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

using NearField = std::array<double, 2>;  // E_0, E_1

// By channel, [s * receivers + r]; zero for pairs farther apart than near_field_cells, or near_pressure_cells where both
// are omnidirectional, the nearest max_near_pressures of them: without integrations over time the near field is small
// there. Empty: zero for all, and for rooms one cell across. Only walls along planes of the grid's faces are mirrors:
// zero, too, for channels whose source or receiver has nodes at other walls (near_field_doubts).
std::vector<NearField> near_field(const Plan& plan);

inline constexpr double near_field_cells = 16.0, near_pressure_cells = 5.0;
inline constexpr std::size_t max_near_pressures = 64;

// By channel, as above: Hz from which on a near field that is not subtracted is below 10 % of a point source's field of
// that order, which falls as f^-n there; 0: from 0 on. Empty: 0 for all.
std::vector<double> near_corners(const Plan& plan);

// A pair beside oblique walls, corners or screens, whose near field is not subtracted and 10 % or more of an order's
// field at low frequencies.
struct NearDoubt {
  std::size_t source = 0, receiver = 0;
  int order = 0;          // the lowest that is wrong
  int highest = 0;        // the highest
  double corner = 0.0;    // Hz from which on that one holds (near_corners)
  double error = 0.0;     // the largest, of the free lattice: relative to a point source's field of its order
  double distance = 0.0;  // m
};
std::vector<NearDoubt> near_field_doubts(const Plan& plan);

// Omnidirectional pairs up to `distance` (m) apart.
struct NearPressure {
  std::size_t source = 0, receiver = 0;
  double distance = 0.0;  // m
  NearField left{};       // in the response: where it is not subtracted, as of the free lattice
  bool known = true;      // false: near, but others are nearer, and its near field is neither computed nor subtracted
};
std::vector<NearPressure> near_pressures(const Plan& plan, double distance);

}  // namespace fdtd
