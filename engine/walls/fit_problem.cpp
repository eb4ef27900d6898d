#include "engine/walls/fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wide.hpp"
#include "engine/walls/absorption_ratios.hpp"

namespace fdtd {

using Complex = std::complex<double>;

namespace {

// Modes that graze a wall decay the slowest. There cos theta is no longer large against the admittance, and a mode's
// decay depends on the admittance's phase as on its magnitude. This fraction of the phase counts, against absorption.
constexpr double grazing_weight = 0.4;
constexpr double grazing_cosine = 0.3;                // of incidence, and below
constexpr double long_wave = 3.0, max_of_long = 2.0;  // waves of more points count more, up to twice at twice as many
constexpr double faint = 0.001;                       // absorption coefficients of this size and below count less
constexpr double tolerable = 0.05;    // spread over the angles, in ln, above which a frequency counts less
constexpr double sharp_weight = 0.3;  // of a branch's quality factor above the largest, in ln

// The quotient of a real number by x + i y, as quotient().
FDTD_INLINE void divide(double a, double x, double y, double& real, double& imag) {
  const bool steep = std::abs(x) < std::abs(y);
  const double less = steep ? x : y, more = steep ? y : x;
  const double ratio = less / more, scale = less * ratio + more;
  real = (steep ? a * ratio : a) / scale;
  imag = -(steep ? a : a * ratio) / scale;
}

// A branch of the coefficients `values` at all waves: its admittance, which is added to the sums.
FDTD_INLINE void add_branch_body(std::size_t waves, const double* values, const double* w, double* conductance,
                                 double* susceptance, double* real, double* imag) {
  const double D = values[0], E = values[1], F = values[2];
#pragma omp simd
  for (std::size_t i = 0; i < waves; ++i) {
    const double reactance = D * w[i] - F / w[i], square = E * E + reactance * reactance;
    conductance[i] = E / square;
    susceptance[i] = -reactance / square;
    real[i] += conductance[i];
    imag[i] += susceptance[i];
  }
}
FDTD_WIDE void add_branch_wide(std::size_t waves, const double* values, const double* w, double* conductance,
                               double* susceptance, double* real, double* imag) {
  add_branch_body(waves, values, w, conductance, susceptance, real, imag);
}
void add_branch(std::size_t waves, const double* values, const double* w, double* conductance, double* susceptance,
                double* real, double* imag) {
  (wide_registers() ? add_branch_wide : add_branch_body)(waves, values, w, conductance, susceptance, real, imag);
}

// Pointers to the numbers of all waves.
struct WaveArrays {
  std::size_t count = 0;
  const double *w, *load_real, *load_imag, *reflection_real, *reflection_imag, *absorption;
};

// `z`: the admittance of the branches, then the impedance of the wall. ratio: absorbed / theory.
FDTD_INLINE void meet_body(const WaveArrays& of, double inertance, double* z_real, double* z_imag, double* ratio,
                           double* reflection_real, double* reflection_imag) {
#pragma omp simd
  for (std::size_t i = 0; i < of.count; ++i) {
    const double y_square = z_real[i] * z_real[i] + z_imag[i] * z_imag[i];
    const double real = z_real[i] / y_square, imag = inertance * of.w[i] - z_imag[i] / y_square;
    z_real[i] = real;
    z_imag[i] = imag;
    const double x = real + of.load_real[i], y = imag + of.load_imag[i];
    const double absorbed = 4.0 * of.load_real[i] * real / (x * x + y * y);
    ratio[i] = (absorbed < 1e-12 ? 1e-12 : absorbed) / of.absorption[i];
    double part_real, part_imag;
    divide(2.0 * of.load_real[i], x, y, part_real, part_imag);
    reflection_real[i] = 1.0 - part_real - of.reflection_real[i];
    reflection_imag[i] = -part_imag - of.reflection_imag[i];
  }
}
FDTD_WIDE void meet_wide(const WaveArrays& of, double inertance, double* z_real, double* z_imag, double* ratio,
                         double* reflection_real, double* reflection_imag) {
  meet_body(of, inertance, z_real, z_imag, ratio, reflection_real, reflection_imag);
}
void meet(const WaveArrays& of, double inertance, double* z_real, double* z_imag, double* ratio,
          double* reflection_real, double* reflection_imag) {
  (wide_registers() ? meet_wide : meet_body)(of, inertance, z_real, z_imag, ratio, reflection_real, reflection_imag);
}

// Of a step, at all waves: of the branches' impedance squared, times -1; of the sum of wall and load, its square; of
// 2 Re(load) over its square as a complex number.
struct SlopeArrays {
  std::vector<double> squared_real, squared_imag, square, factor_real, factor_imag;
  std::vector<double> dz_real, dz_imag, ratio, real, imag;  // of one parameter

