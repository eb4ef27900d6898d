// Phase velocity by direction: how far out, in frequency or in wavenumber, a stencil keeps to a tolerance.
//
// All is computed from kappa2 = 2 - s = 4 sin^2(w/2), summed as small positive differences (1 - cos), so that nothing is
// lost to cancellation at long wavelengths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Directions are (i, j, l) / fan with max(i, j, l) = fan, radii t = n pi / radii along the greatest component: every
// component of every wave vector scanned is then a multiple of pi / (fan * radii), and cosines come from one table.
constexpr int fan = 20;
constexpr int radii = 200;

// Minimax weights graze the tolerance they were designed for, and between the samples of their linear programme they pass
// it by up to this much. Without the allowance a 1 % design would end at its first ripple.
double with_slack(double tolerance) { return tolerance + std::min(1e-4, 0.05 * tolerance); }

double versine(double x) {  // 1 - cos x
  const double s = std::sin(0.5 * x);
  return 2.0 * s * s;
}

// Sum of all weights less 2, the symbol's excess at k = 0. What is left of rounding in double is none: it would swamp
// the error of long waves.
double excess(const GridStencil& stencil) {
  double sum = stencil.centre - 2.0;
  for (const Term& term : stencil.terms) sum += image_count(term) * term.weight;
  return std::abs(sum) < 1e-14 ? 0.0 : sum;
}

double kappa2(const GridStencil& stencil, const Vec3& k) {
  double deficit = 0.0;
  for (const Term& term : stencil.terms) {
    const double weight = image_count(term) * term.weight;
    const double a = versine(term.offset[0] * k[0]), b = versine(term.offset[1] * k[1]),
                 c = versine(term.offset[2] * k[2]);
    deficit += weight * (a + b * (1.0 - a) + c * (1.0 - a) * (1.0 - b));  // 1 - cos cos cos
  }
  return deficit - excess(stencil);
}

// omega T of the wave with that kappa2; NaN when it is none: S beyond [-2, 2] by more than rounding.
double omega_of(double kappa2) {
  constexpr double rounding = 1e-9;
  if (!(kappa2 >= -rounding && kappa2 <= 4.0 + rounding)) return std::numeric_limits<double>::quiet_NaN();
  return 2.0 * std::asin(0.5 * std::sqrt(std::clamp(kappa2, 0.0, 4.0)));
}

// |lambda k|, the omega T of the exact wave equation.
double exact_omega(const GridStencil& stencil, const Vec3& k) {
  return std::hypot(stencil.courant[0] * k[0], stencil.courant[1] * k[1], stencil.courant[2] * k[2]);
}

struct Direction {
  std::array<int, 3> component{};
  Vec3 at(double t) const {
    return {t * component[0] / fan, t * component[1] / fan, t * component[2] / fan};
  }
};

bool equal_axes(const GridStencil& stencil) {
  return stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2];
}

// The fan: over the irreducible wedge i >= j >= l when the axes are equal, over the octant otherwise.
std::vector<Direction> directions(bool wedge_only) {
  std::vector<Direction> all;
  for (int a = 0; a <= fan; ++a) {
    for (int b = 0; b <= fan; ++b) {
      if (!wedge_only || b <= a) all.push_back({{fan, a, b}});
      if (wedge_only) continue;
      if (a < fan) all.push_back({{a, fan, b}});
      if (a < fan && b < fan) all.push_back({{a, b, fan}});
    }
  }
  return all;
}

// kappa2 at the wave vectors of the fan from tables: of each axis's own sum for leggy stencils, of cosines otherwise.
class Sampler {
 public:
  explicit Sampler(const GridStencil& stencil) : stencil_(stencil), excess_(excess(stencil)) {
    constexpr int angles = fan * radii;
    const auto radius = static_cast<std::size_t>(stencil.radius);
    std::vector<double> turn(2 * angles);  // 1 - cos over a full turn
    for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = versine(pi * static_cast<double>(i) / angles);
    versine_.resize((angles + 1) * (radius + 1));
    for (std::size_t i = 0; i <= angles; ++i) {
      for (std::size_t m = 0; m <= radius; ++m) versine_[i * (radius + 1) + m] = turn[(i * m) % turn.size()];
    }
    for (const Term& t : stencil.terms) weights_.push_back(image_count(t) * t.weight);
    if (stencil.family != Family::leggy) return;
    for (std::size_t d = 0; d < 3; ++d) {
      axis_[d].assign(angles + 1, 0.0);
      for (std::size_t i = 0; i <= angles; ++i) {
        for (std::size_t t = 0; t < weights_.size(); ++t) {
          axis_[d][i] += weights_[t] * versine_[i * (radius + 1) + static_cast<std::size_t>(stencil.terms[t].offset[d])];
        }
      }
    }
  }

