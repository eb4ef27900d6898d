#include "engine/directivity/minimum_phase.hpp"

#include <algorithm>
#include <cmath>

#include "base/math/fourier.hpp"

namespace fdtd {

LogPlace log_place(const std::vector<double>& list, double x) {
  if (!(x > list.front())) return {0, 0.0};
  if (!(x < list.back())) return {list.size() - 1, 0.0};
  const auto next = static_cast<std::size_t>(std::ranges::upper_bound(list, x) - list.begin());
  return {next - 1, std::log(x / list[next - 1]) / std::log(list[next] / list[next - 1])};
}

std::vector<std::complex<double>> minimum_phase(const std::vector<double>& frequencies,
                                                const std::vector<double>& magnitude) {
  constexpr std::int64_t length = std::int64_t{1} << 16;
  constexpr double bin = 52000.0 / static_cast<double>(length);
  std::vector<std::complex<double>> logarithm;
  for (std::int64_t k = 0; k <= length / 2; ++k) {
    const LogPlace at = log_place(frequencies, static_cast<double>(k) * bin);
    const double here = std::log(magnitude[at.before]);
    logarithm.emplace_back(at.part > 0.0 ? here + at.part * (std::log(magnitude[at.before + 1]) - here) : here);
  }
  std::vector<double> cepstrum = inverse_real_fft(logarithm, length);
  for (std::size_t n = 1; n < static_cast<std::size_t>(length); ++n)
    cepstrum[n] *= n < static_cast<std::size_t>(length / 2)    ? 2.0
                   : n == static_cast<std::size_t>(length / 2) ? 1.0
                                                               : 0.0;
  const std::vector<std::complex<double>> whole = real_fft(cepstrum, length);
  std::vector<std::complex<double>> values;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double at = std::min(frequencies[i] / bin, static_cast<double>(length / 2 - 1));
    const auto k = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(k);
    values.push_back(std::polar(magnitude[i], (1.0 - part) * whole[k].imag() + part * whole[k + 1].imag()));
  }
  return values;
}

}  // namespace fdtd