  explicit SlopeArrays(std::size_t waves) {
    for (auto* const one :
         {&squared_real, &squared_imag, &square, &factor_real, &factor_imag, &dz_real, &dz_imag, &ratio, &real, &imag})
      one->resize(waves);
  }
};

FDTD_INLINE void prepare_body(const WaveArrays& of, double inertance, const double* z_real, const double* z_imag,
                              SlopeArrays& to) {
  double *const squared_real = to.squared_real.data(), *const squared_imag = to.squared_imag.data(),
                *const square = to.square.data(), *const factor_real = to.factor_real.data(),
                *const factor_imag = to.factor_imag.data();
#pragma omp simd
  for (std::size_t i = 0; i < of.count; ++i) {
    const double real = z_real[i], imag = z_imag[i] - inertance * of.w[i];  // of the branches
    squared_real[i] = -real * real + imag * imag;
    squared_imag[i] = -2.0 * real * imag;
    const double x = z_real[i] + of.load_real[i], y = z_imag[i] + of.load_imag[i];
    square[i] = x * x + y * y;
    divide(2.0 * of.load_real[i], x * x - y * y, x * y + y * x, factor_real[i], factor_imag[i]);
  }
}
FDTD_WIDE void prepare_wide(const WaveArrays& of, double inertance, const double* z_real, const double* z_imag,
                            SlopeArrays& to) {
  prepare_body(of, inertance, z_real, z_imag, to);
}

// The slopes of the impedance by ln D, ln E or ln F (`which`: 0, 1, 2) of a branch.
FDTD_INLINE void slope_body(const WaveArrays& of, int which, double value, const double* conductance,
                            const double* susceptance, SlopeArrays& to) {
  const double *const squared_real = to.squared_real.data(), *const squared_imag = to.squared_imag.data();
  double *const dz_real = to.dz_real.data(), *const dz_imag = to.dz_imag.data();
#pragma omp simd
  for (std::size_t i = 0; i < of.count; ++i) {
    const double g = conductance[i], b = susceptance[i], gg = g * g - b * b, gb = 2.0 * g * b;
    const double part = which == 0 ? value * of.w[i] : which == 1 ? value : value / of.w[i];
    const double real = which == 0 ? gb * part : which == 1 ? -gg * part : -gb * part;
    const double imag = which == 0 ? -gg * part : which == 1 ? -gb * part : gg * part;
    dz_real[i] = squared_real[i] * real - squared_imag[i] * imag;
    dz_imag[i] = squared_real[i] * imag + squared_imag[i] * real;
  }
}
FDTD_WIDE void slope_wide(const WaveArrays& of, int which, double value, const double* conductance,
                          const double* susceptance, SlopeArrays& to) {
  slope_body(of, which, value, conductance, susceptance, to);
}

// Those of the residuals, before weights.
FDTD_INLINE void residuals_body(const WaveArrays& of, const double* z_real, const double* z_imag, SlopeArrays& to) {
  const double *const square = to.square.data(), *const factor_real = to.factor_real.data(),
                      *const factor_imag = to.factor_imag.data(), *const dz_real = to.dz_real.data(),
                      *const dz_imag = to.dz_imag.data();
  double *const ratio = to.ratio.data(), *const real = to.real.data(), *const imag = to.imag.data();
#pragma omp simd
  for (std::size_t i = 0; i < of.count; ++i) {
    const double x = z_real[i] + of.load_real[i], y = z_imag[i] + of.load_imag[i];
    ratio[i] = dz_real[i] / z_real[i] - 2.0 * (x * dz_real[i] + y * dz_imag[i]) / square[i];
    real[i] = factor_real[i] * dz_real[i] - factor_imag[i] * dz_imag[i];
    imag[i] = factor_real[i] * dz_imag[i] + factor_imag[i] * dz_real[i];
  }
}
FDTD_WIDE void residuals_wide(const WaveArrays& of, const double* z_real, const double* z_imag, SlopeArrays& to) {
  residuals_body(of, z_real, z_imag, to);
}

}  // namespace

bool lags(const std::vector<WallWave>& waves) { return waves.back().stretch < 1.0; }

std::vector<Aim> aims_of(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves) {
  std::vector<Aim> aims;
  for (const WallWave& wave : waves) {
    const Complex y = physical_admittance(branches, time_step, wave.truth);
    aims.push_back({Complex(0.0, 2.0 * std::tan(wave.omega / 2.0)), wave.load, (wave.cosine - y) / (wave.cosine + y), y,
                    absorption_of(y, wave.cosine), lags(waves) && wave.cosine < grazing_cosine});
    Aim& aim = aims.back();
    aim.absorption = std::max(aim.absorption, 1e-9);
    aim.weight = 1.0 / (1.0 + faint / aim.absorption);
    if (lags(waves)) aim.weight *= std::clamp(wave.points / long_wave, 1.0, max_of_long);
  }
  // No branch can be right at all angles of a frequency whose waves the taps read differently.
  for (std::size_t begin = 0, end = 0; begin < waves.size(); begin = end) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (end = begin; end < waves.size() && waves[end].truth == waves[begin].truth; ++end) {
      const double read = std::log(std::max(waves[end].load.real() * waves[end].cosine, 1e-12));
      low = std::min(low, read);
      high = std::max(high, read);
    }
    for (std::size_t i = begin; i < end; ++i) aims[i].weight /= std::max(1.0, (high - low) / 2.0 / tolerable);
  }
  return aims;
}

