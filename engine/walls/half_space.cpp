// Derivation. The folded operator on nodes i >= 0 is the plain one on the even extension u_{-1-i} = u_i. The wall
// subtracts b_j f, f = lambda Y_d i sin(w) sum b_j u_j, from nodes j and -1-j, so with g_i the lattice's outgoing
// Green's function, (s(E) - 2 cos w) g = delta,  u_i = 2 cos(k (i + 1/2)) + f sum over j of b_j (g_{i-j} + g_{i+j+1}).
// By residues, g_i = sum over the outgoing roots z of z^(|i|-1)/s'(z); in c = z + 1/z, where s - 2 cos w = P(c), the
// wall reads
//   Gamma = sum over i, j of b_i b_j (g_{i-j} + g_{i+j+1})
//         = sum over z of [sum b_i b_j (z^|i-j| + z^(i+j+1))] / (P'(c) (z - 1/z)).
// So W = -i lambda sin(w) Gamma, and the incident wave's own term of it has the real part a = b(k)^2/v_g.
#include "engine/walls/half_space.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

using Complex = std::complex<double>;
using Wide = std::complex<long double>;

// 1 / z of numbers that are neither huge nor tiny; the division of std::complex also guards against those.
template <class Real>
std::complex<Real> inverse(std::complex<Real> z) {
  return std::conj(z) / std::norm(z);
}

template <class Real>
struct Value {
  std::complex<Real> p, slope;  // P and dP/dc
};

// P(c) = s - 2 cos w by t_m = z^m + z^-m: t_{m+1} = c t_m - t_{m-1}.
template <class Real>
Value<Real> evaluate(const NormalSymbol& symbol, long double offset, std::complex<Real> c) {
  using Number = std::complex<Real>;
  Number before = Real(2), t = c, slope_before = Real(0), slope = Real(1);
  Value<Real> value{Number(static_cast<Real>(offset)), Number(Real(0))};
  for (double weight : symbol.weights) {
    value.p += static_cast<Real>(weight) * t;
    value.slope += static_cast<Real>(weight) * slope;
    const Number next = c * t - before, slope_next = t + c * slope - slope_before;
    before = t;
    t = next;
    slope_before = slope;
    slope = slope_next;
  }
  return value;
}

// One iteration of all roots; returns the largest relative step.
template <class Real>
Real improve(const NormalSymbol& symbol, long double offset, std::vector<std::complex<Real>>& c) {
  Real largest = 0;
  for (std::size_t q = 0; q < c.size(); ++q) {
    const Value<Real> value = evaluate(symbol, offset, c[q]);
    if (value.p == Real(0)) continue;
    const std::complex<Real> newton = value.p * inverse(value.slope);
    std::complex<Real> repulsion = Real(0);
    for (std::size_t other = 0; other < c.size(); ++other) {
      if (other != q) repulsion += inverse(c[q] - c[other]);
    }
    const std::complex<Real> step = newton * inverse(Real(1) - newton * repulsion);
    c[q] -= step;
    largest = std::max(largest, std::abs(step) / std::max(Real(1), std::abs(c[q])));
  }
  return largest;
}

// All roots of P by the simultaneous iteration of O. Aberth, "Iteration methods for finding all zeros of a polynomial
// simultaneously", Math. Comp. 27 (1973): near them in double, then to the digits of long double.
std::vector<Wide> roots(const NormalSymbol& symbol, long double offset) {
  constexpr int fast = 60, most = 500;
  const auto degree = symbol.weights.size();
  std::vector<Complex> near(degree);
  for (std::size_t q = 0; q < degree; ++q) {
    const double angle = (2.0 * static_cast<double>(q) + 0.7) * std::numbers::pi / static_cast<double>(degree);
    near[q] = 3.0 * std::polar(1.0, angle) - 0.5;
  }
  for (int iteration = 0; iteration < fast && improve(symbol, offset, near) > 1e-6; ++iteration) {
  }
  std::vector<Wide> c(near.begin(), near.end());
  int polish = 3;  // iterations after convergence, which is cubic: the rest is rounding
  for (int iteration = 0; iteration < most && polish > 0; ++iteration)
    if (improve(symbol, offset, c) < 1e-10L) --polish;
  return c;
}

