// Phase velocity by direction: the range of frequencies or wavenumbers in which a stencil is within a tolerance.
//
// All is computed from kappa2 = 2 - s = 4 sin^2(w/2), summed as small positive differences (1 - cos), so that nothing
// is lost to cancellation at long wavelengths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/wide.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Directions are (i, j, l) / fan with max(i, j, l) = fan, radii t = n pi / radii along the greatest component: every
// component of every wave vector scanned is then a multiple of pi / (fan * radii), and cosines come from one table.
constexpr int fan = 20;
constexpr int radii = 200;

// Minimax weights reach the tolerance that they are designed for, and may exceed it by this much between the samples of
// their linear programme. Without the allowance the range of such a design would end at its first ripple.
double with_slack(double tolerance) { return tolerance + std::min(1e-4, 0.01 * tolerance); }

double versine(double x) {  // 1 - cos x
  const double s = std::sin(0.5 * x);
  return 2.0 * s * s;
}

// True omega T of the wave with that kappa2; NaN when it is none: S beyond [-2, 2] by more than rounding.
double omega_of(double kappa2, const FrequencyMap& map) {
  constexpr double rounding = 1e-9;
  if (!(kappa2 >= -rounding && kappa2 <= 4.0 + rounding)) return std::numeric_limits<double>::quiet_NaN();
  return map.truth_at_chord_squared(std::clamp(kappa2, 0.0, 4.0));
}

// kappa2 of one stencil at any wave vector.
class Dispersion {
 public:
  explicit Dispersion(const GridStencil& s) : stencil(s), excess(s.centre - 2.0) {
    for (const Term& term : s.terms) weights.push_back(image_count(term) * term.weight);
    for (double weight : weights) excess += weight;
    if (std::abs(excess) < 1e-14) excess = 0.0;  // rounding, which would swamp the error of long waves
  }

  double kappa2(const Vec3& k) const {
    const auto stride = static_cast<std::size_t>(stencil.radius) + 1;
    std::vector<double> v(3 * stride);  // 1 - cos(m k_d) = 2 sin^2(m k_d / 2), by angle addition
    for (std::size_t d = 0; d < 3; ++d) {
      const double s1 = std::sin(0.5 * k[d]), c1 = std::cos(0.5 * k[d]);
      double s = 0.0, c = 1.0;
      for (std::size_t m = 0; m < stride; ++m) {
        v[d * stride + m] = 2.0 * s * s;
        const double next = s * c1 + c * s1;
        c = c * c1 - s * s1;
        s = next;
      }
    }
    return kappa2(&v[0], &v[stride], &v[2 * stride]);
  }

  // From tables of 1 - cos(m k_d), m = 0..radius.
  double kappa2(const double* x, const double* y, const double* z) const {
    double sum = -excess;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      const std::array<int, 3>& o = stencil.terms[t].offset;
      const double a = x[o[0]], b = y[o[1]], c = z[o[2]];
      sum += weights[t] * (a + b * (1.0 - a) + c * (1.0 - a) * (1.0 - b));  // 1 - cos cos cos
    }
    return sum;
  }

  // |lambda k|, the omega T of the exact wave equation.
  double exact_omega(const Vec3& k) const {
    return std::hypot(stencil.courant[0] * k[0], stencil.courant[1] * k[1], stencil.courant[2] * k[2]);
  }

  bool equal_axes() const {
    return stencil.courant[0] == stencil.courant[1] && stencil.courant[1] == stencil.courant[2];
  }

  const GridStencil& stencil;
  std::vector<double> weights;  // of each term, its images together
  double excess;                // sum of all weights less 2, the symbol's excess at k = 0
};

struct Direction {
  std::array<int, 3> component{};
  Vec3 at(double t) const { return {t * component[0] / fan, t * component[1] / fan, t * component[2] / fan}; }
};

// All components of the fan's directions are multiples of it.
int fan_step(const Dispersion& dispersion) { return dispersion.equal_axes() ? 1 : 2; }

