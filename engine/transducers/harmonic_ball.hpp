// Spherical harmonics of order 4 and above of the field at a place, read by a ball of nodes around it.
//
// Derivatives along axes have no room for such orders on few nodes. Weights a_i on the nodes x_i of a ball of radius R
// read, of a plane wave e^{ik s.x},
//   sum_i a_i e^{ik s.x_i} = (ik)^n c_n(kr) Y_nm(s),  c_n(x) = (2n + 7)!! j_{n+3}(x) / x^{n+3},
// Y_nm in SN3D (base/math/spherical_harmonics.hpp): the solid harmonic of the derivatives of field_operator.hpp with the
// radial function of the kernel r^n Y_nm (1 - r^2/R^2)^2, which rendering equalises with the gain of the scheme. They are
// exact for all polynomials of degree n + 1, so that no lower order leaks in at low frequencies, where it is larger by
// powers of 1/(kr); the other degrees of freedom minimise the error of waves of all directions up to the grid's finest, relative to
// the right value, by least squares with small weights far from the place: averages over directions make the normal
// equations sums of sin(kd)/(kd), d the distances of nodes. (Regularised least squares over plane waves: S. Moreau,
// J. Daniel & S. Bertet, "3D sound field recording with higher order ambisonics", AES 120th Convention, 2006; B. Rafaely,
// Fundamentals of Spherical Array Processing, 2015.)
#pragma once

#include <span>

#include "base/point.hpp"
#include "engine/plan/plan.hpp"
#include "engine/transducers/air_box.hpp"

namespace fdtd {

inline constexpr int lowest_ball_order = 4, highest_ball_order = 9;
inline bool read_by_ball(const FieldOperator& operation) { return degree(operation) >= lowest_ball_order; }

// R in cells, where walls leave the air for it; `wave`: of the finest wave, radians a cell. Few points a wavelength need
// a small ball and the least squares, many a larger ball, which lowers rounding noise.
double ball_cells(double wave);
// The least R in cells that an order needs.
double least_ball_cells(int order);
// The most nodes of a ball that is not cut short.
double ball_nodes(double wave);

// c_n(x), not below 0.003: what rendering divides by.
double ball_profile(int order, double x);
// r of c_n(kr) in metres where no wall is near, for waves up to `wave` radians a cell.
double full_reach(int order, const Grid& grid, double wave);

// Nodes, weights and reach of the taps of one place and air voxel, all of orders read by balls, for waves up to `wave`
// radians a cell. The ball lies in the air: beside walls it is smaller. Layers that absorbing walls leave before them
// (wall_layer.hpp) do not matter, since weights at the ball's edge are small. Throws Error (status scene)
// where it would be too small for the highest order.
void fill_ball(std::span<Tap> taps, const Grid& grid, const OpenAir& open, double wave);

// The root mean square over all directions of the error with which a tap with a ball reads waves of that number (1/m),
// relative to that of the right value, c_n included.
double ball_leakage(const Tap& tap, const Grid& grid, double number);

}  // namespace fdtd
