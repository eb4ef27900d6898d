#include "engine/responses/response_survey.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

constexpr double onset_share = 0.01;  // -20 dB in energy: ISO 3382-1, 5.3.2
constexpr double edge_drop = 1e-4;    // -40 dB in density: the end of the response's band
constexpr double farthest = 8.0;      // half periods of the bandwidth in which it may ring ahead

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

}  // namespace

std::size_t arrival_reach(double rate, double bandwidth) {
  return may_ring(rate, bandwidth) ? static_cast<std::size_t>(std::ceil(farthest * rate / (2.0 * bandwidth))) + 1 : 0;
}

std::optional<std::size_t> first_arrival(std::span<const double> ir, std::size_t from, std::size_t to, double largest,
                                         double rate, double bandwidth) {
  const bool rings = may_ring(rate, bandwidth);
  for (std::size_t i = from; i < to; ++i)
    if (ir[i] * ir[i] >= onset_share * largest && !(rings && rings_ahead(ir, i, rate, bandwidth))) return i;
  return std::nullopt;
}

std::uint64_t sample_after(double seconds, double rate, std::uint64_t samples) {
  const double place = std::ceil(std::max(0.0, seconds * rate - 1e-6));
  return std::min(static_cast<std::uint64_t>(std::min(place, 1e18)), samples - 1);
}

void StaticEnd::add(double x, std::uint64_t sample) {
  largest_ = std::max(largest_, std::abs(x));
  if (sample < samples_ - 2 * tenth_) return;
  const std::size_t part = sample < samples_ - tenth_ ? 0 : 1;
  sums_[part] += x;
  squares_[part] += x * x;
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