// The fan: over the irreducible wedge i >= j >= l when the axes are equal, else over the octant, half as dense.
// An axis without waves (Courant number 0: one cell across) has no directions.
std::vector<Direction> directions(const Dispersion& dispersion) {
  const bool equal_axes = dispersion.equal_axes();
  std::vector<Direction> all;
  const int step = fan_step(dispersion);
  for (int a = 0; a <= fan; a += step) {
    for (int b = 0; b <= fan; b += step) {
      if (!equal_axes || b <= a) all.push_back({{fan, a, b}});
      if (equal_axes) continue;
      if (a < fan) all.push_back({{a, fan, b}});
      if (a < fan && b < fan) all.push_back({{a, b, fan}});
    }
  }
  std::erase_if(all, [&](const Direction& direction) {
    for (std::size_t d = 0; d < 3; ++d)
      if (direction.component[d] != 0 && dispersion.stencil.courant[d] == 0.0) return true;
    return false;
  });
  return all;
}

constexpr std::size_t angles = fan * radii;  // from 0 to pi

// 1 - cos over a full turn.
const std::vector<double>& versines_of_turn() {
  static const std::vector<double> turn = [] {
    std::vector<double> all(2 * angles);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = versine(pi * static_cast<double>(i) / angles);
    return all;
  }();
  return turn;
}

// Adds a term's part of kappa2 at n waves: 1 - cos cos cos of the tables of 1 - cos along the axes.
FDTD_INLINE void add_term_body(std::size_t n, double weight, const double* x, const double* y, const double* z,
                               double* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const double a = x[i], b = y[i], c = z[i];
    sum[i] += weight * (a + b * (1.0 - a) + c * (1.0 - a) * (1.0 - b));
  }
}
FDTD_WIDE void add_term_wide(std::size_t n, double weight, const double* x, const double* y, const double* z,
                             double* sum) {
  add_term_body(n, weight, x, y, z, sum);
}

using AlongRay = std::array<double, radii + 1>;  // n = 0..radii at t = n pi / radii

// kappa2 at the wave vectors of the fan, from tables: of each axis's own sum by angle for leggy stencils; for the others
// of 1 - cos by component and radius.
class FanTable {
 public:
  explicit FanTable(const Dispersion& dispersion)
      : dispersion_(dispersion),
        leggy_(dispersion.stencil.family == Family::leggy),
        stride_(static_cast<std::size_t>(dispersion.stencil.radius) + 1) {
    const std::vector<double>& turn = versines_of_turn();
    const auto step = static_cast<std::size_t>(fan_step(dispersion));  // of the components
    if (!leggy_) {
      versine_.resize((fan + 1) * stride_);
      for (std::size_t i = 0; i <= fan; i += step)
        for (std::size_t m = 0; m < stride_; ++m)
          for (std::size_t n = 0; n <= radii; ++n) versine_[i * stride_ + m][n] = turn[(i * n * m) % (2 * angles)];
      return;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      axis_[d].assign(angles + 1, 0.0);
      for (std::size_t t = 0; t < dispersion.weights.size(); ++t) {
        const auto m = static_cast<std::size_t>(dispersion.stencil.terms[t].offset[d]);
        if (m == 0) continue;  // a term of another axis
        std::size_t at = 0;    // i * m, in turns
        for (std::size_t i = 0; i <= angles; i += step) {
          axis_[d][i] += dispersion.weights[t] * turn[at];
          at += step * m;
          if (at >= turn.size()) at -= turn.size();
        }
      }
    }
  }