double log_ratio(const Aim& aim, Complex z) {
  return std::log(std::max(4.0 * aim.load.real() * z.real() / std::norm(z + aim.load), 1e-12) / aim.absorption);
}

double weighted_lag(const Aim& aim, Complex z) {
  return aim.weight * grazing_weight * std::arg((z + Complex(0.0, aim.load.imag())) * aim.admittance);
}

FitProblem::FitProblem(const std::vector<Aim>& aims, double max_sharpness)
    : aims_(aims), log_sharpness_(std::log(max_sharpness)) {
  for (const Aim& aim : aims) {
    if (aim.grazing) grazing_.push_back(weights_.size());
    weights_.push_back(aim.weight);
    waves_.w.push_back(aim.s.imag());
    waves_.load_real.push_back(aim.load.real());
    waves_.load_imag.push_back(aim.load.imag());
    waves_.reflection_real.push_back(aim.reflection.real());
    waves_.reflection_imag.push_back(aim.reflection.imag());
    waves_.absorption.push_back(aim.absorption);
    waves_.scale.push_back(phase_weight / std::max(std::abs(aim.reflection), 0.3));
  }
}

Eigen::Index FitProblem::residuals(Eigen::Index parameters) const {
  return static_cast<Eigen::Index>(3 * aims_.size() + grazing_.size()) + parameters / 3;
}

LeastSquaresResult FitProblem::solve(const Eigen::VectorXd& start, int iterations) const {
  LeastSquaresProblem problem;
  problem.residuals = static_cast<int>(residuals(start.size()));
  problem.lower = Eigen::VectorXd::Constant(start.size(), -log_bound);
  problem.upper = Eigen::VectorXd::Constant(start.size(), log_bound);
  problem.upper[start.size() - 1] = std::log(3.0);
  problem.evaluate = [this](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    evaluate(x, r, jacobian);
  };
  return minimise(problem, start, iterations);
}

double FitProblem::error(const Eigen::VectorXd& x) const {
  double largest = 0.0, squares = 0.0;
  const Misses& found = at(x);
  for (std::size_t i = 0; i < aims_.size(); ++i)
    largest = std::max(largest, aims_[i].weight * std::abs(found.log_ratio[i]));
  for (const double lag : found.lag) squares += std::pow(lag, 2);
  return largest + (grazing_.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(grazing_.size())));
}

void FitProblem::reweight(const Eigen::VectorXd& x) {
  const Misses& found = at(x);
  std::vector<double> misses;
  for (std::size_t i = 0; i < aims_.size(); ++i) misses.push_back(aims_[i].weight * std::abs(found.log_ratio[i]));
  const double largest = std::max(*std::ranges::max_element(misses), 1e-12);
  double top = 0.0;
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    weights_[i] *= std::pow(0.35 + 0.65 * misses[i] / largest, 0.7);
    top = std::max(top, weights_[i]);
  }
  for (double& weight : weights_) weight /= top;
}

namespace {

template <class Waves>
WaveArrays arrays_of(const Waves& waves) {
  return {waves.w.size(),
          waves.w.data(),
          waves.load_real.data(),
          waves.load_imag.data(),
          waves.reflection_real.data(),
          waves.reflection_imag.data(),
          waves.absorption.data()};
}

}  // namespace

