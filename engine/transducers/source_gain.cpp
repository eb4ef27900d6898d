#include "engine/transducers/source_gain.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "engine/math/quadrature.hpp"
#include "engine/transducers/taps.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double largest_gain = 2.0;    // of one direction; above it the group velocity is below half of the true one
constexpr double smallest_gain = 0.25;  // of a channel

// One direction of the octant: k = kappa * per_kappa, radians per cell; kappa grows with w.
class Ray {
 public:
  Ray(const GridStencil& stencil, const Vec3& direction, double weight_) : weight(weight_), stencil_(stencil) {
    for (std::size_t d = 0; d < 3; ++d) {
      per_kappa_[d] = direction[d] / stencil.courant[d];
      end_ = std::min(end_, pi / std::max(per_kappa_[d], 1e-12));
    }
  }
  // g where K = target (targets ascend); nullopt if no wave propagates or it is too slow.
  std::optional<double> gain(double target) {
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double missing = target - value(kappa_), rise = slope(kappa_);
      if (rise * largest_gain <= 2.0 * kappa_) return std::nullopt;
      const double step = missing / rise;
      kappa_ += step;
      if (kappa_ > end_ || kappa_ <= 0.0) return std::nullopt;
      if (std::abs(step) <= 1e-9 * kappa_) {  // convergence is quadratic: the next error is rounding
        const double g = 2.0 * kappa_ / slope(kappa_);
        return g > 0.0 && g < largest_gain ? std::optional(g) : std::nullopt;
      }
    }
    return std::nullopt;
  }
  Vec3 wave_vector() const { return at(kappa_); }  // of the last gain, radians a cell
  double weight;

 private:
  Vec3 at(double kappa) const { return {kappa * per_kappa_[0], kappa * per_kappa_[1], kappa * per_kappa_[2]}; }
  double value(double kappa) const { return 2.0 - symbol(stencil_, at(kappa)); }
  double slope(double kappa) const {
    const Vec3 gradient = symbol_gradient(stencil_, at(kappa));
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) sum -= gradient[d] * per_kappa_[d];
    return sum;
  }
  const GridStencil& stencil_;
  Vec3 per_kappa_{};
  double end_ = 1e300;
  double kappa_ = 1e-3;  // small, but not so small that K = kappa^2 loses its digits
};

std::vector<Ray> rays_of_octant(const GridStencil& stencil) {
  std::vector<Ray> rays;
  const auto nodes = gauss_legendre(8);
  for (const auto& height : nodes)
    for (const auto& turn : nodes) {
      const double across = std::sqrt(1.0 - height.x * height.x), angle = pi / 2.0 * turn.x;
      rays.emplace_back(stencil, Vec3{across * std::cos(angle), across * std::sin(angle), height.x},
                        height.weight * turn.weight);
    }
  return rays;
}

// The four mirror images of an octant's wave vector that differ by more than its sign.
constexpr std::array<std::array<double, 3>, 4> mirrors = {
    {{1.0, 1.0, 1.0}, {-1.0, 1.0, 1.0}, {1.0, -1.0, 1.0}, {1.0, 1.0, -1.0}}};
using Mirrored = std::array<double, 4>;

// A tap's |W|^2 at the mirror images of a wave vector: a product over the axes, or a sum of such for an operation.
class TapResponse {
 public:
  TapResponse(const Tap& tap, const Grid& grid) : operation_(tap.operation), spacing_(grid.spacing) {
    const int points = points_of(operation_);
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = tap.position[d] / grid.spacing[d] - 0.5;
      axes_[d].push_back(lagrange(at, points));
      for (int order = 1; order <= degree(operation_); ++order)
        axes_[d].push_back(lagrange_derivative(at, points, order));
      from_[d] = axes_[d][0].first - at;
    }
  }
  int order() const { return degree(operation_); }
  Mirrored operator()(const Vec3& k) const {
    std::array<std::vector<std::complex<double>>, 3> along;
    for (std::size_t d = 0; d < 3; ++d)
      for (const AxisWeights& axis : axes_[d]) along[d].push_back(sum(axis, from_[d], k[d]));
    if (operation_.empty()) {
      const double square = std::norm(along[0][0] * along[1][0] * along[2][0]);
      return {square, square, square, square};
    }
    Mirrored squares{};
    for (std::size_t m = 0; m < mirrors.size(); ++m) {
      std::complex<double> total = 0.0;
      for (const DerivativeTerm& term : operation_) {
        std::complex<double> product = term.coefficient;
        for (std::size_t d = 0; d < 3; ++d) {
          const auto power = static_cast<std::size_t>(term.powers[d]);
          const std::complex<double> one = along[d][power] / std::pow(spacing_[d], term.powers[d]);
          product *= mirrors[m][d] < 0.0 ? std::conj(one) : one;
        }
        total += product;
      }
      squares[m] = std::norm(total);
    }
    return squares;
  }
  // The exact value for waves of wave number `number` (1/m): |P(direction) number^n|^2.
  Mirrored ideal(const Vec3& k, double number) const {
    Vec3 direction = {k[0] / spacing_[0], k[1] / spacing_[1], k[2] / spacing_[2]};
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    Mirrored squares{};
    for (std::size_t m = 0; m < mirrors.size(); ++m) {
      Vec3 s{};
      for (std::size_t d = 0; d < 3; ++d) s[d] = mirrors[m][d] * direction[d] / length;
      squares[m] = std::pow(value(operation_, s) * std::pow(number, order()), 2);
    }
    return squares;
  }

 private:
  static std::complex<double> sum(const AxisWeights& axis, double from, double k) {
    std::complex<double> total = 0.0;
    for (std::size_t i = 0; i < axis.weights.size(); ++i)
      total += std::polar(1.0, k * (from + static_cast<double>(i))) * axis.weights[i];
    return total;
  }
  FieldOperator operation_;
  std::array<double, 3> spacing_;
  std::array<std::vector<AxisWeights>, 3> axes_;  // by order of the derivative
  Vec3 from_{};
};