  // Of all radii of a direction.
  void kappa2(const Direction& direction, AlongRay& sums) const {
    if (leggy_) {
      for (std::size_t n = 0; n <= radii; ++n) {
        const auto at = [&](std::size_t d) { return static_cast<std::size_t>(direction.component[d]) * n; };
        sums[n] = axis_[0][at(0)] + axis_[1][at(1)] + axis_[2][at(2)] - dispersion_.excess;
      }
      return;
    }
    sums.fill(-dispersion_.excess);
    for (std::size_t t = 0; t < dispersion_.weights.size(); ++t) {
      const auto along = [&](std::size_t d) {
        const auto component = static_cast<std::size_t>(direction.component[d]);
        return versine_[component * stride_ + static_cast<std::size_t>(dispersion_.stencil.terms[t].offset[d])].data();
      };
      (wide_registers() ? add_term_wide : add_term_body)(sums.size(), dispersion_.weights[t], along(0), along(1),
                                                         along(2), sums.data());
    }
  }

 private:
  const Dispersion& dispersion_;
  bool leggy_;
  std::size_t stride_;
  std::vector<AlongRay> versine_;            // [component][m]: 1 - cos(m angle) by radius
  std::array<std::vector<double>, 3> axis_;  // leggy: the sum over an axis's own terms, by angle of the fan
};

struct Wave {
  double omega = 0.0;  // omega T, NaN when there is no wave
  double error = 0.0;  // v - 1
};

Wave wave_of(double kappa2, double exact, const FrequencyMap& map) {
  const double omega = omega_of(kappa2, map);
  return {omega, exact > 0.0 ? omega / exact - 1.0 : 0.0};
}

Wave wave_at(const Dispersion& dispersion, const Vec3& k, const FrequencyMap& map) {
  return wave_of(dispersion.kappa2(k), dispersion.exact_omega(k), map);
}

