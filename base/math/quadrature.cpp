#include "base/math/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace fdtd {

std::vector<QuadratureNode> gauss_legendre(int order) {
  std::vector<QuadratureNode> nodes;
  for (int i = 0; i < order; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (order + 0.5)), slope = 1.0;
    for (int newton = 0; newton < 8; ++newton) {  // five steps from this start reach rounding
      double before = 1.0, p = x;
      for (int n = 2; n <= order; ++n) {
        const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
        before = p;
        p = next;
      }
      slope = order * (x * p - before) / (x * x - 1.0);
      x -= p / slope;
    }
    nodes.push_back({(x + 1.0) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope)});
  }
  return nodes;
}

double bessel_i0(double x) {
  const double quarter = x * x / 4.0;
  double term = 1.0, sum = 1.0;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= quarter / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

}  // namespace fdtd