double mean_product(const Mirrored& a, const Mirrored& b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]) / 4.0;
}

std::vector<Mirrored> responses(const std::vector<TapResponse>& taps, const Vec3& k) {
  std::vector<Mirrored> values;
  for (const auto& tap : taps) values.push_back(tap(k));
  return values;
}

std::vector<Mirrored> ideals(const std::vector<TapResponse>& taps, const Vec3& k, double number) {
  std::vector<Mirrored> values;
  for (const auto& tap : taps) values.push_back(tap.ideal(k, number));
  return values;
}

// Extends the table to `samples`: its logarithm continues with its last slope, which decays over a sixteenth of the
// axis.
void extend(std::vector<double>& gain, std::size_t samples) {
  const std::size_t last = gain.size() - 1;
  const double log_end = std::log(gain[last]), slope = last > 0 ? log_end - std::log(gain[last - 1]) : 0.0;
  const double decay = static_cast<double>(samples - 1) / 16.0;
  while (gain.size() < samples) {
    const double beyond = static_cast<double>(gain.size() - last);
    gain.push_back(std::exp(log_end + slope * decay * (1.0 - std::exp(-beyond / decay))));
  }
}

// True wave number in 1/m at the numerical frequency w.
struct WaveNumber {
  double metres_a_step = 0.0;  // c T
  bool removal = false;
  double operator()(double w) const { return (removal ? 2.0 * std::sin(w / 2.0) : w) / metres_a_step; }
};

// Tables of all pairs of taps.
std::vector<std::vector<double>> tables(const GridStencil& stencil, const std::vector<TapResponse>& sources,
                                        const std::vector<TapResponse>& receivers, const WaveNumber& number,
                                        int samples) {
  const std::size_t channels = sources.size() * receivers.size();
  auto rays = rays_of_octant(stencil);
  std::vector<std::vector<double>> gain(channels, std::vector<double>{1.0});
  for (int i = 1; i < samples; ++i) {
    const double w = pi * i / (samples - 1), root = 2.0 * std::sin(w / 2.0);
    std::vector<double> squares(channels, 0.0), wanted(channels, 0.0);
    bool everywhere = true;
    for (auto& ray : rays) {
      const auto g = ray.gain(root * root);
      if (!(everywhere = g.has_value())) break;
      const Vec3 k = ray.wave_vector();
      const auto from = responses(sources, k), to = responses(receivers, k);
      const auto from_ideal = ideals(sources, k, number(w)), to_ideal = ideals(receivers, k, number(w));
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t s = c / receivers.size(), r = c % receivers.size();
        squares[c] += ray.weight * *g * *g * mean_product(from[s], to[r]);
        wanted[c] += ray.weight * mean_product(from_ideal[s], to_ideal[r]);
      }
    }
    if (!everywhere) break;
    for (std::size_t c = 0; c < channels; ++c) squares[c] = wanted[c] > 0.0 ? squares[c] / wanted[c] : 1.0;
    for (std::size_t c = 0; c < channels; ++c) gain[c].push_back(std::sqrt(squares[c]));
  }
  for (auto& table : gain) {
    extend(table, static_cast<std::size_t>(samples));
    for (double& g : table) g = std::max(g, smallest_gain);
  }
  return gain;
}

}  // namespace

std::vector<double> source_gain(const GridStencil& stencil, int samples) {
  const Grid unit{{}, {1.0, 1.0, 1.0}, 0.0, 0.0};
  const Tap node{"", {0.5, 0.5, 0.5}, {}, {}, {}};
  return tables(stencil, {{node, unit}}, {{node, unit}}, {1.0, false}, samples)[0];
}

std::vector<std::vector<double>> channel_gain(const Plan& plan, int samples) {
  std::vector<TapResponse> sources, receivers;
  for (const Tap& tap : plan.sources) sources.emplace_back(tap, plan.grid);
  for (const Tap& tap : plan.receivers) receivers.emplace_back(tap, plan.grid);
  const WaveNumber number{plan.grid.sound_speed * plan.grid.time_step, plan.time_dispersion_removal};
  return tables(plan.stencil, sources, receivers, number, samples);
}

}  // namespace fdtd