  double kappa2(const Direction& direction, int n) const {
    const auto at = [&](std::size_t d) { return static_cast<std::size_t>(direction.component[d] * n); };
    if (stencil_.family == Family::leggy) return axis_[0][at(0)] + axis_[1][at(1)] + axis_[2][at(2)] - excess_;
    const auto stride = static_cast<std::size_t>(stencil_.radius) + 1;
    const double* x = &versine_[at(0) * stride];
    const double* y = &versine_[at(1) * stride];
    const double* z = &versine_[at(2) * stride];
    double deficit = 0.0;
    for (std::size_t t = 0; t < weights_.size(); ++t) {
      const std::array<int, 3>& o = stencil_.terms[t].offset;
      const double a = x[o[0]], b = y[o[1]], c = z[o[2]];
      deficit += weights_[t] * (a + b * (1.0 - a) + c * (1.0 - a) * (1.0 - b));
    }
    return deficit - excess_;
  }

 private:
  const GridStencil& stencil_;
  double excess_;
  std::vector<double> versine_;              // [angle][m]: 1 - cos(m angle)
  std::vector<double> weights_;              // of each term, its images together
  std::array<std::vector<double>, 3> axis_;  // leggy: the sum over an axis's own terms, by angle
};

struct Wave {
  double omega = 0.0;  // omega T, NaN when there is no wave
  double error = 0.0;  // v - 1
};

Wave wave_of(double kappa2, double exact, bool removal) {
  const double omega = omega_of(kappa2);
  return {omega, (removal ? 2.0 * std::sin(0.5 * omega) : omega) / exact - 1.0};
}

Wave wave_at(const GridStencil& stencil, const Vec3& k, bool removal) {
  return wave_of(kappa2(stencil, k), exact_omega(stencil, k), removal);
}

// The waves of one direction outward: n = 0..radii at t = n pi / radii (n = 0 is the limit, without error). Where the
// error peaks between samples, the sample next to it gets the height of the parabola through three. Waves well above
// frequency `limit` are of no interest: their omega is infinite and their error none.
std::vector<Wave> outward(const GridStencil& stencil, const Sampler& sampler, const Direction& direction, double limit,
                          bool removal) {
  std::array<double, radii + 2> kappa2{};
  for (int n = 1; n <= radii; ++n) kappa2[static_cast<std::size_t>(n)] = sampler.kappa2(direction, n);
  kappa2[radii + 1] = kappa2[radii];
  const double highest = limit < pi ? 2.0 * versine(limit) : infinity;
  const double unit = exact_omega(stencil, direction.at(pi / radii));
  std::vector<Wave> waves(radii + 1);
  for (std::size_t n = 1; n <= radii; ++n) {
    const bool wanted = kappa2[n - 1] <= highest || kappa2[n] <= highest || kappa2[n + 1] <= highest;
    waves[n] = wanted ? wave_of(kappa2[n], unit * static_cast<double>(n), removal) : Wave{infinity, 0.0};
  }
  double before = 0.0;
  for (std::size_t n = 1; n < radii; ++n) {
    const double here = waves[n].error, after = waves[n + 1].error, slope = 0.5 * (after - before);
    const bool peaks = (here - before) * (here - after) > 0.0 && here * (here - after) > 0.0;
    const double curvature = 2.0 * here - before - after;
    before = here;
    if (peaks && kappa2[n] <= highest) waves[n].error += 0.5 * slope * slope / curvature;
  }
  return waves;
}

// Between t = `good`, where the tolerance holds, and `bad`, where it does not: the last t at which it holds.
double last_good(const GridStencil& stencil, const Direction& direction, double tolerance, bool removal, double good,
                 double bad) {
  for (int halving = 0; halving < 26; ++halving) {
    const double middle = 0.5 * (good + bad);
    (std::abs(wave_at(stencil, direction.at(middle), removal).error) <= tolerance ? good : bad) = middle;
  }
  return good;
}

double sample_radius(std::size_t n) { return pi * static_cast<double>(n) / radii; }

