// Weights on the nodes of one axis that stand for a point between them, or for a derivative there.
//
// A source or receiver at x reads sum_i w_i p(x_i), and multiplies a wave of k radians a cell by sum_i w_i e^{ik(x_i -
// x)}, which should be (ik)^n for a derivative of order n. Polynomials (`lagrange`) are exact to a high order at k = 0
// and lose the shortest waves: eight nodes in mid-cell read 57 % too little at 2.3 points a wavelength. TapWeights are
// made for the finest wave K that a scene carries: of N nodes, polynomials of degree below n + 6 stay exact, and what is
// left minimises
//   integral from 0 to K of |sum_i w_i e^{ik(x_i - x)} - (ik)^n|^2 / (k^n (0.3 + k^2/K^2))^2 dk / sqrt(1 - k^2/K^2),
// least squares whose weight rises at the band's edge, as the best uniform approximation demands, and at long waves,
// where levels of all directions should agree. (Interpolators as filters with a stop band: T. I. Laakso et al.,
// "Splitting the unit delay", IEEE Signal Processing Magazine 13 (1996).)
#pragma once

#include <array>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "engine/plan/field_operator.hpp"
#include "engine/transducers/wall_layer.hpp"

namespace fdtd {

// Weights of nodes first, first + 1, ...
struct AxisWeights {
  int first = 0;
  std::vector<double> weights;
};

// Of the Lagrange polynomial through `points` nodes around `at` (in spacings from node 0); the weights sum to 1. A
// position within 1e-6 of a node is on it.
AxisWeights lagrange(double at, int points);
// Weights for the derivative of that order, per spacing^order; order < points. B. Fornberg, "Generation of finite
// difference formulas on arbitrarily spaced grids", Math. Comp. 51 (1988).
AxisWeights lagrange_derivative(double at, int points, int order);
// The first of `points` nodes around `at`.
int first_tap_node(double at, int points);

// The walls at the ends of an axis, in nodes (half a node behind the last), as far as they are near.
struct AxisWalls {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  const WallLayer* layer = nullptr;  // of TapWeights::waves
};

inline constexpr int tap_points = 8;          // least number of nodes an axis
inline constexpr int derivative_points = 12;  // with an operation: derivatives need more
inline constexpr int max_tap_points = 16;
inline constexpr int tap_points_at_wall = 10;  // as many at least, where walls leave fewer than elsewhere
constexpr int inside_points(int order) { return order + 2; }  // fewest of TapWeights::inside
inline constexpr double tap_error =
    0.075;  // more nodes are taken until no wave along an axis is wrong by more: of all directions, 1 dB

class TapWeights {
 public:
  // `wave`: the finest wave in radians a cell, below pi; 0: polynomials.
  explicit TapWeights(double wave = 0.0);

  // Nodes an axis: the least even number, up to 16, with which a tap between nodes keeps `tap_error` up to the finest
  // wave along an axis.
  int points(const FieldOperator& operation) const { return points_[static_cast<std::size_t>(degree(operation))]; }

  // The waves by which weights are made, radians a cell: those of AxisWalls::layer. Empty: polynomials.
  std::span<const double> waves() const { return {k_.data(), wave_ > 0.0 ? k_.size() : 0}; }

  // Weights of the nodes first, ..., first + count - 1 alone, at least inside_points(order) and at most max_tap_points
  // of them, for a point among them or half a node beyond: beside walls, whose layers they see through. Fields that are
  // polynomials up to degree order + 1 are exact; the other degrees of freedom minimise the integral above for waves
  // whose velocity is zero at the nearest wall, plus a fraction of that for waves whose pressure is, with small weights
  // far from the point. Throws std::invalid_argument without a finest wave, for other counts and for orders above 3.
  AxisWeights inside(double at, int first, int count, int order, const AxisWalls& walls) const;

  // Weights of `points` nodes, even and from tap_points to max_tap_points, for the derivative of order 0 to 3 at `at`.
  AxisWeights operator()(double at, int points, int order) const;

 private:
  static constexpr int highest_order = 3, wave_count = 32;
  // The corrections of polynomials that keep moments: coefficients of finite differences, and what finds them.
  struct Design {
    int moments = 0;                         // 0: polynomials are good enough
    std::vector<double> differences;         // points x corrections, row by row
    std::vector<double> factor;              // Cholesky factor of the normal equations, row by row
    std::vector<std::complex<double>> seen;  // the first difference of each wave, conjugated, times its weight
  };
  Design make(int points, int order) const;
  double error(int points, int order) const;
  static std::size_t index(int points, int order) {
    return static_cast<std::size_t>((points - tap_points) / 2 * (highest_order + 1) + order);
  }

  double wave_;
  std::array<double, wave_count> k_{}, weight_{};  // nodes of the integral; weight without the order's part
  std::vector<Design> designs_;
  std::array<int, highest_order + 1> points_{tap_points, derivative_points, derivative_points, derivative_points};
};

}  // namespace fdtd