// The waves of one direction outward: n = 0..radii at t = n pi / radii (n = 0 is the limit, without error). Where the
// error peaks between samples, the sample next to it gets the height of the parabola through three. Waves well above
// frequency `limit` are not computed: their omega is infinite and their error zero.
std::vector<Wave> outward(const Dispersion& dispersion, const FanTable& table, const Direction& direction, double limit,
                          const FrequencyMap& map) {
  AlongRay kappa2;
  table.kappa2(direction, kappa2);
  kappa2[0] = 0.0;
  const double highest = limit < infinity ? map.chord_squared(limit) : infinity;
  const double unit = dispersion.exact_omega(direction.at(pi / radii));
  std::vector<Wave> waves(radii + 1);
  for (std::size_t n = 1; n <= radii; ++n) {
    const bool wanted =
        kappa2[n - 1] <= highest || kappa2[n] <= highest || kappa2[std::min<std::size_t>(n + 1, radii)] <= highest;
    waves[n] = wanted ? wave_of(kappa2[n], unit * static_cast<double>(n), map) : Wave{infinity, 0.0};
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

// The zero of f in [low, high], where f(low) <= 0 < f(high) or the other way round: regula falsi, Illinois variant;
// halving where f is NaN.
template <class Function>
double zero_between(double low, double high, Function f) {
  double at_low = f(low), at_high = f(high);
  double t = low;
  for (int iteration = 0; iteration < 40 && std::abs(high - low) > 1e-12; ++iteration) {
    t = low - at_low * (high - low) / (at_high - at_low);
    if (!(t > std::min(low, high) && t < std::max(low, high))) t = 0.5 * (low + high);
    const double here = f(t);
    if (std::abs(here) < 1e-12) break;
    if ((here <= 0.0) == (at_low <= 0.0)) {
      low = t, at_low = here, at_high *= 0.5;
    } else {
      high = t, at_high = here, at_low *= 0.5;
    }
  }
  return t;
}

// Where, between t = `good` and t = `bad`, the error passes the tolerance.
double edge_of(const Dispersion& dispersion, const Direction& direction, double tolerance, const FrequencyMap& map,
               double good, double bad) {
  return zero_between(good, bad,
                      [&](double t) { return std::abs(wave_at(dispersion, direction.at(t), map).error) - tolerance; });
}

double sample_radius(std::size_t n) { return pi * static_cast<double>(n) / radii; }

// The smallest frequency of one direction at which a wave misses the tolerance, or the highest frequency of the
// direction when all keep to it; `bound` when that is not below `bound`.
double usable_along(const Dispersion& dispersion, const FanTable& table, const Direction& direction, double tolerance,
                    const FrequencyMap& map, double bound) {
  const std::vector<Wave> waves = outward(dispersion, table, direction, bound, map);
  double highest = 0.0, first_miss = infinity;
  const auto good = [&](std::size_t n) { return std::abs(waves[n].error) <= tolerance; };  // NaN is not
  for (std::size_t n = 1; n < waves.size(); ++n) {
    if (good(n)) highest = std::max(highest, waves[n].omega);
    if (!good(n) && waves[n].omega < first_miss) first_miss = waves[n].omega;
    if (good(n) == good(n - 1) || !(std::min(waves[n - 1].omega, waves[n].omega) < std::min(first_miss, bound)))
      continue;
    const std::size_t inside = good(n) ? n : n - 1, outside = good(n) ? n - 1 : n;
    const double t = edge_of(dispersion, direction, tolerance, map, sample_radius(inside), sample_radius(outside));
    const double edge = wave_at(dispersion, direction.at(t), map).omega;
    if (std::isfinite(edge)) first_miss = std::min(first_miss, edge);
  }
  return std::min(bound, first_miss < infinity ? first_miss : highest);
}

// Largest |v - 1| of one direction over waves up to frequency omega, or `bound` when it is not above it.
double worst_along(const Dispersion& dispersion, const FanTable& table, const Direction& direction, double omega,
                   const FrequencyMap& map, double bound) {
  const std::vector<Wave> waves = outward(dispersion, table, direction, omega, map);
  double worst = bound, highest = 0.0;
  for (std::size_t n = 1; n < waves.size(); ++n) {
    const Wave &inner = waves[n - 1], &outer = waves[n];
    highest = std::max(highest, outer.omega);
    if (outer.omega <= omega) worst = std::max(worst, std::abs(outer.error));
    if ((inner.omega <= omega) == (outer.omega <= omega)) continue;
    if (!(std::max(std::abs(inner.error), std::abs(outer.error)) > worst)) continue;
    const double t = zero_between(sample_radius(n - 1), sample_radius(n), [&](double radius) {
      return wave_at(dispersion, direction.at(radius), map).omega - omega;
    });
    worst = std::max(worst, std::abs(wave_at(dispersion, direction.at(t), map).error));
  }
  return highest >= omega ? worst : infinity;
}

// Lowest kappa2 of one direction from the end of its physical branch on.
double branch_along(const FanTable& table, const Direction& direction) {
  AlongRay kappa2;
  table.kappa2(direction, kappa2);
  std::size_t crest = 1;
  while (crest < radii && kappa2[crest + 1] >= kappa2[crest]) ++crest;
  double lowest = kappa2[crest];
  for (std::size_t n = crest + 1; n <= radii; ++n) {
    lowest = std::min(lowest, kappa2[n]);
    if (n == radii || !(kappa2[n] < kappa2[n - 1] && kappa2[n] <= kappa2[n + 1])) continue;
    // A minimum between samples: that of the parabola through three.
    const double slope = 0.5 * (kappa2[n + 1] - kappa2[n - 1]);
    const double curvature = kappa2[n + 1] - 2.0 * kappa2[n] + kappa2[n - 1];
    if (curvature > 0.0) lowest = std::min(lowest, kappa2[n] - 0.5 * slope * slope / curvature);
  }
  return std::max(0.0, lowest);
}

// Fraction |k|/pi, at most 1, of the first wave vector outward that misses the tolerance.
double fraction_along(const Dispersion& dispersion, const FanTable& table, const Direction& direction, double tolerance,
                      const FrequencyMap& map) {
  const std::vector<Wave> waves = outward(dispersion, table, direction, infinity, map);
  const Vec3 unit = direction.at(1.0);
  const double length = std::hypot(unit[0], unit[1], unit[2]);
  for (std::size_t n = 1; n < waves.size(); ++n) {
    if (std::abs(waves[n].error) <= tolerance) continue;
    const double t = edge_of(dispersion, direction, tolerance, map, sample_radius(n - 1), sample_radius(n));
    return std::min(1.0, t * length / pi);
  }
  return 1.0;
}

}  // namespace

double phase_velocity_error(const GridStencil& stencil, const Vec3& k) {
  return wave_at(Dispersion(stencil), k, {}).error;
}

double usable_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map, double enough) {
  const Dispersion dispersion(stencil);
  const FanTable table(dispersion);
  double omega = infinity;
  for (const Direction& direction : directions(dispersion)) {
    omega = usable_along(dispersion, table, direction, with_slack(tolerance), map, omega);
    if (omega < enough) break;
  }
  return omega;
}