// The least frequency of one direction at which a wave misses the tolerance, or the highest frequency of the direction
// when all keep to it; `bound` when that is not below `bound`.
double usable_along(const GridStencil& stencil, const Sampler& sampler, const Direction& direction, double tolerance,
                    double bound) {
  const std::vector<Wave> waves = outward(stencil, sampler, direction, bound, false);
  double highest = 0.0, first_miss = infinity;
  const auto good = [&](std::size_t n) { return std::abs(waves[n].error) <= tolerance; };  // NaN is not
  for (std::size_t n = 1; n < waves.size(); ++n) {
    if (good(n)) highest = std::max(highest, waves[n].omega);
    if (!good(n) && waves[n].omega < first_miss) first_miss = waves[n].omega;
    if (good(n) == good(n - 1) || !(std::min(waves[n - 1].omega, waves[n].omega) < std::min(first_miss, bound))) continue;
    const std::size_t inside = good(n) ? n : n - 1, outside = good(n) ? n - 1 : n;
    const double t = last_good(stencil, direction, tolerance, false, sample_radius(inside), sample_radius(outside));
    const double edge = wave_at(stencil, direction.at(t), false).omega;
    if (std::isfinite(edge)) first_miss = std::min(first_miss, edge);
  }
  return std::min(bound, first_miss < infinity ? first_miss : highest);
}

// Greatest |v - 1| of one direction over waves up to frequency omega, or `bound` when it is not above it.
double worst_along(const GridStencil& stencil, const Sampler& sampler, const Direction& direction, double omega,
                   double bound) {
  const std::vector<Wave> waves = outward(stencil, sampler, direction, omega, false);
  double worst = bound, highest = 0.0;
  for (std::size_t n = 1; n < waves.size(); ++n) {
    const Wave &inner = waves[n - 1], &outer = waves[n];
    highest = std::max(highest, outer.omega);
    if (outer.omega <= omega) worst = std::max(worst, std::abs(outer.error));
    if ((inner.omega <= omega) == (outer.omega <= omega)) continue;
    if (!(std::max(std::abs(inner.error), std::abs(outer.error)) > worst)) continue;
    double low = sample_radius(n - 1), high = sample_radius(n);  // the wave of that frequency lies between
    const bool rising = inner.omega <= omega;
    for (int halving = 0; halving < 26; ++halving) {
      const double middle = 0.5 * (low + high);
      ((wave_at(stencil, direction.at(middle), false).omega <= omega) == rising ? low : high) = middle;
    }
    worst = std::max(worst, std::abs(wave_at(stencil, direction.at(rising ? low : high), false).error));
  }
  return highest >= omega ? worst : infinity;
}

// Fraction |k|/pi, at most 1, of the first wave vector outward that misses the tolerance.
double fraction_along(const GridStencil& stencil, const Sampler& sampler, const Direction& direction, double tolerance,
                      bool removal) {
  const std::vector<Wave> waves = outward(stencil, sampler, direction, infinity, removal);
  const Vec3 unit = direction.at(1.0);
  const double length = std::hypot(unit[0], unit[1], unit[2]);
  for (std::size_t n = 1; n < waves.size(); ++n) {
    if (std::abs(waves[n].error) <= tolerance) continue;
    const double t = last_good(stencil, direction, tolerance, removal, sample_radius(n - 1), sample_radius(n));
    return std::min(1.0, t * length / pi);
  }
  return 1.0;
}

}  // namespace

double phase_velocity_error(const GridStencil& stencil, const Vec3& k) { return wave_at(stencil, k, false).error; }

double usable_omega(const GridStencil& stencil, double tolerance) {
  const Sampler sampler(stencil);
  double omega = pi;
  for (const Direction& direction : directions(equal_axes(stencil))) {
    omega = usable_along(stencil, sampler, direction, with_slack(tolerance), omega);
  }
  return omega;
}

double worst_error(const GridStencil& stencil, double omega) {
  const Sampler sampler(stencil);
  double worst = 0.0;
  for (const Direction& direction : directions(equal_axes(stencil))) {
    worst = worst_along(stencil, sampler, direction, omega, worst);
    if (worst == infinity) break;
  }
  return worst;
}

std::array<double, 4> usable_fractions(const Stencil& stencil, double tolerance, bool removal) {
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const Sampler sampler(grid);
  const auto along = [&](const Direction& d) { return fraction_along(grid, sampler, d, with_slack(tolerance), removal); };
  double worst = 1.0;
  for (const Direction& direction : directions(true)) worst = std::min(worst, along(direction));
  return {worst, along({{fan, 0, 0}}), along({{fan, fan, 0}}), along({{fan, fan, fan}})};
}

}  // namespace fdtd
