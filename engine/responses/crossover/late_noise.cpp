#include "engine/responses/crossover/late_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/math/fourier.hpp"
#include "base/math/philox.hpp"
#include "engine/responses/crossover/octave_bank.hpp"

namespace fdtd {
namespace {

using Direction = std::array<double, 3>;

double dot(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The random numbers of a pair. Those of other parts of the program have other keys.
class PairNumbers {
 public:
  explicit PairNumbers(const LateSettings& settings) {
    constexpr std::uint64_t late = 0x6c617465;
    const PhiloxKey of_source = philox_key(settings.seed, settings.source);
    key_ = philox_key(std::uint64_t{of_source[0]} << 32 | of_source[1], late << 32 ^ settings.receiver);
  }
  PhiloxCounter arrival(std::uint32_t tick) const { return philox({tick, 0, 0, 0}, key_); }
  PhiloxCounter direction(std::uint32_t tick, std::uint32_t attempt) const {
    return philox({tick, attempt, 0, 1}, key_);
  }

 private:
  PhiloxKey key_{};
};

// Directions that are uniform in the cells.
class Cells {
 public:
  explicit Cells(std::span<const Direction> middles) : middles_(middles) {
    if (middles.empty()) return;
    // A cap about a middle that holds its cell: no direction is further from the nearest of all middles than this, by
    // directions on a lattice, each of which stands for its surroundings.
    constexpr int steps = 60;
    double farthest = 1.0;
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; j < 2 * steps; ++j) {
        const double polar = std::numbers::pi * i / steps, azimuth = std::numbers::pi * j / steps;
        const Direction at = {std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                              std::cos(polar)};
        farthest = std::min(farthest, dot(at, middles[nearest(at)]));
      }
    const double angle = std::acos(std::clamp(farthest, -1.0, 1.0)) + std::numbers::pi / steps;
    cosine_ =
        std::max(-1.0, std::floor(64.0 * std::cos(std::min(angle, std::numbers::pi))) / 64.0);  // no rounding of cos
  }
  Direction draw(const PairNumbers& numbers, std::uint32_t tick, std::uint32_t cell) const {
    const Direction& z = middles_[cell];
    const int least = std::abs(z[0]) <= std::abs(z[1]) ? (std::abs(z[0]) <= std::abs(z[2]) ? 0 : 2)
                                                       : (std::abs(z[1]) <= std::abs(z[2]) ? 1 : 2);
    Direction x{};
    x[static_cast<std::size_t>(least)] = 1.0;
    const double along = dot(x, z);
    for (std::size_t i = 0; i < 3; ++i) x[i] -= along * z[i];
    const double length = std::sqrt(dot(x, x));
    for (double& value : x) value /= length;
    const Direction y = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
    constexpr std::uint32_t most_attempts = 1000;  // of which nearly half succeed
    for (std::uint32_t attempt = 0; attempt < most_attempts; ++attempt) {
      const PhiloxCounter words = numbers.direction(tick, attempt);
      const double a = 2.0 * uniform(words[0]) - 1.0, b = 2.0 * uniform(words[1]) - 1.0, squared = a * a + b * b;
      if (squared > 1.0 || squared == 0.0) continue;
      const double height = 1.0 - (1.0 - cosine_) * uniform(words[2]);
      const double radius = std::sqrt(std::max(0.0, (1.0 - height * height) / squared));
      Direction towards{};
      for (std::size_t i = 0; i < 3; ++i) towards[i] = height * z[i] + radius * (a * x[i] + b * y[i]);
      if (nearest(towards) == cell) return towards;
    }
    return z;
  }

 private:
  std::size_t nearest(const Direction& at) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < middles_.size(); ++i)
      if (dot(at, middles_[i]) > dot(at, middles_[best])) best = i;
    return best;
  }
  std::span<const Direction> middles_;
  double cosine_ = -1.0;  // of the cap
};

void require_valid(const LateEnergies& energies, const LateSettings& settings) {
  const std::size_t cells = std::max<std::size_t>(energies.directions.size(), 1);
  if (energies.energy.size() != energies.octaves * energies.bins * cells)
    throw std::invalid_argument("LateArrivals: energies are octaves x bins x directions");
  if (!(settings.volume > 0.0) || !(settings.sound_speed > 0.0) || !(energies.bin > 0.0) || !(settings.start >= 0.0))
    throw std::invalid_argument("LateArrivals: volume, sound speed and bin are above 0, the start is at least 0");
  if (static_cast<double>(energies.bins) * energies.bin > 4e9 * late_tick)
    throw std::invalid_argument("LateArrivals: at most 40 000 s");
}

}  // namespace