double second_branch(const GridStencil& stencil, const FrequencyMap& map) {
  const Dispersion dispersion(stencil);
  const FanTable table(dispersion);
  double lowest = infinity;
  for (const Direction& direction : directions(dispersion)) lowest = std::min(lowest, branch_along(table, direction));
  return lowest < infinity ? omega_of(std::min(lowest, 4.0), map) : infinity;
}

double rendered_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map) {
  return std::min(usable_omega(stencil, tolerance, map), second_branch(stencil, map) / branch_margin);
}

namespace {

// The square roots, from n = 1 on, and what each is above the one before; NaN of negative numbers.
FDTD_INLINE void roots_body(const AlongRay& squares, AlongRay& roots, AlongRay& rises) {
  roots[0] = 0.0;
#pragma omp simd
  for (std::size_t n = 1; n <= radii; ++n) roots[n] = std::sqrt(squares[n]);
#pragma omp simd
  for (std::size_t n = 1; n <= radii; ++n) rises[n] = roots[n] - roots[n - 1];
}
FDTD_WIDE void roots_wide(const AlongRay& squares, AlongRay& roots, AlongRay& rises) {
  roots_body(squares, roots, rises);
}

}  // namespace

double slowest_group(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  const Dispersion dispersion(stencil);
  const FanTable table(dispersion);
  const double highest = map.chord_squared(omega);
  double slowest = 1.0;
  AlongRay kappa2, kappa, rise;
  for (const Direction& direction : directions(dispersion)) {
    table.kappa2(direction, kappa2);
    (wide_registers() ? roots_wide : roots_body)(kappa2, kappa, rise);
    const double unit = dispersion.exact_omega(direction.at(pi / radii));
    // 2 asin(kappa/2) rises at least as kappa does: where that alone is faster than the slowest, no arc is needed.
    constexpr double surely = 1.0 + 1e-9;
    for (std::size_t n = 1; n <= radii; ++n) {
      if (!(kappa2[n] >= 0.0 && kappa2[n] <= 4.0)) break;
      if (!(rise[n] > surely * slowest * unit)) {
        const double w = 2.0 * std::asin(0.5 * kappa[n]), w_before = 2.0 * std::asin(0.5 * kappa[n - 1]);
        if (w <= w_before) break;  // the crest
        slowest = std::min(slowest, (w - w_before) / unit);
      }
      if (kappa2[n] > highest) break;
    }
  }
  return slowest;
}

double worst_error(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  const Dispersion dispersion(stencil);
  const FanTable table(dispersion);
  double worst = 0.0;
  for (const Direction& direction : directions(dispersion)) {
    worst = worst_along(dispersion, table, direction, omega, map, worst);
    if (worst == infinity) break;
  }
  return worst;
}

std::array<double, 4> usable_fractions(const Stencil& stencil, double tolerance) {
  const FrequencyMap map = frequency_map(stencil);
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const Dispersion dispersion(grid);
  const FanTable table(dispersion);
  const auto along = [&](const Direction& d) {
    return fraction_along(dispersion, table, d, with_slack(tolerance), map);
  };
  double worst = 1.0;
  for (const Direction& direction : directions(dispersion)) worst = std::min(worst, along(direction));
  return {worst, along({{fan, 0, 0}}), along({{fan, fan, 0}}), along({{fan, fan, fan}})};
}

}  // namespace fdtd
