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
// for j = a + b + c, or 0 for j >= 2 when the target is 2 - lambda^2 |k|^2.
bool coefficient_matches(const Stencil& stencil, int a, int b, int c, bool removal) {
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
  double target = 0.0;
  if (j < 2 || !removal) {
    target = 2.0 * power(stencil.courant, 2 * j) / factorial(2 * j) * factorial(j) /
             (factorial(a) * factorial(b) * factorial(c));
  }
  return std::abs(sum - target) <= 1e-9 * (size + target);
}

bool order_matches(const Stencil& stencil, int j, bool removal) {
  for (int a = j; a >= 0; --a) {
    for (int b = std::min(a, j - a); b >= 0; --b) {
      const int c = j - a - b;
      if (c <= b && !coefficient_matches(stencil, a, b, c, removal)) return false;
    }
  }
  return true;
}

}  // namespace

int order_of_accuracy(const Stencil& stencil, bool removal) {
  constexpr int highest = 24;  // beyond twice the largest radius nothing can match
  if (!order_matches(stencil, 0, removal)) return 0;
  int j = 0;
  while (j < highest && order_matches(stencil, j + 1, removal)) ++j;
  return 2 * j;
}

}  // namespace fdtd
