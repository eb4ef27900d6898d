#include "engine/responses/response_survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

constexpr double onset_fraction = 0.01;  // -20 dB in energy: ISO 3382-1, 5.3.2
constexpr double edge_drop = 1e-4;       // -40 dB in density: the end of the response's band
constexpr double farthest = 8.0;         // half periods of the bandwidth in which it may ring ahead: -28 dB
constexpr double noise_peaks = 25.0;     // of its mean square: one sample of normal noise in two million is higher
constexpr double above_noise = 2.5;      // of the mean square after an onset over the noise's: 7 deviations

bool may_ring(double rate, double bandwidth) {
  constexpr double oversampled = 0.4;  // bandwidth over rate below which the ringing has samples of its own
  return bandwidth > 0.0 && bandwidth < oversampled * rate;
}

// Whether sample i may be the ringing of a band limit ahead of a later arrival: an ideal low-pass at `bandwidth` gives
// an arrival of height A no more than A / (pi u) at 1/2 u periods of the bandwidth before its peak, and its main lobe
// ends at u = 1.
bool rings_ahead(std::span<const double> ir, std::size_t i, double rate, double bandwidth) {
  constexpr double allowance = 1.2;
  const double per_sample = 2.0 * bandwidth / rate;
  for (auto lag = static_cast<std::size_t>(std::ceil(1.0 / per_sample)); i + lag < ir.size(); ++lag) {
    const double u = per_sample * static_cast<double>(lag);
    if (u > farthest) return false;
    if (std::abs(ir[i]) * std::numbers::pi * u <= allowance * std::abs(ir[i + lag])) return true;
  }
  return false;
}

// Samples after an onset whose mean square tells sound from noise: 2 ms, and fifty independent ones.
std::size_t judged_after(double rate, double bandwidth) {
  const double seconds = bandwidth > 0.0 ? std::max(0.002, 25.0 / bandwidth) : 0.002;
  return static_cast<std::size_t>(std::ceil(seconds * rate));
}

}  // namespace

std::size_t arrival_reach(double rate, double bandwidth) {
  const std::size_t ringing =
      may_ring(rate, bandwidth) ? static_cast<std::size_t>(std::ceil(farthest * rate / (2.0 * bandwidth))) + 1 : 0;
  return std::max(ringing, judged_after(rate, bandwidth));
}

std::optional<std::size_t> first_arrival(std::span<const double> ir, std::size_t from, std::size_t to, double largest,
                                         double rate, double bandwidth, double noise) {
  const bool rings = may_ring(rate, bandwidth), noisy = noise_peaks * noise > onset_fraction * largest;
  // Half of the largest sample is sound, whatever the noise.
  const double least = noisy ? std::min(noise_peaks * noise, 0.25 * largest) : onset_fraction * largest;
  const std::size_t window = judged_after(rate, bandwidth);
  const auto goes_on = [&](std::size_t i) {
    const std::size_t count = std::min(window, ir.size() - i);
    double sum = 0.0;
    for (std::size_t j = i; j < i + count; ++j) sum += ir[j] * ir[j];
    return sum > above_noise * noise * static_cast<double>(count);
  };
  for (std::size_t i = from; i < to; ++i)
    if (ir[i] * ir[i] >= least && !(rings && rings_ahead(ir, i, rate, bandwidth)) && (!noisy || goes_on(i))) return i;
  return std::nullopt;
}

std::uint64_t sample_after(double seconds, double rate, std::uint64_t samples) {
  const double place = std::ceil(std::max(0.0, seconds * rate - 1e-6));
  return std::min(static_cast<std::uint64_t>(std::min(place, 1e18)), samples - 1);
}

void StaticEnd::add(double x, std::uint64_t sample) {
  largest_ = std::max(largest_, std::abs(x));
  if (sample < ahead_block * ahead_blocks) {
    if (sample % ahead_block == 0) ahead_.push_back({});
    ahead_.back()[0] += x;
    ahead_.back()[1] = std::max(ahead_.back()[1], std::abs(x));
  }
  if (sample < samples_ - 2 * tenth_) return;
  const std::size_t part = sample < samples_ - tenth_ ? 0 : 1;
  sums_[part] += x;
  squares_[part] += x * x;
  if (part == 0) return;
  const auto eighth = static_cast<std::size_t>((sample - (samples_ - tenth_)) * eighths_.size() / tenth_);
  eighths_[eighth] += x;
  counts_[eighth] += 1.0;
}

double StaticEnd::mean_ahead() const {
  constexpr std::size_t beside = 2;  // blocks in which the sound may begin already
  std::size_t silent = 0;
  while (silent < ahead_.size() && ahead_[silent][1] * ahead_[silent][1] < onset_fraction * largest_ * largest_)
    ++silent;
  if (silent < beside + 1) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0;
  for (std::size_t i = 0; i + beside < silent; ++i) sum += ahead_[i][0];
  return sum / static_cast<double>((silent - beside) * ahead_block);
}

// Means of eight parts of the end say how sure its mean is: of what oscillates or decays they differ.
double StaticEnd::offset() const {
  constexpr double sure = 6.0, equal = 4.0, close = 0.02, heard = 1e-7;
  if (tenth_ < 10 * eighths_.size()) return 0.0;
  const double before = sums_[0] / static_cast<double>(tenth_), mean = sums_[1] / static_cast<double>(tenth_);
  double spread = 0.0;
  for (std::size_t i = 0; i < eighths_.size(); ++i) spread += std::pow(eighths_[i] / counts_[i] - mean, 2);
  const auto parts = static_cast<double>(eighths_.size());
  const double deviation = std::sqrt(spread / (parts * (parts - 1.0)));  // of the mean
  if (!(std::abs(mean) > std::max(sure * deviation, heard * largest_))) return 0.0;
  if (std::abs(mean - before) > std::max(equal * std::numbers::sqrt2 * deviation, close * std::abs(mean))) return 0.0;
  const double ahead = mean_ahead();
  return std::isnan(ahead) || std::abs(ahead - mean) < 0.5 * std::abs(mean) ? mean : 0.0;
}

bool StaticEnd::found() const {
  constexpr double dominant = 0.5, lasting = 0.95, heard = 1e-4;
  if (tenth_ < 10) return false;
  const auto count = static_cast<double>(tenth_);
  std::array<double, 2> means{};
  for (std::size_t part = 0; part < 2; ++part) {
    means[part] = sums_[part] / count;
    if (!(means[part] * means[part] * count > dominant * squares_[part])) return false;
  }
  return means[0] * means[1] > 0.0 && std::abs(means[1]) >= lasting * std::abs(means[0]) &&
         std::abs(means[1]) > heard * largest_;
}

double find_bandwidth(const std::function<double(double low, double high)>& density, double rate) {
  const double third = std::pow(10.0, 0.1), half = std::sqrt(third);
  std::vector<std::pair<double, double>> thirds;  // upper edge, density
  double densest = 0.0;
  for (double f = 20.0; f * half <= rate / 2.0; f *= third) {
    thirds.emplace_back(f * half, density(f / half, f * half));
    densest = std::max(densest, thirds.back().second);
  }
  for (std::size_t i = thirds.size(); i-- > 0;)
    if (thirds[i].second > edge_drop * densest) return i + 1 == thirds.size() ? rate / 2.0 : thirds[i].first;
  return 0.0;
}

}  // namespace fdtd
