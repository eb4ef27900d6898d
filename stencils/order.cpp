// Order of accuracy, computed from the moments of the weights.
#include <algorithm>
#include <cmath>
#include <vector>

#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

double factorial(int n) { return std::tgamma(n + 1.0); }

double power(double base, int exponent) {  // 0^0 = 1
  double result = 1.0;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

// Does the coefficient of kx^2a ky^2b kz^2c in s(k) equal that of the target? (-1)^j times
//   sum over points of g lx^2a ly^2b lz^2c / ((2a)! (2b)! (2c)!)   against   2 lambda^2j / (2j)! * j! / (a! b! c!)
// for j = a + b + c without a map; with one, against that of 2 - 4 sin^2(w/2).
bool coefficient_matches(const Stencil& stencil, int a, int b, int c, const FrequencyMap& map) {
  const int j = a + b + c;
  const double divisor = factorial(2 * a) * factorial(2 * b) * factorial(2 * c);
  double sum = j == 0 ? stencil.centre : 0.0, size = std::abs(sum);
  for (std::size_t s = 0; s < stencil.shells.size(); ++s) {
    double moment = 0.0;
    for (const auto& p : points(stencil.shells[s]))
      moment += power(p[0], 2 * a) * power(p[1], 2 * b) * power(p[2], 2 * c);
    sum += stencil.weights[s] * moment / divisor;
    size += std::abs(stencil.weights[s]) * moment / divisor;
  }
  const double fraction = factorial(j) / (factorial(a) * factorial(b) * factorial(c));  // of |k|^2j
  double target = 0.0;
  if (map.kind() == FrequencyMap::Kind::radial && j > 0) {
    target = (j % 2 == 0 ? -1.0 : 1.0) * stencil.courant * stencil.courant * stencil.radial->coefficient(j) * fraction;
  } else if (j < 2 || !map.undoes()) {
    target = 2.0 * power(stencil.courant, 2 * j) / factorial(2 * j) * fraction;
  }
  return std::abs(sum - target) <= 1e-9 * (size + std::abs(target));
}

bool order_matches(const Stencil& stencil, int j, const FrequencyMap& map) {
  for (int a = j; a >= 0; --a) {
    for (int b = std::min(a, j - a); b >= 0; --b) {
      const int c = j - a - b;
      if (c <= b && !coefficient_matches(stencil, a, b, c, map)) return false;
    }
  }
  return true;
}

}  // namespace

int order_of_accuracy(const Stencil& stencil, const FrequencyMap& map) {
  constexpr int highest = 24;  // beyond twice the largest radius nothing can match
  if (!order_matches(stencil, 0, map)) return 0;
  int j = 0;
  while (j < highest && order_matches(stencil, j + 1, map)) ++j;
  return 2 * j;
}

}  // namespace fdtd
