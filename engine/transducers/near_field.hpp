// The grid's error in a directional channel whose source is near: the field of the source's nodes at the receiver's
// nodes that is no sound.
//
// A source is spread over 8 to 16 nodes an axis, a receiver reads as many. Their weights W are right for the waves of
// the band. Between the band and the grid's shortest waves they are not, and wave vectors k there add
//   A / (2 pi)^3 integral of W_r(k) conj W_s(k) / (K(k) - Q) d^3k,   Q = 4 sin^2(w/2), A = Plan::drive_scale,
// to the response (K: source_gain.hpp). No pole lies there, so it is smooth in Q, E_0 + E_1 Q + ..., and E_0 is a pulse
// at the moment of the emission. It falls with a high power of the distance; n integrations over time, (c / omega)^n,
// make it a burst of low frequencies in a channel of order n.
//
// E_0 and E_1 follow without a run from the field of long waves. With D the derivatives of the pair, r the vector from
// source to receiver, q = (c T |k|)^2, and K = q / b - alpha q^2 + ... in the mean over all directions,
//   E_j = A / (2 pi)^3 integral over the zone of [W_r conj W_s / K^(j+1) - D(ik) e^{ik.r} R S_j(q)] d^3k
//         - A / (2 pi)^3 integral over all k of D(ik) e^{ik.r} (1 - R) S_j(q) d^3k,
//   S_0 = b / q,   S_1 = b^2 / q^2 + 2 alpha b^3 / q.
// D(ik) e^{ik.r} S_j is the field of a point source in the same powers of Q: for j = 0 the static one, D(b/r). It is
// split by R = e^{-s} (1 + s + s^2/2), s = (sigma |k|)^2: with it the first integrand is smooth and zero at the zone's
// edge, and the trapezoidal rule exact; the second integral is known (near_lattice.hpp).
//
// Walls beside the pair are mirrors, also those that absorb: as omega -> 0 their velocity, Y p, vanishes. So the nodes
// of the source and of its images count, as the plan has them: a wall's layer (wall_layer.hpp), through which nodes
// beside walls that absorb see, is zero in the field of both together. Between two walls all images are those on a
// torus of twice the width (near_nodes.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

using NearField = std::array<double, 2>;  // E_0, E_1

// By channel, [s * receivers + r]; zero for pairs farther apart than near_field_cells, or near_pressure_cells where both
// are omnidirectional, the nearest most_near_pressures of them: without integrations over time the near field is small
// there. Empty: zero for all, and for rooms
// one cell across. Only walls along planes of the grid's faces are
// mirrors: zero, too, for channels whose source or receiver has nodes at other walls (near_field_doubts).
std::vector<NearField> near_field(const Plan& plan);

inline constexpr double near_field_cells = 16.0, near_pressure_cells = 5.0;
inline constexpr std::size_t most_near_pressures = 64;

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
