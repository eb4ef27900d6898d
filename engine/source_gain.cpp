#include "engine/source_gain.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "engine/quadrature.hpp"
#include "engine/signals.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double largest_gain = 2.0;    // of one direction: beyond, the group velocity is half what it should be
constexpr double smallest_gain = 0.25;  // of a channel

// One direction of the octant: k = kappa * per_kappa, radians a cell; followed outward as w grows.
class Ray {
 public:
  Ray(const GridStencil& stencil, const Vec3& direction, double weight_) : weight(weight_), stencil_(stencil) {
    for (std::size_t d = 0; d < 3; ++d) {
      per_kappa_[d] = direction[d] / stencil.courant[d];
      end_ = std::min(end_, pi / std::max(per_kappa_[d], 1e-12));
    }
  }
  // g where K = target (targets ascend); nothing when there is no wave or it is too slow.
  std::optional<double> gain(double target) {
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double missing = target - value(kappa_), rise = slope(kappa_);
      if (rise * largest_gain <= 2.0 * kappa_) return std::nullopt;
      const double step = missing / rise;
      kappa_ += step;
      if (kappa_ > end_ || kappa_ <= 0.0) return std::nullopt;
      if (std::abs(step) <= 1e-9 * kappa_) {  // quadratic: the next error is rounding
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
  double kappa_ = 1e-3;  // small, yet K = kappa^2 has digits
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

// A tap's |W|: a product over the axes.
class TapResponse {
 public:
  TapResponse(const Tap& tap, const Grid& grid) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = tap.position[d] / grid.spacing[d] - 0.5;
      axes_[d] = lagrange(at, tap_points);
      from_[d] = axes_[d].first - at;
    }
  }
  double operator()(const Vec3& k) const {
    double product = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      std::complex<double> sum = 0.0;
      for (std::size_t i = 0; i < axes_[d].weights.size(); ++i)
        sum += std::polar(axes_[d].weights[i], k[d] * (from_[d] + static_cast<double>(i)));
      product *= std::abs(sum);
    }
    return product;
  }

 private:
  std::array<AxisWeights, 3> axes_;
  Vec3 from_{};
};

std::vector<double> responses(const std::vector<TapResponse>& taps, const Vec3& k) {
  std::vector<double> values;
  for (const auto& tap : taps) values.push_back(tap(k));
  return values;
}

// Fills the table up to `samples`: its logarithm goes on with its slope, which dies away over a sixteenth of the axis.
void extend(std::vector<double>& gain, std::size_t samples) {
  const std::size_t last = gain.size() - 1;
  const double log_end = std::log(gain[last]), slope = last > 0 ? log_end - std::log(gain[last - 1]) : 0.0;
  const double decay = static_cast<double>(samples - 1) / 16.0;
  while (gain.size() < samples) {
    const double beyond = static_cast<double>(gain.size() - last);
    gain.push_back(std::exp(log_end + slope * decay * (1.0 - std::exp(-beyond / decay))));
  }
}

// Tables of all pairs of taps.
std::vector<std::vector<double>> tables(const GridStencil& stencil, const std::vector<TapResponse>& sources,
                                        const std::vector<TapResponse>& receivers, int samples) {
  const std::size_t channels = sources.size() * receivers.size();
  auto rays = rays_of_octant(stencil);
  std::vector<std::vector<double>> gain(channels, std::vector<double>{1.0});
  for (int i = 1; i < samples; ++i) {
    const double root = 2.0 * std::sin(pi * i / (samples - 1) / 2.0);
    std::vector<double> squares(channels, 0.0);
    bool everywhere = true;
    for (auto& ray : rays) {
      const auto g = ray.gain(root * root);
      if (!(everywhere = g.has_value())) break;
      const auto from = responses(sources, ray.wave_vector()), to = responses(receivers, ray.wave_vector());
      for (std::size_t c = 0; c < channels; ++c) {
        const double a = *g * from[c / receivers.size()] * to[c % receivers.size()];
        squares[c] += ray.weight * a * a;
      }
    }
    if (!everywhere) break;
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
  const Tap node{"", {0.5, 0.5, 0.5}, {}, {}};
  return tables(stencil, {{node, unit}}, {{node, unit}}, samples)[0];
}

std::vector<std::vector<double>> channel_gain(const Plan& plan, int samples) {
  std::vector<TapResponse> sources, receivers;
  for (const Tap& tap : plan.sources) sources.emplace_back(tap, plan.grid);
  for (const Tap& tap : plan.receivers) receivers.emplace_back(tap, plan.grid);
  return tables(plan.stencil, sources, receivers, samples);
}

}  // namespace fdtd