// How finely the incident wave is looked for, steps from 0 to pi, and cos of a full turn in such steps.
constexpr std::size_t search_steps = 512;
const std::vector<double>& turn_cosines() {
  static const std::vector<double> table = [] {
    std::vector<double> cosines(2 * search_steps);
    for (std::size_t i = 0; i < cosines.size(); ++i)
      cosines[i] = std::cos(std::numbers::pi * static_cast<double>(i) / search_steps);
    return cosines;
  }();
  return table;
}

// Where s falls through `level` between `low` and `high`, within much less than crossing_margin: Newton's method. None
// where s may do so more than once, or so slowly that rounding decides at that distance.
constexpr double crossing_margin = 1e-9;
std::optional<double> only_crossing(const NormalSymbol& symbol, double level, double low, double high) {
  constexpr double least_slope = 1e-3, close = 1e-12;
  double largest_curvature = 0.0;
  for (std::size_t m = 0; m < symbol.weights.size(); ++m)
    largest_curvature += 2.0 * std::pow(static_cast<double>(m + 1), 2) * std::abs(symbol.weights[m]);
  double k = 0.5 * (low + high);
  for (int iteration = 0; iteration < 8; ++iteration) {
    const double slope = symbol.slope(k);
    if (!(-slope > std::max(least_slope, largest_curvature * (high - low)))) return std::nullopt;
    const double change = (level - symbol(k)) / slope;
    k += change;
    if (k < low - crossing_margin || k > high + crossing_margin) return std::nullopt;
    if (std::abs(change) < close) return k;
  }
  return std::nullopt;
}

// The smallest k at which s falls through 2 cos w: the incident wave.
std::optional<double> incident_wave_number(const NormalSymbol& symbol, double omega) {
  const double level = 2.0 * std::cos(omega);
  if (symbol(0.0) <= level) return std::nullopt;
  const std::vector<double>& cosines = turn_cosines();
  for (std::size_t i = 1; i <= search_steps; ++i) {
    double at_step = symbol.centre;
    for (std::size_t m = 0; m < symbol.weights.size(); ++m)
      at_step += 2.0 * symbol.weights[m] * cosines[(m + 1) * i % (2 * search_steps)];
    if (at_step > level) continue;
    const double step = std::numbers::pi / search_steps;
    double low = step * static_cast<double>(i - 1), high = step * static_cast<double>(i);
    const std::optional<double> crossing = only_crossing(symbol, level, low, high);
    while (high - low > 4e-16 * high) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      const bool known = crossing && std::abs(middle - *crossing) > crossing_margin;
      ((known ? middle < *crossing : symbol(middle) > level) ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  return std::nullopt;
}

}  // namespace

double NormalSymbol::operator()(double k) const {
  double sum = centre;
  for (std::size_t m = 0; m < weights.size(); ++m) sum += 2.0 * weights[m] * std::cos(static_cast<double>(m + 1) * k);
  return sum;
}

double NormalSymbol::slope(double k) const {
  double sum = 0.0;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const auto order = static_cast<double>(m + 1);
    sum -= 2.0 * order * weights[m] * std::sin(order * k);
  }
  return sum;
}

