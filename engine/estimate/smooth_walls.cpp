#include "engine/estimate/smooth_walls.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <vector>

#include "base/math/quotient.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

struct SineAndCosine {
  Complex sine, cosine;
};

// Both from the same real functions, which take most of the time of a search.
SineAndCosine sine_and_cosine(Complex z) {
  const double s = std::sin(z.real()), c = std::cos(z.real()), ch = std::cosh(z.imag()), sh = std::sinh(z.imag());
  return {{ch * s, sh * c}, {ch * c, -sh * s}};
}

// The wave number with `half_waves` half waves between rigid walls; walls grow from rigid ones, so that each root is that
// of its own number.
Complex wave_number(int half_waves, double length, Complex a_0, Complex a_L) {
  Complex k = half_waves * pi / length;
  if (std::abs(a_0 + a_L) == 0.0) return k;
  constexpr int growing = 16, most = 60;
  for (int i = 1; i <= most; ++i) {
    const double part = std::min(1.0, static_cast<double>(i) / growing);
    const Complex p = part * part * a_0 * a_L, s = part * (a_0 + a_L);
    if (i == 1 && half_waves == 0) k = std::sqrt(s / length);
    Complex step;
    for (int newton = 0; newton < 3; ++newton) {
      const auto [sine, cosine] = sine_and_cosine(k * length);
      const Complex value = (k * k - p) * sine - k * s * cosine;
      const Complex slope = 2.0 * k * sine + (k * k - p) * length * cosine - s * cosine + k * s * length * sine;
      step = quotient(value, slope);
      k -= step;
    }
    if (part >= 1.0 && std::abs(step) < 1e-10 * std::abs(k)) break;
  }
  return k;
}

// Some consecutive numbers of half waves, for which one stands.
struct HalfWaves {
  double number = 0.0, count = 1.0;
};

// Each of the first, then steps that grow with the number.
std::vector<HalfWaves> half_waves_up_to(double most) {
  constexpr int single = 20;
  constexpr double growth = 0.07;
  std::vector<HalfWaves> all;
  for (int n = 0; n <= static_cast<int>(most);) {
    const int count = n < single ? 1 : static_cast<int>(growth * n) | 1;  // odd: its middle is one of them
    all.push_back({n + 0.5 * (count - 1), static_cast<double>(count)});
    n += count;
  }
  return all;
}

struct AxisMode {
  double frequency = 0.0;  // Hz, between rigid walls, of this axis alone
  double rate = 0.0;       // 1/s, the part of these two walls
  double count = 1.0;
};

// Along an axis of length `length` between walls of the admittances y_0 and y_L.
std::vector<AxisMode> modes_of_axis(double length, Complex y_0, Complex y_L, double speed, double frequency,
                                    double highest) {
  const double omega = 2.0 * pi * frequency;
  const Complex a_0 = Complex(0.0, omega / speed) * y_0, a_L = Complex(0.0, omega / speed) * y_L;
  std::vector<AxisMode> modes;
  for (const HalfWaves& one : half_waves_up_to(2.0 * highest * length / speed)) {
    const Complex k = wave_number(static_cast<int>(one.number), length, a_0, a_L);
    const double rate = speed * speed * (k * k).imag() / omega;
    modes.push_back({0.5 * speed * one.number / length, std::max(rate, 0.0), one.count});
  }
  return modes;
}

// Of the filter that figures of merit are taken with (octave_filter.hpp).
double octave_power(double centre, double frequency) {
  const double x = std::numbers::sqrt2 * (frequency / centre - centre / frequency), cubed = x * x * x;
  return 1.0 / (1.0 + cubed * cubed);
}

}  // namespace

ModalDecay smooth_decay(const SmoothBox& box, double sound_speed, double attenuation, double centre) {
  constexpr int parts = 12;      // rates follow from the frequency in the middle of each
  constexpr double reach = 1.5;  // octaves on either side of the centre: the filter is 30 dB down
  constexpr double step = 0.03;  // of rates
  const double air = sound_speed * attenuation;
  std::map<int, std::pair<double, double>> gathered;  // energy, and rate times energy
  double total = 0.0;
  for (int part = 0; part < parts; ++part) {
    const double low = centre * std::exp2(2.0 * reach * part / parts - reach);
    const double high = low * std::exp2(2.0 * reach / parts), middle = std::sqrt(low * high);
    std::array<std::vector<AxisMode>, 3> axes;
    const auto y = box.admittance(middle);
    for (std::size_t d = 0; d < 3; ++d)
      axes[d] = modes_of_axis(box.sides[d], y[2 * d], y[2 * d + 1], sound_speed, middle, high);
    for (const AxisMode& along_x : axes[0])
      for (const AxisMode& along_y : axes[1]) {
        const double squared = along_x.frequency * along_x.frequency + along_y.frequency * along_y.frequency;
        if (squared >= high * high) break;
        const double from = std::sqrt(std::max(0.0, low * low - squared));
        for (auto along_z = std::ranges::lower_bound(axes[2], from, {}, &AxisMode::frequency); along_z != axes[2].end();
             ++along_z) {
          const double frequency = std::sqrt(squared + along_z->frequency * along_z->frequency);
          if (frequency >= high) break;
          if (!(frequency > 0.0)) continue;
          const double rate = along_x.rate + along_y.rate + along_z->rate + air;
          if (!(rate > 0.0)) return {};
          // A source of a flat spectrum excites a mode in proportion to 1/frequency.
          const double power = along_x.count * along_y.count * along_z->count * octave_power(centre, frequency) /
                               (frequency * frequency);
          auto& [energy, times] = gathered[static_cast<int>(std::floor(std::log(rate) / step))];
          energy += power / rate;
          times += power;
          total += power / rate;
        }
      }
  }
  ModalDecay decay;
  for (const auto& [key, one] : gathered) {
    decay.rates.push_back(one.second / one.first);
    decay.amplitudes.push_back(one.first / total);
  }
  return decay;
}

}  // namespace fdtd