const FitProblem::Misses& FitProblem::at(const Eigen::VectorXd& x) const {
  return latest_.of(x, [&](Misses& made) {
    made.values = x.array().exp();
    const std::size_t waves = aims_.size();
    const Eigen::Index last = x.size() - 1;
    made.conductance.resize(waves * static_cast<std::size_t>(last / 3));
    made.susceptance.resize(made.conductance.size());
    made.z_real.assign(waves, 0.0);
    made.z_imag.assign(waves, 0.0);
    for (auto* const one : {&made.log_ratio, &made.reflection_real, &made.reflection_imag}) one->resize(waves);
    for (Eigen::Index i = 0; i < last; i += 3) {
      const std::size_t from = waves * static_cast<std::size_t>(i / 3);
      add_branch(waves, made.values.data() + i, waves_.w.data(), made.conductance.data() + from,
                 made.susceptance.data() + from, made.z_real.data(), made.z_imag.data());
    }
    meet(arrays_of(waves_), made.values[last], made.z_real.data(), made.z_imag.data(), made.log_ratio.data(),
         made.reflection_real.data(), made.reflection_imag.data());
    for (double& one : made.log_ratio) one = std::log(one);
    made.lag.clear();
    for (const std::size_t i : grazing_) made.lag.push_back(weighted_lag(aims_[i], {made.z_real[i], made.z_imag[i]}));
  });
}

void FitProblem::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const {
  const Misses& found = at(x);
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(3 * i);
    const double scale = weights_[i] * waves_.scale[i];
    r[row] = weights_[i] * found.log_ratio[i];
    r[row + 1] = scale * found.reflection_real[i];
    r[row + 2] = scale * found.reflection_imag[i];
  }
  auto grazing_row = static_cast<Eigen::Index>(3 * aims_.size());
  for (const double lag : found.lag) r[grazing_row++] = lag;
  if (jacobian != nullptr) slopes(found, *jacobian);
  add_sharpness(x, grazing_row, r, jacobian);
}

void FitProblem::slopes(const Misses& of, Eigen::MatrixXd& jacobian) const {
  const Eigen::Index last = of.values.size() - 1;
  const std::size_t waves = aims_.size();
  const WaveArrays arrays = arrays_of(waves_);
  const bool wide = wide_registers();
  SlopeArrays to(waves);
  (wide ? prepare_wide : prepare_body)(arrays, of.values[last], of.z_real.data(), of.z_imag.data(), to);
  for (Eigen::Index j = 0; j <= last; ++j) {
    if (j == last) {
      std::ranges::fill(to.dz_real, 0.0);
      for (std::size_t i = 0; i < waves; ++i) to.dz_imag[i] = of.values[last] * waves_.w[i];
    } else {
      const std::size_t from = waves * static_cast<std::size_t>(j / 3);
      (wide ? slope_wide : slope_body)(arrays, static_cast<int>(j % 3), of.values[j], of.conductance.data() + from,
                                       of.susceptance.data() + from, to);
    }
    (wide ? residuals_wide : residuals_body)(arrays, of.z_real.data(), of.z_imag.data(), to);
    double* const column = jacobian.col(j).data();
    for (std::size_t i = 0; i < waves; ++i) {
      const double scale = weights_[i] * waves_.scale[i];
      column[3 * i] = weights_[i] * to.ratio[i];
      column[3 * i + 1] = scale * to.real[i];
      column[3 * i + 2] = scale * to.imag[i];
    }
    double* row = column + 3 * waves;
    for (const std::size_t i : grazing_) {
      const Complex met(of.z_real[i], of.z_imag[i] + waves_.load_imag[i]);
      *row++ =
          aims_[i].weight * grazing_weight * (to.dz_imag[i] * met.real() - to.dz_real[i] * met.imag()) / std::norm(met);
    }
  }
}

void FitProblem::add_sharpness(const Eigen::VectorXd& x, Eigen::Index first, Eigen::VectorXd& r,
                               Eigen::MatrixXd* jacobian) const {
  const Eigen::Index last = x.size() - 1;
  if (jacobian != nullptr) jacobian->bottomRows(last / 3).setZero();
  for (Eigen::Index i = 0; i < last; i += 3) {
    const Eigen::Index row = first + i / 3;
    const double excess = 0.5 * (x[i] + x[i + 2]) - x[i + 1] - log_sharpness_;
    r[row] = sharp_weight * std::max(0.0, excess);
    if (jacobian == nullptr || excess <= 0.0) continue;
    (*jacobian)(row, i) = (*jacobian)(row, i + 2) = 0.5 * sharp_weight;
    (*jacobian)(row, i + 1) = -sharp_weight;
  }
}

}  // namespace fdtd
