#include "engine/responses/render_filter.hpp"

#include <cmath>
#include <numbers>

#include "base/math/quadrature.hpp"
#include "engine/plan/record_tail.hpp"

namespace fdtd {

double LowPass::reach() const { return low_pass_beta / (std::numbers::pi * (stop - pass)); }

double LowPass::response(double hertz) const {
  if (hertz <= pass) return 1.0;
  if (hertz >= stop) return 0.0;
  static const auto nodes = gauss_legendre(20);
  // Integral of the bell I0(low_pass_beta sqrt(1 - u^2)) from its middle to u.
  const auto integral = [](double u) {
    double sum = 0.0;
    for (const auto& node : nodes)
      sum += node.weight * bessel_i0(low_pass_beta * std::sqrt(1.0 - u * u * node.x * node.x));
    return u * sum;
  };
  static const double half = integral(1.0);
  const double u = (2.0 * hertz - pass - stop) / (stop - pass);
  return 0.5 - 0.5 * integral(u) / half;
}

IntegrateAndCut::IntegrateAndCut(double cut, double rate) : sum_alone_(cut <= 0.0) {
  const double k = std::tan(std::numbers::pi * cut / rate);
  for (int i = 0; i < 2; ++i) {
    // Poles of the analogue prototype at angles pi/8 and 3 pi/8 from the negative real axis: 1/Q = 2 cos.
    const double inverse_q = 2.0 * std::cos(std::numbers::pi * (1 + 2 * i) / 8.0);
    const double a0 = 1.0 + k * inverse_q + k * k;
    const double a1 = 2.0 * (k * k - 1.0) / a0, a2 = (1.0 - k * inverse_q + k * k) / a0;
    // (1 - z^-1)^2 / (...); in the first section the sum cancels one zero.
    sections_[static_cast<std::size_t>(i)] =
        i == 0 ? Section{1.0 / a0, -1.0 / a0, 0.0, a1, a2} : Section{1.0 / a0, -2.0 / a0, 1.0 / a0, a1, a2};
  }
}

void integrate_and_cut(std::span<double> signal, double cut, double rate) {
  IntegrateAndCut filter(cut, rate);
  for (double& x : signal) x = filter(x);
}

}  // namespace fdtd
