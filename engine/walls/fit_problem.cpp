#include "engine/walls/fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/quotient.hpp"
#include "engine/walls/absorption_ratios.hpp"

namespace fdtd {

using Complex = std::complex<double>;

namespace {

// Fitted by hand as those of grid_fit.cpp.
constexpr double phase_weight = 0.3;  // of the reflection coefficient against absorption
// Modes that graze a wall decay the slowest. There cos theta is no longer large against the admittance, and a mode's
// decay depends on the admittance's phase as on its magnitude. This fraction of the phase counts, against absorption.
constexpr double grazing_weight = 0.4;
constexpr double grazing_cosine = 0.3;                // of incidence, and below
constexpr double long_wave = 3.0, max_of_long = 2.0;  // waves of more points count more, up to twice at twice as many
constexpr double faint = 0.001;                       // absorption coefficients of this size and below count less
constexpr double tolerable = 0.05;    // spread over the angles, in ln, above which a frequency counts less
constexpr double sharp_weight = 0.3;  // of a branch's quality factor above the largest, in ln

// The impedance of `values`, D, E, F of each branch and the inertance; `slope`, if not null: of the branches'
// admittance by the logarithms. In real numbers, since the fit spends its time here.
Complex impedance(const Eigen::VectorXd& values, Complex s, Eigen::VectorXcd* slope) {
  const Eigen::Index last = values.size() - 1;
  const double w = s.imag();
  double real = 0.0, imag = 0.0;
  for (Eigen::Index i = 0; i < last; i += 3) {
    const double mass = values[i] * w, resistance = values[i + 1], spring = values[i + 2] / w;
    const double reactance = mass - spring, square = resistance * resistance + reactance * reactance;
    const double g = resistance / square, b = -reactance / square;
    real += g;
    imag += b;
    if (slope == nullptr) continue;
    const double gg = g * g - b * b, gb = 2.0 * g * b;  // of the branch's admittance squared
    (*slope)[i] = {gb * mass, -gg * mass};
    (*slope)[i + 1] = {-gg * resistance, -gb * resistance};
    (*slope)[i + 2] = {-gb * spring, gg * spring};
  }
  const double square = real * real + imag * imag;
  return {real / square, values[last] * w - imag / square};
}

double reflection_scale(const Aim& aim) { return phase_weight / std::max(std::abs(aim.reflection), 0.3); }

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
  for (const Aim& aim : aims) weights_.push_back(aim.weight);
  grazing_ = std::ranges::count_if(aims, &Aim::grazing);
}

LeastSquaresResult FitProblem::solve(const Eigen::VectorXd& start, int iterations) const {
  LeastSquaresProblem problem;
  problem.residuals =
      static_cast<int>(3 * aims_.size()) + static_cast<int>(grazing_) + static_cast<int>(start.size() / 3);
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
  const std::vector<Miss>& misses = at(x).misses;
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    largest = std::max(largest, aims_[i].weight * std::abs(misses[i].log_ratio));
    if (aims_[i].grazing) squares += std::pow(misses[i].lag, 2);
  }
  return largest + (grazing_ > 0 ? std::sqrt(squares / static_cast<double>(grazing_)) : 0.0);
}

void FitProblem::reweight(const Eigen::VectorXd& x) {
  const std::vector<Miss>& found = at(x).misses;
  std::vector<double> misses;
  for (std::size_t i = 0; i < aims_.size(); ++i) misses.push_back(aims_[i].weight * std::abs(found[i].log_ratio));
  const double largest = std::max(*std::ranges::max_element(misses), 1e-12);
  double top = 0.0;
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    weights_[i] *= std::pow(0.35 + 0.65 * misses[i] / largest, 0.7);
    top = std::max(top, weights_[i]);
  }
  for (double& weight : weights_) weight /= top;
}

// Logarithms and arcs take most of the time of an answer.
const FitProblem::Misses& FitProblem::at(const Eigen::VectorXd& x) const {
  return latest_.of(x, [&](Misses& made) {
    made.values = x.array().exp();
    made.misses.resize(aims_.size());
    for (std::size_t i = 0; i < aims_.size(); ++i) {
      const Aim& aim = aims_[i];
      const Complex z = impedance(made.values, aim.s, nullptr);
      made.misses[i] = {log_ratio(aim, z), aim.grazing ? weighted_lag(aim, z) : 0.0,
                        1.0 - quotient(2.0 * aim.load.real(), z + aim.load) - aim.reflection};
    }
  });
}

void FitProblem::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const {
  const Misses& found = at(x);
  auto grazing_row = static_cast<Eigen::Index>(3 * aims_.size());
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    const Miss& miss = found.misses[i];
    const auto row = static_cast<Eigen::Index>(3 * i);
    const double scale = weights_[i] * reflection_scale(aims_[i]);
    r[row] = weights_[i] * miss.log_ratio;
    r[row + 1] = scale * miss.reflection.real();
    r[row + 2] = scale * miss.reflection.imag();
    if (aims_[i].grazing) r[grazing_row++] = miss.lag;
  }
  if (jacobian != nullptr) slopes(found.values, *jacobian);
  add_sharpness(x, grazing_row, r, jacobian);
}

void FitProblem::slopes(const Eigen::VectorXd& values, Eigen::MatrixXd& jacobian) const {
  const Eigen::Index last = values.size() - 1;
  Eigen::VectorXcd slope(last);
  auto grazing_row = static_cast<Eigen::Index>(3 * aims_.size());
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    const Aim& aim = aims_[i];
    const Complex z = impedance(values, aim.s, &slope), sum = z + aim.load;
    const auto row = static_cast<Eigen::Index>(3 * i);
    const double scale = weights_[i] * reflection_scale(aim);
    const Eigen::Index phase_row = aim.grazing ? grazing_row++ : -1;
    const Complex met = z + Complex(0.0, aim.load.imag());
    const Complex branches = z - values[last] * aim.s;  // their impedance
    const Complex squared(-branches.real() * branches.real() + branches.imag() * branches.imag(),
                          -2.0 * branches.real() * branches.imag());  // times -1
    const double square = std::norm(sum);
    const Complex factor = quotient(2.0 * aim.load.real(), sum * sum);
    for (Eigen::Index j = 0; j <= last; ++j) {
      const Complex dz = j == last ? values[last] * aim.s
                                   : Complex(squared.real() * slope[j].real() - squared.imag() * slope[j].imag(),
                                             squared.real() * slope[j].imag() + squared.imag() * slope[j].real());
      jacobian(row, j) =
          weights_[i] * (dz.real() / z.real() - 2.0 * (sum.real() * dz.real() + sum.imag() * dz.imag()) / square);
      jacobian(row + 1, j) = scale * (factor.real() * dz.real() - factor.imag() * dz.imag());
      jacobian(row + 2, j) = scale * (factor.real() * dz.imag() + factor.imag() * dz.real());
      if (phase_row >= 0)
        jacobian(phase_row, j) =
            aim.weight * grazing_weight * (dz.imag() * met.real() - dz.real() * met.imag()) / std::norm(met);
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
