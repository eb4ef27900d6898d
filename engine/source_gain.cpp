#include "engine/source_gain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/quadrature.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double largest_gain = 2.0;  // of one direction: beyond, the group velocity is half what it should be

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
      rays.emplace_back(stencil, Vec3{across * std::cos(angle), across * std::sin(angle), height.x}, height.weight * turn.weight);
    }
  return rays;
}

}  // namespace

std::vector<double> source_gain(const GridStencil& stencil, int samples) {
  auto rays = rays_of_octant(stencil);
  std::vector<double> gain{1.0};
  const double step = pi / (samples - 1);
  for (int i = 1; i < samples; ++i) {
    const double root = 2.0 * std::sin(i * step / 2.0);
    double sum = 0.0;
    bool everywhere = true;
    for (auto& ray : rays) {
      const auto g = ray.gain(root * root);
      if (!(everywhere = g.has_value())) break;
      sum += ray.weight * *g;
    }
    if (!everywhere) break;
    gain.push_back(sum);
  }
  // log g goes on with its slope, which dies away over the width of a sixteenth of the axis.
  const std::size_t last = gain.size() - 1;
  const double log_end = std::log(gain[last]), slope = last > 0 ? log_end - std::log(gain[last - 1]) : 0.0;
  const double decay = (samples - 1) / 16.0;
  while (gain.size() < static_cast<std::size_t>(samples)) {
    const double beyond = static_cast<double>(gain.size() - last);
    gain.push_back(std::exp(log_end + slope * decay * (1.0 - std::exp(-beyond / decay))));
  }
  return gain;
}

}  // namespace fdtd
