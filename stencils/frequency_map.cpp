#include "stencils/frequency_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "stencils/stencil.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t samples = 512;  // of the table that inversion starts from

// 1 - sin(z)/z and its derivative. The series where the closed forms cancel.
struct OneLessSinc {
  double value = 0.0, slope = 0.0;
};

OneLessSinc one_less_sinc(double z) {
  if (z > 1.0) {
    const double s = std::sin(z), c = std::cos(z);
    return {1.0 - s / z, (s - z * c) / (z * z)};
  }
  OneLessSinc sum;
  double term = 1.0;  // z^(2j) / (2j + 1)!, with its sign
  for (int j = 1; j <= 9; ++j) {
    term *= -z * z / static_cast<double>(2 * j * (2 * j + 1));
    sum.value -= term;
    sum.slope -= static_cast<double>(2 * j) * term;
  }
  if (z > 0.0) sum.slope /= z;
  return sum;
}

}  // namespace

RadialSymbol::RadialSymbol(std::vector<Shell> shells, std::array<double, 4> correction, double edge)
    : shells_(std::move(shells)), correction_(correction), edge_(edge) {
  bool finite = std::isfinite(edge) && edge > 0.0 && edge <= 2.0 * pi && !shells_.empty();
  for (const double a : correction_) finite = finite && std::isfinite(a);
  for (const Shell& shell : shells_)
    finite = finite && std::isfinite(shell.weight) && shell.radius > 0.0 && shell.radius <= 64.0;
  if (!finite) throw std::invalid_argument("a radial symbol of impossible numbers");
  at_edge_ = within(edge_);
  table_.reserve(samples + 1);
  for (std::size_t i = 0; i <= samples; ++i) {
    const Point here = within(edge_ * static_cast<double>(i) / samples);
    if (i > 0 && !(here.value > table_.back() && here.slope > 0.0))
      throw std::invalid_argument("a radial symbol that does not ascend up to its edge");
    table_.push_back(here.value);
  }
}

RadialSymbol::Point RadialSymbol::within(double kappa) const {
  Point point;
  for (const Shell& shell : shells_) {
    const OneLessSinc part = one_less_sinc(kappa * shell.radius);
    point.value += shell.weight * part.value;
    point.slope += shell.weight * part.slope * shell.radius;
  }
  const double y = (kappa / edge_) * (kappa / edge_);
  double power = y;
  for (std::size_t m = 0; m < correction_.size(); ++m) {
    const auto exponent = static_cast<double>(m + 2);
    point.slope -= correction_[m] * exponent * power * 2.0 * kappa / (edge_ * edge_);
    power *= y;
    point.value -= correction_[m] * power;
  }
  return point;
}

double RadialSymbol::value(double kappa) const {
  return kappa <= edge_ ? within(kappa).value : at_edge_.value + at_edge_.slope * (kappa - edge_);
}

double RadialSymbol::slope(double kappa) const { return kappa <= edge_ ? within(kappa).slope : at_edge_.slope; }

double RadialSymbol::inverse(double value) const {
  if (!(value > 0.0)) return 0.0;
  if (value >= at_edge_.value) return edge_ + (value - at_edge_.value) / at_edge_.slope;
  const auto above = std::upper_bound(table_.begin() + 1, table_.end(), value);
  const auto i = static_cast<double>(above - table_.begin());
  const double low = edge_ * (i - 1.0) / samples, high = edge_ * std::min(i / samples, 1.0);
  // In the first part G is kappa^2 but for its fourth power.
  double kappa = i < 1.5 ? std::sqrt(value) : low + (high - low) * (value - *(above - 1)) / (*above - *(above - 1));
  for (int iteration = 0; iteration < 8; ++iteration) {
    const Point here = within(kappa);
    const double step = (value - here.value) / here.slope;
    kappa = std::clamp(kappa + step, low, high);
    if (std::abs(step) <= 1e-15 * kappa) break;
  }
  return kappa;
}

