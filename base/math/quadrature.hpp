// Gauss-Legendre quadrature, and the Bessel function of the Kaiser window.
#pragma once

#include <vector>

namespace fdtd {

struct QuadratureNode {
  double x = 0.0, weight = 0.0;
};

// Nodes and weights on 0..1: exact for polynomials of degree 2 order - 1; the weights sum to 1.
std::vector<QuadratureNode> gauss_legendre(int order);

// Modified Bessel function of the first kind and order 0, 0 <= x < 700, exact up to rounding: by its power series,
// whose terms are all positive.
double bessel_i0(double x);

}  // namespace fdtd
