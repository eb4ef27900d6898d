// Leggy stencils: 2M points on each axis, out to radius M; K = 6M + 1.
//
// Textbook member (2,2M): second order in time, order 2M in space,
//   b_m = 2 (-1)^(m+1) (M!)^2 / (m^2 (M-m)! (M+m)!),   g_m = lambda^2 b_m,   g_0 = 2 - 6 sum_m g_m,
// and with x = 4 sin^2(k/2) on each axis  sum_m 2 b_m (1 - cos mk) = sum_j a_j x^j,  a_j = 2 / (j^2 C(2j, j)) > 0,
// which is largest at k = pi: K <= 4 up to the closed form  lambda_max = sqrt(4 / (3 sum_{j=1..M} a_j 4^j)).
// B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Math. Comp. 51 (1988).
#pragma once

#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// b_1..b_M of the order-2M second derivative: u'' h^2 = sum_m b_m (u[+m] - 2 u[0] + u[-m]). M in 1..20.
std::vector<double> leggy_taylor_weights(int M);
double leggy_taylor_courant_limit(int M);

// All leggy entries of the catalogue, M by M, /taylor first.
std::vector<Stencil> leggy_stencils();

}  // namespace fdtd