double RadialSymbol::coefficient(int j) const {
  double sum = 0.0;
  for (const Shell& shell : shells_)
    sum -= shell.weight * (j % 2 == 0 ? 1.0 : -1.0) * std::pow(shell.radius, 2 * j) / std::tgamma(2.0 * j + 2.0);
  if (j >= 2 && j <= 5) sum -= correction_[static_cast<std::size_t>(j - 2)] / std::pow(edge_, 2 * j);
  return j == 0 ? 0.0 : sum;
}

FrequencyMap FrequencyMap::time() {
  FrequencyMap map;
  map.kind_ = Kind::time;
  return map;
}

FrequencyMap FrequencyMap::radial(double courant, std::shared_ptr<const RadialSymbol> symbol) {
  FrequencyMap map;
  map.kind_ = Kind::radial;
  map.courant_ = courant;
  map.symbol_ = std::move(symbol);
  return map;
}

double FrequencyMap::chord_squared(double x) const {
  if (kind_ == Kind::none) {
    const double s = std::sin(0.5 * x);
    return 4.0 * s * s;
  }
  return kind_ == Kind::time ? x * x : courant_ * courant_ * symbol_->value(x / courant_);
}

double FrequencyMap::truth_at_chord_squared(double square) const {
  if (kind_ == Kind::radial) return courant_ * symbol_->inverse(square / (courant_ * courant_));
  const double chord = std::sqrt(square);
  return kind_ == Kind::time ? chord : 2.0 * std::asin(0.5 * chord);
}

double FrequencyMap::grid(double x) const {
  if (kind_ == Kind::none) return x;
  const double half = kind_ == Kind::time ? x / 2.0 : std::sqrt(chord_squared(x)) / 2.0;
  return 2.0 * std::asin(std::min(1.0, half));
}

double FrequencyMap::truth(double w) const {
  if (kind_ == Kind::none) return w;
  const double chord = 2.0 * std::sin(w / 2.0);
  return kind_ == Kind::time ? chord : truth_at_chord_squared(chord * chord);
}

double FrequencyMap::slope(double x) const {
  if (kind_ == Kind::none || x == 0.0) return 1.0;
  if (kind_ == Kind::time) return 1.0 / std::sqrt(1.0 - x * x / 4.0);
  const double square = chord_squared(x);  // d square / dw = 2 sin w = sqrt(square (4 - square))
  return courant_ * symbol_->slope(x / courant_) / std::sqrt(square * (4.0 - square));
}

double FrequencyMap::largest_slope(double x) const {
  if (kind_ != Kind::radial) return slope(x);
  constexpr int parts = 256;
  double largest = 1.0;
  for (int i = 1; i <= parts; ++i) largest = std::max(largest, slope(x * i / parts));
  return largest;
}

double FrequencyMap::limit() const { return kind_ == Kind::none ? pi : truth_at_chord_squared(4.0); }

std::vector<double> FrequencyMap::numbers() const {
  std::vector<double> all;
  if (kind_ != Kind::radial) return all;
  all = {courant_, symbol_->edge()};
  all.insert(all.end(), symbol_->correction().begin(), symbol_->correction().end());
  for (const RadialSymbol::Shell& shell : symbol_->shells()) {
    all.push_back(shell.radius);
    all.push_back(shell.weight);
  }
  return all;
}

std::optional<FrequencyMap> FrequencyMap::from_numbers(std::span<const double> numbers) {
  constexpr std::size_t head = 6, most = 512;
  if (numbers.size() <= head || numbers.size() % 2 != 0 || numbers.size() > most) return std::nullopt;
  if (!(numbers[0] > 0.0 && numbers[0] <= 4.0)) return std::nullopt;
  std::vector<RadialSymbol::Shell> shells;
  for (std::size_t i = head; i < numbers.size(); i += 2) shells.push_back({numbers[i], numbers[i + 1]});
  try {
    return radial(numbers[0],
                  std::make_shared<RadialSymbol>(
                      std::move(shells), std::array{numbers[2], numbers[3], numbers[4], numbers[5]}, numbers[1]));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

FrequencyMap frequency_map(const Stencil& stencil) {
  if (stencil.radial) return FrequencyMap::radial(stencil.courant, stencil.radial);
  return stencil.time_dispersion_removal ? FrequencyMap::time() : FrequencyMap();
}

}  // namespace fdtd
