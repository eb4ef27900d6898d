#include "engine/walls/wall_taps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/math/least_squares.hpp"
#include "engine/walls/half_space.hpp"

namespace fdtd {
namespace {

constexpr std::array<double, 9> wavelengths = {20.0, 16.0, 12.0, 9.0, 7.0, 6.0, 5.0, 4.5, min_points_a_wavelength};
constexpr std::array<double, 5> cosines = {1.0, 0.94, 0.866, 0.7071, 0.5};

struct Wave {
  double cosine, k, velocity;  // of incidence; wave number and group velocity along the normal
  double reactance;            // 2 tan(w/2): of an inertance of one step
  NormalSymbol symbol;
  double omega;
};

std::vector<Wave> make_waves(const GridStencil& stencil, int axis, bool removal) {
  const auto across = static_cast<std::size_t>(axis == 0 ? 1 : 0);  // the first of the two other axes
  std::vector<Wave> waves;
  for (double points : wavelengths) {
    const double truth = stencil.courant[static_cast<std::size_t>(axis)] * 2.0 * std::numbers::pi / points;
    if (removal && truth >= 2.0) continue;
    const double omega = removal ? 2.0 * std::asin(truth / 2.0) : truth;
    if (omega >= std::numbers::pi) continue;
    for (double cosine : cosines) {
      const double transverse = truth * std::sqrt(1.0 - cosine * cosine) / stencil.courant[across];
      const NormalSymbol symbol = normal_symbol(stencil, axis, {transverse, 0.0});
      const auto wave = incident_wave(symbol, omega);
      if (wave) waves.push_back({cosine, wave->k, wave->velocity, 2.0 * std::tan(omega / 2.0), symbol, omega});
    }
  }
  return waves;
}

// The amplitude that the taps read of a wave; the weights b_1, b_2 are free, b_0 = 1 - b_1 - b_2.
double reading(const std::vector<double>& taps, double k) {
  double sum = 0.0;
  for (std::size_t j = 0; j < taps.size(); ++j) sum += taps[j] * std::cos((static_cast<double>(j) + 0.5) * k);
  return sum;
}

std::vector<double> taps_of(const Eigen::VectorXd& x) {
  std::vector<double> taps{1.0 - x.sum()};
  taps.insert(taps.end(), x.data(), x.data() + x.size());
  return taps;
}

// ln(absorbed / theory) of a weakly absorbing wall, whose power is proportional to a cos(theta), a = b(k)^2/v_g.
double misfit(const Wave& wave, const std::vector<double>& taps) {
  return std::log(std::max(1e-6, std::pow(reading(taps, wave.k), 2) / wave.velocity * wave.cosine));
}

std::vector<double> fit_taps(const std::vector<Wave>& waves, int count) {
  if (count == 1 || waves.empty()) return {1.0};
  LeastSquaresProblem problem;
  problem.residuals = static_cast<int>(waves.size());
  problem.lower = Eigen::VectorXd::Constant(count - 1, -1.0);
  problem.upper = Eigen::VectorXd::Constant(count - 1, 1.0);
  problem.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    const std::vector<double> taps = taps_of(x);
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const Wave& wave = waves[static_cast<std::size_t>(i)];
      r[i] = misfit(wave, taps);
      if (jacobian == nullptr) continue;
      for (Eigen::Index j = 0; j < x.size(); ++j) {
        const double by = std::cos((static_cast<double>(j) + 1.5) * wave.k) - std::cos(0.5 * wave.k);
        (*jacobian)(i, j) = 2.0 * by / reading(taps, wave.k);
      }
    }
  };
  // Linear and quadratic extrapolation to the wall's plane.
  const Eigen::VectorXd start = count == 2 ? Eigen::VectorXd{{-0.125}} : Eigen::VectorXd{{-0.2, 0.02}};
  return taps_of(minimise(problem, start).x);
}

}  // namespace

WallTaps fit_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal, int count) {
  const std::vector<Wave> waves = make_waves(stencil, axis, time_dispersion_removal);
  WallTaps result;
  result.taps = fit_taps(waves, count);
  // Exact reflection means a wall impedance of a Z + iX, X = -Im W: an inertance L has the reactance L 2 tan(w/2).
  double above = 0.0, below = 0.0;
  for (const Wave& wave : waves) {
    result.worst = std::max(result.worst, std::abs(misfit(wave, result.taps)));
    const auto space = half_space(wave.symbol, wave.omega, result.taps);
    above += -space->impedance.imag() * wave.reactance;
    below += wave.reactance * wave.reactance;
  }
  result.inertance = below > 0.0 ? std::max(0.0, above / below) : 0.0;
  return result;
}

WallTaps make_wall_taps(const GridStencil& stencil, int axis, bool time_dispersion_removal) {
  const WallTaps two = fit_wall_taps(stencil, axis, time_dispersion_removal, 2);
  const WallTaps three = fit_wall_taps(stencil, axis, time_dispersion_removal, 3);
  return three.worst < 0.8 * two.worst ? three : two;
}

}  // namespace fdtd
