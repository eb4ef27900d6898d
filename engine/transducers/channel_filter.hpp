// Filters of the channels of directional sources and receivers.
#pragma once

#include <complex>
#include <vector>

namespace fdtd {

// The radial filter x^n / B_n(x) at x = i `ratio`, over (i `ratio`)^n; the Bessel polynomial is B_n(x) = (2n - 1)
// B_{n-1}(x) + x^2 B_{n-2}(x), B_0 = 1, B_1 = x + 1 (responses/render.hpp).
std::complex<double> radial_integration(int order, double ratio);
// f / cut at which the radial filter of an order is 3 dB down.
double radial_corner(int order);

// A measured source (scenes/balloon.hpp) is a sum of channels, each through a filter of its own: the pressure's harmonic
// of order n at the distance r of the measurement, over the (-i)^n h_n(kr) / h_0(kr) by which its channel, integrated
// without limit, exceeds the far field there. As that is B_n(x) / x^n with x = ikr, the radial filter of the distance r
// divides it out, and the sum is exact at r and beyond (S. Bilbao, J. Ahrens & B. Hamilton, J. Acoust. Soc. Am. 146
// (2019) 2692). Where rounding noise needs a filter of a shorter distance, the order is weaker below its corner.
struct ChannelFilter {
  int source = 0, into = 0;  // the channel, and the one to whose responses its own are added; its own: the sum itself
  double cut = 0.0;          // Hz, c / (2 pi r); not used for n = 0
  std::vector<double> frequencies;  // Hz, above 0, increasing
  std::vector<std::complex<double>> values;
  bool operator==(const ChannelFilter&) const = default;
};

// The filter's value: linear over the logarithm of frequency, held beyond its ends; below the first, the imaginary part
// falls to 0 with frequency, since a response is real.
std::complex<double> filter_value(const ChannelFilter& filter, double hertz);
// To a spectrum at 0, `bin`, 2 `bin`, ... Hz.
void apply(const ChannelFilter& filter, std::vector<std::complex<double>>& spectrum, double bin);

}  // namespace fdtd