NormalSymbol normal_symbol(const GridStencil& stencil, int axis, std::array<double, 2> transverse) {
  NormalSymbol symbol;
  symbol.centre = stencil.centre;
  symbol.weights.assign(static_cast<std::size_t>(stencil.radius), 0.0);
  symbol.courant = stencil.courant[static_cast<std::size_t>(axis)];
  for (const Term& term : stencil.terms) {
    double weight = term.weight;
    for (int d = 0, other = 0; d < 3; ++d) {
      if (d == axis) continue;
      const int offset = term.offset[static_cast<std::size_t>(d)];
      if (offset != 0) weight *= 2.0 * std::cos(offset * transverse[static_cast<std::size_t>(other)]);
      ++other;
    }
    const int along = term.offset[static_cast<std::size_t>(axis)];
    (along == 0 ? symbol.centre : symbol.weights[static_cast<std::size_t>(along - 1)]) += weight;
  }
  while (!symbol.weights.empty() && symbol.weights.back() == 0.0) symbol.weights.pop_back();
  return symbol;
}

std::optional<IncidentWave> incident_wave(const NormalSymbol& symbol, double omega) {
  const std::optional<double> k = incident_wave_number(symbol, omega);
  if (!k) return std::nullopt;
  return IncidentWave{*k, symbol.slope(*k) / (-2.0 * std::sin(omega) * symbol.courant)};
}

std::optional<HalfSpace> half_space(const NormalSymbol& symbol, double omega, std::span<const double> taps) {
  const std::optional<IncidentWave> wave = incident_wave(symbol, omega);
  if (!wave) return std::nullopt;
  HalfSpace space;
  space.omega = omega;
  space.k = wave->k;
  double reading = 0.0;
  for (std::size_t j = 0; j < taps.size(); ++j) reading += taps[j] * std::cos(wave->k * (static_cast<double>(j) + 0.5));
  space.coupling = reading * reading / wave->velocity;

  const long double offset = static_cast<long double>(symbol.centre) - 2.0L * std::cos(static_cast<long double>(omega));
  Wide green = 0.0L;                                // Gamma
  std::vector<Wide> powers(2 * taps.size(), 1.0L);  // of z
  for (const Wide& root : roots(symbol, offset)) {
    const Wide spread = std::sqrt(root * root - 4.0L), plus = (root + spread) / 2.0L, minus = (root - spread) / 2.0L;
    Wide z = 1.0L / (std::abs(plus) > std::abs(minus) ? plus : minus);
    const Wide derivative = evaluate(symbol, offset, root).slope;
    if (std::abs(std::abs(z) - 1.0L) < 1e-13L) {
      // Propagating: the outgoing root is the one whose group velocity, -ds/dk times a positive factor, points away
      // from the wall. z = exp(-ik): ds/dk = -2 sin(k) dP/dc must be negative.
      const long double sign = derivative.real() > 0.0L ? -1.0L : 1.0L;
      z = Wide(root.real() / 2.0L, sign * std::sqrt(std::max(0.0L, 1.0L - root.real() * root.real() / 4.0L)));
    }
    for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = powers[n - 1] * z;
    Wide pairs = 0.0L;
    for (std::size_t i = 0; i < taps.size(); ++i) {
      for (std::size_t j = 0; j < taps.size(); ++j) {
        pairs += static_cast<long double>(taps[i]) * taps[j] * (powers[i > j ? i - j : j - i] + powers[i + j + 1]);
      }
    }
    green += pairs * z / (derivative * (z * z - 1.0L));
  }
  const Complex sum(static_cast<double>(green.real()), static_cast<double>(green.imag()));
  space.impedance = Complex(0.0, -symbol.courant * std::sin(omega)) * sum;
  return space;
}

Complex discrete_impedance(const WallLaw& law, double omega) {
  const Complex s(0.0, 2.0 * std::tan(omega / 2.0));
  Complex admittance = 0.0;
  for (const LawBranch& branch : law.branches) admittance += 1.0 / impedance(branch, s);
  return law.inertance * s + 1.0 / admittance;
}

Complex reflection(const HalfSpace& space, Complex wall_impedance, double area) {
  return 1.0 - 2.0 * space.coupling / (wall_impedance / area + space.impedance);
}

double absorption(const HalfSpace& space, Complex wall_impedance, double area) {
  const Complex z = wall_impedance / area;
  return 4.0 * space.coupling * z.real() / std::norm(z + space.impedance);
}

}  // namespace fdtd
