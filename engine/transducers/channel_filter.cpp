#include "engine/transducers/channel_filter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd {

using Complex = std::complex<double>;

Complex radial_integration(int order, double ratio) {
  const Complex x(0.0, ratio);
  Complex before = 1.0, here = order > 0 ? x + 1.0 : Complex(1.0);
  for (int n = 2; n <= order; ++n) before = std::exchange(here, static_cast<double>(2 * n - 1) * here + x * x * before);
  return 1.0 / here;
}

double radial_corner(int order) {
  double low = 0.1, high = 20.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (std::norm(radial_integration(order, middle)) * std::pow(middle, 2 * order) < 0.5 ? low : high) = middle;
  }
  return low;
}

Complex filter_value(const ChannelFilter& filter, double hertz) {
  const std::vector<double>& f = filter.frequencies;
  if (!(hertz > f.front())) return {filter.values.front().real(), filter.values.front().imag() * hertz / f.front()};
  if (!(hertz < f.back())) return filter.values.back();
  const auto next = static_cast<std::size_t>(std::ranges::upper_bound(f, hertz) - f.begin());
  const double part = std::log(hertz / f[next - 1]) / std::log(f[next] / f[next - 1]);
  return (1.0 - part) * filter.values[next - 1] + part * filter.values[next];
}

void apply(const ChannelFilter& filter, std::vector<Complex>& spectrum, double bin) {
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= filter_value(filter, static_cast<double>(k) * bin);
}

}  // namespace fdtd
