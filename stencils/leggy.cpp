#include "stencils/leggy.hpp"

#include <cmath>
#include <string>

namespace fdtd {
namespace {

constexpr int largest_M = 20;

Stencil leggy_taylor(int M) {
  Stencil s;
  s.name = "leggy-" + std::to_string(M) + "/taylor";
  s.variant = "taylor";
  s.family = Family::leggy;
  s.courant = s.courant_limit = leggy_taylor_courant_limit(M);
  s.centre = 2.0;
  const std::vector<double> b = leggy_taylor_weights(M);
  for (int m = 1; m <= M; ++m) {
    s.shells.push_back({m, 0, 0});
    s.weights.push_back(s.courant * s.courant * b[static_cast<std::size_t>(m - 1)]);
    s.centre -= 6.0 * s.weights.back();
  }
  s.order = 2;
  s.proof = WallProof::run_fold;
  s.source = "closed form, Fornberg 1988";
  return s;
}

}  // namespace

std::vector<double> leggy_taylor_weights(int M) {
  std::vector<double> b;
  for (int m = 1; m <= M; ++m) {
    double ratio = 1.0;  // (M!)^2 / ((M-m)! (M+m)!)
    for (int i = 1; i <= m; ++i) ratio *= static_cast<double>(M - m + i) / (M + i);
    b.push_back((m % 2 == 1 ? 2.0 : -2.0) * ratio / (m * m));
  }
  return b;
}

double leggy_taylor_courant_limit(int M) {
  double sum = 0.0, power_over_binomial = 1.0;  // 4^j / C(2j, j)
  for (int j = 1; j <= M; ++j) {
    power_over_binomial *= 2.0 * j / (2.0 * j - 1.0);
    sum += 2.0 / (j * j) * power_over_binomial;
  }
  return std::sqrt(4.0 / (3.0 * sum));
}

std::vector<Stencil> leggy_stencils() {
  std::vector<Stencil> all;
  for (int M = 1; M <= largest_M; ++M) all.push_back(leggy_taylor(M));
  return all;
}

}  // namespace fdtd
