#include "engine/estimate/figures.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace fdtd {
namespace {

constexpr double sixty = 6.0 * std::numbers::ln10;  // 60 dB in nepers of energy
constexpr double lowest = -45.0;  // dB: a slope that rises above the others only below this level is not heard
constexpr double slower = 1.2;    // two slopes differ at least by this factor

double energy(const ModalDecay& decay, double t) {
  double sum = 0.0;
  for (std::size_t i = 0; i < decay.rates.size(); ++i) sum += decay.amplitudes[i] * std::exp(-decay.rates[i] * t);
  return sum;
}

// The line through the level between `from` and `to` dB; nothing where it is not there.
std::optional<double> line(const ModalDecay& decay, double start, double from, double to) {
  const auto level = [&](double t) {
    const double now = energy(decay, t);
    return now > 0.0 ? 10.0 * std::log10(now / start) : -1e9;
  };
  const auto time_of = [&](double wanted) {
    double low = 0.0, high = 1.0 / decay.rates.front();
    while (level(high) > wanted) high *= 2.0;
    for (int i = 0; i < 60; ++i) (level(0.5 * (low + high)) > wanted ? low : high) = 0.5 * (low + high);
    return 0.5 * (low + high);
  };
  if (level(0.0) < to) return std::nullopt;
  const double begin = level(0.0) <= from ? 0.0 : time_of(from), end = time_of(to);
  constexpr int count = 200;
  double st = 0.0, sl = 0.0, stt = 0.0, stl = 0.0;
  for (int i = 0; i <= count; ++i) {
    const double t = begin + (end - begin) * i / count, l = level(t);
    st += t, sl += l, stt += t * t, stl += t * l;
  }
  const double n = count + 1, slope = (n * stl - st * sl) / (n * stt - st * st);
  return slope < 0.0 ? std::optional(-60.0 / slope) : std::nullopt;
}

}  // namespace

DecayFigures decay_figures(const ModalDecay& decay, double direct) {
  DecayFigures figures;
  const double start = energy(decay, 0.0) + direct;
  if (!(start > 0.0) || decay.rates.empty() || !(decay.amplitudes.front() > 0.0)) return figures;
  figures.EDT = line(decay, start, 0.0, -10.0);
  figures.T20 = line(decay, start, -5.0, -25.0);
  figures.T30 = line(decay, start, -5.0, -35.0);
  // The slowest mode; then the next slower than all that remains, where it stands above the slowest at first.
  const double slowest = decay.rates.front();
  figures.slopes.push_back({sixty / slowest, 10.0 * std::log10(decay.amplitudes.front() / start)});
  double rest = 0.0;
  for (std::size_t i = 1; i < decay.rates.size(); ++i)
    if (decay.amplitudes[i] > 0.0) rest += decay.amplitudes[i];
  for (std::size_t i = 1; i < decay.rates.size(); ++i)
    if (decay.amplitudes[i] > decay.amplitudes.front() && decay.amplitudes[i] > 0.5 * rest &&
        decay.rates[i] > slower * slowest && figures.slopes.front().level > lowest) {
      figures.slopes.push_back({sixty / decay.rates[i], 10.0 * std::log10(decay.amplitudes[i] / start)});
      break;
    }
  return figures;
}

}  // namespace fdtd