LateArrivals::LateArrivals(const LateEnergies& energies, const LateSettings& settings)
    : octaves_(energies.octaves), bins_(energies.bins), cells_(std::max<std::size_t>(energies.directions.size(), 1)) {
  require_valid(energies, settings);
  const double end = static_cast<double>(bins_) * energies.bin;
  roots_.assign(energies.energy.size(), 0.0);
  if (settings.start >= end) return;
  // The first bin lasts from the start to its end: half of a bin to one and a half, so that its density is none of
  // chance.
  const auto first = std::min(static_cast<std::size_t>(settings.start / energies.bin + 0.5), bins_ - 1);
  std::vector<double> seconds(bins_, energies.bin);
  seconds[first] = static_cast<double>(first + 1) * energies.bin - settings.start;
  set_roots(energies, seconds, first);

  const PairNumbers numbers(settings);
  const Cells cells(energies.directions);
  const double c = settings.sound_speed, growth = 4.0 * std::numbers::pi * c * c * c / settings.volume;
  const auto last = static_cast<std::uint32_t>(end / late_tick);
  for (auto tick = static_cast<std::uint32_t>(settings.start / late_tick); tick <= last; ++tick) {
    const PhiloxCounter words = numbers.arrival(tick);
    LateArrival arrival;
    arrival.time = (static_cast<double>(tick) + uniform(words[0])) * late_tick;
    const double density = std::clamp(growth * arrival.time * arrival.time, least_density, largest_density);
    if (uniform(words[1]) >= density * late_tick || arrival.time < settings.start || arrival.time >= end) continue;
    arrival.bin =
        static_cast<std::uint32_t>(std::clamp(static_cast<std::size_t>(arrival.time / energies.bin), first, bins_ - 1));
    arrival.weight = ((words[2] & 1u) != 0 ? 1.0 : -1.0) / std::sqrt(density);
    if (!energies.directions.empty()) {
      const auto shares = std::span(shares_).subspan(arrival.bin * cells_, cells_);
      const auto at = std::upper_bound(shares.begin(), shares.end(), uniform(words[3]) * shares.back());
      if (at == shares.end()) continue;  // no energy
      arrival.cell = static_cast<std::uint32_t>(at - shares.begin());
      arrival.towards = cells.draw(numbers, tick, arrival.cell);
    }
    arrivals_.push_back(arrival);
  }
}

// A direction is drawn once for all octaves: with the mean over the octaves of its share of their energies. The
// amplitude makes up for an octave's own share.
void LateArrivals::set_roots(const LateEnergies& energies, const std::vector<double>& seconds, std::size_t first) {
  for (std::size_t b = 0; b < octaves_; ++b)
    for (std::size_t i = 0; i < bins_; ++i)
      for (std::size_t d = 0; d < cells_; ++d)
        roots_[(b * bins_ + std::max(i, first)) * cells_ + d] += energies.energy[(b * bins_ + i) * cells_ + d];
  if (cells_ > 1) shares_.assign(bins_ * cells_, 0.0);
  for (std::size_t i = first; i < bins_; ++i) {
    std::vector<double> share(cells_, cells_ > 1 ? 0.0 : 1.0);
    for (std::size_t b = 0; b < octaves_ && cells_ > 1; ++b) {
      const auto of = std::span(roots_).subspan((b * bins_ + i) * cells_, cells_);
      double sum = 0.0;
      for (const double e : of) sum += e;
      for (std::size_t d = 0; d < cells_ && sum > 0.0; ++d) share[d] += of[d] / sum;
    }
    double all = 0.0;
    for (const double s : share) all += s;
    double before = 0.0;
    for (std::size_t d = 0; d < cells_ && cells_ > 1; ++d) shares_[i * cells_ + d] = before += share[d];
    for (std::size_t b = 0; b < octaves_; ++b)
      for (std::size_t d = 0; d < cells_; ++d) {
        double& root = roots_[(b * bins_ + i) * cells_ + d];
        root = share[d] > 0.0 ? std::sqrt(root * all / (share[d] * seconds[i])) : 0.0;
      }
  }
}

std::vector<std::complex<double>> late_spectrum(const LateArrivals& arrivals, std::span<const double> centres,
                                                double rate, std::int64_t length, std::span<const double> gains) {
  if (centres.size() != arrivals.octaves()) throw std::invalid_argument("late_spectrum: a centre for each octave");
  if (!gains.empty() && gains.size() != arrivals.all().size())
    throw std::invalid_argument("late_spectrum: a gain for each arrival, or none");
  const auto n = static_cast<std::size_t>(length);
  std::vector<std::complex<double>> sum(n / 2 + 1);
  const std::vector<BankOctave> bank = bank_on_bins(centres, rate, n);
  std::vector<double> samples(n);
  for (std::size_t b = 0; b < centres.size(); ++b) {
    std::fill(samples.begin(), samples.end(), 0.0);
    for (std::size_t i = 0; i < arrivals.all().size(); ++i) {
      const LateArrival& arrival = arrivals.all()[i];
      const auto place = static_cast<std::size_t>(std::floor(arrival.time * rate + 0.5));
      if (place >= n) break;
      samples[place] += arrivals.amplitude(arrival, b) * (gains.empty() ? 1.0 : gains[i]);
    }
    const auto spectrum = real_fft(samples, length);
    const BankOctave& octave = bank[b];
    for (std::size_t k = 0; k < octave.amplitudes.size(); ++k)
      sum[octave.first + k] += octave.amplitudes[k] * spectrum[octave.first + k];
  }
  return sum;
}

}  // namespace fdtd
