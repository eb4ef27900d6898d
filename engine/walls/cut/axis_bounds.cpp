#include "engine/walls/cut/axis_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/known_values.hpp"

namespace fdtd {
namespace {

// q(x) = sum of g_m R_m(x), R_m = (2 - 2 T_m(1 - x/2))/x: R_(m+1) = (2 - x) R_m - R_(m-1) + 2.
double flux_symbol(const std::vector<double>& weights, double x) {
  double before = 0.0, here = 1.0, sum = 0.0;
  for (const double g : weights) {
    sum += g * here;
    const double next = (2.0 - x) * here - before + 2.0;
    before = here;
    here = next;
  }
  return sum;
}

// q'(0): R_m(x) = m^2 - m^2 (m^2 - 1)/12 x + ...
double bend_of(const std::vector<double>& weights) {
  double sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double square = static_cast<double>((k + 1) * (k + 1));
    sum -= weights[k] * square * (square - 1.0) / 12.0;
  }
  return sum;
}

// q at x = 0, 4/n, ..., 4.
std::vector<double> flux_symbols(const std::vector<double>& weights) {
  constexpr int samples = 4096;
  std::vector<double> q;
  for (int i = 0; i <= samples; ++i) q.push_back(flux_symbol(weights, 4.0 * i / samples));
  return q;
}

// The line first + rest x/4 above q of the smallest `first` for which whole voxels need no more than `whole`. Where
// ripples of q near 0 forbid q(0), a little more does.
AxisBound bound_along(const std::vector<double>& q, double whole) {
  const auto rest = [&](double first) {
    double most = 0.0;
    for (std::size_t i = 1; i < q.size(); ++i)
      most = std::max(most, (q[i] - first) * static_cast<double>(q.size() - 1) / static_cast<double>(i));
    return most;
  };
  const double limit = whole * (1.0 + 1e-14);
  double low = q.front(), high = std::max(low, *std::max_element(q.begin(), q.end()));
  if (low + rest(low) > limit) {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (middle + rest(middle) > limit ? low : high) = middle;
    }
    low = high;
  }
  return {low, rest(low), whole};
}

}  // namespace

std::vector<double> weights_along(const GridStencil& stencil, std::size_t axis) {
  std::vector<double> weights(static_cast<std::size_t>(stencil.radius), 0.0);
  for (const Term& term : stencil.terms)
    if (term.offset[axis] != 0) weights[static_cast<std::size_t>(term.offset[axis]) - 1] += term.weight;
  return weights;
}

namespace {

// The symbol of one axis.
struct AxisSymbol {
  std::vector<double> weights, q;
};

// Of axes with the same weights once.
std::array<AxisSymbol, 3> axis_symbols(const GridStencil& stencil) {
  std::array<AxisSymbol, 3> axes;
  for (std::size_t d = 0; d < 3; ++d) {
    axes[d].weights = weights_along(stencil, d);
    const auto same = std::find_if(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(d),
                                   [&](const AxisSymbol& one) { return one.weights == axes[d].weights; });
    axes[d].q = same != axes.begin() + static_cast<std::ptrdiff_t>(d) ? same->q : flux_symbols(axes[d].weights);
  }
  return axes;
}

std::array<AxisBound, 3> bounds_of(const std::array<AxisSymbol, 3>& axes) {
  std::array<AxisBound, 3> bounds;
  double sum = 0.0;
  for (const AxisSymbol& axis : axes) sum += axis.q.back();
  // At the limit of the Courant number the sum is 1 up to rounding.
  for (std::size_t d = 0; d < 3; ++d) {
    bounds[d] = d > 0 && axes[d].weights == axes[d - 1].weights
                    ? bounds[d - 1]
                    : bound_along(axes[d].q, axes[d].q.back() / std::min(1.0, sum));
    bounds[d].bend = std::max(0.0, bend_of(axes[d].weights));
    bounds[d].link = axes[d].q.front();
  }
  return bounds;
}

bool find_within_bounds(const std::array<AxisSymbol, 3>& axes) {
  constexpr double rounding_of_limit = 1e-8;
  const std::array<AxisBound, 3> bounds = bounds_of(axes);
  if (bounds[0].whole + bounds[1].whole + bounds[2].whole > 1.0 + rounding_of_limit) return false;
  for (std::size_t d = 0; d < 3; ++d) {
    const AxisBound& one = bounds[d];
    if (!(one.first + one.rest <= one.whole * (1.0 + 1e-13))) return false;
    if (*std::min_element(axes[d].q.begin(), axes[d].q.end()) < 0.0) return false;
  }
  return true;
}

}  // namespace

std::array<AxisBound, 3> axis_bounds(const GridStencil& stencil) { return bounds_of(axis_symbols(stencil)); }

bool within_bounds(const GridStencil& stencil) {
  static KnownValues<bool> known(4096);  // a plan asks some thousand times, of some hundred stencils
  std::vector<double> numbers;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double> weights = weights_along(stencil, d);
    numbers.insert(numbers.end(), weights.begin(), weights.end());
  }
  return known.of(std::move(numbers), [&] { return find_within_bounds(axis_symbols(stencil)); });
}

}  // namespace fdtd
