#include "stencils/all_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;

struct Matrix2 {
  double xx = 0.0, xy = 0.0, yx = 0.0, yy = 0.0;
};

Matrix2 operator*(const Matrix2& a, const Matrix2& b) {
  return {a.xx * b.xx + a.xy * b.yx, a.xx * b.xy + a.xy * b.yy, a.yx * b.xx + a.yy * b.yx, a.yx * b.xy + a.yy * b.yy};
}

// Three contractions X_d = Q(turn_d) diag(cos a_d, cos b_d) Q(turn_d)^T, so that T_m(X_d) has cos(m a_d), cos(m b_d).
// Their common rotation does not matter: turn_x = 0.
using Triple = std::array<double, 8>;  // a_x, b_x, a_y, b_y, a_z, b_z, turn_y, turn_z

class FoldedOperator {
 public:
  explicit FoldedOperator(const Stencil& stencil)
      : grid_(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant})) {
    for (auto& axis : chebyshev_) axis.resize(static_cast<std::size_t>(grid_.radius) + 1);
  }

  FoldedRange eigenvalues(const Triple& triple) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double turn = d == 0 ? 0.0 : triple[5 + d], c = std::cos(2.0 * turn), s = std::sin(2.0 * turn);
      for (std::size_t m = 1; m < chebyshev_[d].size(); ++m) {
        const double a = std::cos(static_cast<double>(m) * triple[2 * d]),
                     b = std::cos(static_cast<double>(m) * triple[2 * d + 1]);
        chebyshev_[d][m] = {a + b + (a - b) * c, (a - b) * s, (a - b) * s, a + b - (a - b) * c};  // 2 T_m
      }
    }
    double xx = grid_.centre, xy = 0.0, yy = grid_.centre;
    for (const Term& term : grid_.terms) {
      const Matrix2 product = average_of_orders(term);
      xx += term.weight * product.xx;
      xy += term.weight * 0.5 * (product.xy + product.yx);
      yy += term.weight * product.yy;
    }
    const double middle = 0.5 * (xx + yy), spread = std::hypot(0.5 * (xx - yy), xy);
    return {middle - spread, middle + spread};
  }

 private:
  // Up to transposition, which the symmetric part undoes, two factors have one order and three have three.
  Matrix2 average_of_orders(const Term& term) const {
    std::array<const Matrix2*, 3> f{};
    std::size_t count = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (term.offset[d] > 0) f[count++] = &chebyshev_[d][static_cast<std::size_t>(term.offset[d])];
    }
    if (count == 1) return *f[0];
    if (count == 2) return *f[0] * *f[1];
    const Matrix2 p = *f[0] * *f[1] * *f[2], q = *f[1] * *f[2] * *f[0], r = *f[2] * *f[0] * *f[1];
    return {(p.xx + q.xx + r.xx) / 3.0, (p.xy + q.xy + r.xy) / 3.0, (p.yx + q.yx + r.yx) / 3.0,
            (p.yy + q.yy + r.yy) / 3.0};
  }

  GridStencil grid_;
  std::array<std::vector<Matrix2>, 3> chebyshev_;  // [axis][m]
};

// Coordinate search, the step halved when no coordinate gains.
template <class Function>
double descend(Triple triple, Function f) {
  double min = f(triple);
  double step = 0.8;
  for (int sweep = 0; sweep < 40 && step > 0.01; ++sweep) {
    bool gained = false;
    for (double& coordinate : triple) {
      const double start = coordinate;
      for (double sign : {1.0, -1.0}) {
        coordinate = start + sign * step;
        const double value = f(triple);
        if (value < min) {
          min = value;
          gained = true;
          break;
        }
        coordinate = start;
      }
    }
    if (!gained) step *= 0.5;
  }
  return min;
}

}  // namespace

FoldedRange searched_folded_range(const Stencil& stencil, int starts) {
  FoldedOperator folded(stencil);
  FoldedRange range{2.0, -2.0};
  std::mt19937_64 random(1);  // the standard defines its sequence, but not those of the distributions
  const auto angle = [&] { return pi * static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int start = 0; start < starts; ++start) {
    Triple triple{};
    for (double& coordinate : triple) coordinate = angle();
    range.min = std::min(range.min, descend(triple, [&](const Triple& t) { return folded.eigenvalues(t).min; }));
    range.max = std::max(range.max, -descend(triple, [&](const Triple& t) { return -folded.eigenvalues(t).max; }));
  }
  return range;
}

}  // namespace fdtd
