#include "engine/above/emitted_octaves.hpp"

#include "engine/above/late_sound.hpp"

#include <utility>

namespace fdtd {

EmittedOctaves::EmittedOctaves(const AbovePlace::Output& source, double lowest) : source_(source) {
  if (source.balloon) balloon_.emplace(*source.balloon, lowest);
}

void EmittedOctaves::operator()(const std::array<double, 3>& direction, std::span<double> values) const {
  if (balloon_)
    (*balloon_)(direction, values);
  else
    values[0] = pattern_value(source_.pattern, direction);
}

std::vector<std::complex<double>> EmittedOctaves::sum(std::vector<std::vector<std::complex<double>>> spectra,
                                                      const SpectrumBins& bins) const {
  if (!balloon_) return std::move(spectra.front());
  std::vector<std::complex<double>> all(spectra.front().size());
  for (std::size_t k = 1; k < all.size(); ++k) {  // a response has no part at 0 Hz
    const double hertz = static_cast<double>(k) * bins.rate / static_cast<double>(bins.length);
    for (std::size_t o = 0; o < spectra.size(); ++o) all[k] += balloon_->share(o, hertz) * spectra[o][k];
  }
  return all;
}

RayEmission ray_emission(const AbovePlace::Output& output, std::vector<double> centres, double lowest) {
  if (output.balloon) {
    const auto amplitudes = std::make_shared<const BalloonAmplitudes>(*output.balloon, lowest);
    return [amplitudes, list = std::move(centres)](const Point& direction, std::size_t octave) {
      return amplitudes->at(direction, list[octave]);
    };
  }
  if (output.pattern.empty()) return {};
  return [&output](const Point& direction, std::size_t) { return pattern_value(output.pattern, direction); };
}

}  // namespace fdtd
