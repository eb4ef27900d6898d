// Each branch is a resonator 1/(D s + E + F/s); D, E, F > 0 since the fit searches their logarithms. It fits the
// logarithm of the Paris coefficient averaged over each octave: relative errors of absorption are those of reverberation
// times. Coefficients say nothing of the reactance, and many laws have the same: of these it takes one that is smooth
// between the centres and has little reactance. Branches are added where the misfit is largest until every band is met.
#include "engine/materials/band_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "base/known_values.hpp"
#include "base/math/newton.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/known_band_laws.hpp"
#include "engine/materials/resonator_fit.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr int points_a_band = 12;                         // as in octave_band_absorption
constexpr double points_held = 3.0;                       // an octave
constexpr double lowest_held = 25.0, highest_held = 2e4;  // Hz
constexpr double smoothness = 0.1;                        // weight of the pull between centres, against 1 of the bands
constexpr double reactance_weight = 0.05;                 // weight of the phase of the admittance, in rad
constexpr double held_weight = 0.3;                       // of the octaves that no band states
constexpr double good_enough = 0.6, tolerated = 0.9;      // largest misfits over tolerance: see ResonatorSearch
constexpr double aimed_at = 0.05;                         // relative error
constexpr double log_bound = 14.0;                        // of log E
constexpr double max_sharpness = 3.0;                     // octaves do not show sharper resonances
constexpr double faint = 2e-4;                            // absorption coefficients of this size do not matter
constexpr double min_tolerance = 2e-4;
constexpr std::size_t branch_limit = 9;

struct Target {
  std::vector<double> centres, alpha;  // alpha at most the maximum, at least `faint`
  std::vector<double> frequencies;     // points_a_band for each band, then those outside all bands
  std::vector<double> wanted;          // at each frequency
  double omega0 = 1.0;                 // 2 pi times the geometric mean of the frequencies
  double reach = 0.0;                  // log of the highest frequency over that
  double emphasis = 1.0;               // weight of the bands

  // The logarithm linear in log frequency between the centres, constant outside.
  double at(double frequency) const {
    if (frequency <= centres.front()) return alpha.front();
    if (frequency >= centres.back()) return alpha.back();
    const auto i = static_cast<std::size_t>(std::ranges::upper_bound(centres, frequency) - centres.begin());
    const double t = std::log(frequency / centres[i - 1]) / std::log(centres[i] / centres[i - 1]);
    return std::exp(std::lerp(std::log(alpha[i - 1]), std::log(alpha[i]), t));
  }
};

Target make_target(const std::vector<double>& centres, const std::vector<double>& alpha) {
  Target target;
  target.centres = centres;
  for (const double one : alpha) target.alpha.push_back(std::clamp(one, faint, largest_random_incidence_absorption()));
  for (const double centre : centres)
    for (int j = 0; j < points_a_band; ++j)
      target.frequencies.push_back(centre * std::exp2((j + 0.5) / points_a_band - 0.5));
  const double below = centres.front() * std::exp2(-0.5), above = centres.back() * std::exp2(0.5);
  const double low = std::min(lowest_held, below / 4.0), high = std::max(highest_held, above * 2.0);
  const double step = std::exp2(1.0 / points_held);
  for (double f = below / std::sqrt(step); f > low; f /= step) target.frequencies.push_back(f);
  for (double f = above * std::sqrt(step); f < high; f *= step) target.frequencies.push_back(f);
  for (const double frequency : target.frequencies) target.wanted.push_back(target.at(frequency));
  target.omega0 = 2.0 * std::numbers::pi * std::sqrt(low * high);
  target.reach = 0.5 * std::log(high / low);
  return target;
}

// Hard walls are fitted as closely as others, though reported with less: reverberation times are theirs.
double relative_tolerance(double alpha) { return std::max(min_tolerance / alpha, aimed_at); }

// Residuals: the misfit of every band over its tolerance, then the pull at every frequency, then the phases.
void evaluate(const Target& target, const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
  const auto bands = static_cast<Eigen::Index>(target.centres.size());
  const auto points = static_cast<Eigen::Index>(target.frequencies.size());
  Eigen::VectorXcd slope(x.size());  // dy/dx
  const Eigen::VectorXd values = exponentials(x);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(bands);
  if (jacobian != nullptr) jacobian->topRows(bands).setZero();
  for (Eigen::Index j = 0; j < points; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Complex s(0.0, 2.0 * std::numbers::pi * target.frequencies[at] / target.omega0);
    const Complex y = admittance(values, s, slope);
    const Eigen::Index band = j / points_a_band;
    const bool inside = band < bands;
    const double fraction = inside ? 1.0 / points_a_band : 1.0 / points_held;  // of an octave
    const double pull =
        (inside ? smoothness : held_weight) * std::sqrt(fraction) / relative_tolerance(target.wanted[at]);
    const double turn = reactance_weight * std::sqrt(fraction) / relative_tolerance(target.wanted[at]);
    const AbsorptionSlope alpha = slope_of_absorption(y);
    r[bands + j] = pull * std::log(std::max(alpha.value, 1e-12) / target.wanted[at]);
    r[bands + points + j] = turn * std::arg(y);
    if (inside) sums[band] += fraction * alpha.value;
    if (jacobian == nullptr) continue;
    const Eigen::RowVectorXd row = (alpha.by_real * slope.real() + alpha.by_imaginary * slope.imag()).transpose();
    jacobian->row(bands + j) = pull / std::max(alpha.value, 1e-12) * row;
    jacobian->row(bands + points + j) = turn * (slope / y).imag().transpose();
    if (inside) jacobian->row(band) += fraction * row;
  }
  for (Eigen::Index i = 0; i < bands; ++i) {
    const double wanted = target.alpha[static_cast<std::size_t>(i)];
    const double weight = target.emphasis / relative_tolerance(wanted);
    const double sum = std::max(sums[i], 1e-12);
    r[i] = weight * std::log(sum / wanted);
    if (jacobian != nullptr) jacobian->row(i) *= weight / sum;
  }
}

// Misfit of a band over its tolerance, above 0 if too little is absorbed.
double misfit_of(const Target& target, const std::vector<Branch>& branches, std::size_t band) {
  const double wanted = target.alpha[band];
  return std::log(wanted / std::max(octave_band_absorption(branches, target.centres[band]), 1e-12)) /
         relative_tolerance(wanted);
}

double worst_misfit(const Target& target, const std::vector<Branch>& branches) {
  double worst = 0.0;
  for (std::size_t i = 0; i < target.centres.size(); ++i)
    worst = std::max(worst, std::abs(misfit_of(target, branches, i)));
  return worst;
}

// `x` and a resonator at `frequency` that by itself absorbs alpha there, of quality factor q.
Eigen::VectorXd with_resonator(const Eigen::VectorXd& x, const Target& target, double frequency, double alpha,
                               double q) {
  const double resistance = 1.0 / std::max(admittance_of_absorption(alpha), 1e-6);
  const double omega = 2.0 * std::numbers::pi * frequency / target.omega0;
  return with_branch(x, std::log(q * resistance / omega), std::log(resistance), std::log(q * resistance * omega));
}

// Start values for n branches: evenly spread resonators; a wide one below n - 1 narrow ones; the best n - 1 branches
// and one more where their misfit is largest.
std::vector<Eigen::VectorXd> starts(const Target& target, int n, const Eigen::VectorXd& previous) {
  const double low = std::log(target.centres.front()) - 0.35, high = std::log(target.centres.back()) + 0.35;
  const double middle = std::exp(0.5 * (low + high));
  const double smallest = *std::ranges::min_element(target.alpha);
  std::vector<Eigen::VectorXd> result;
  if (n == 1) {
    const auto peak = std::ranges::max_element(target.alpha) - target.alpha.begin();
    const auto at = static_cast<std::size_t>(peak);
    result.push_back(with_resonator({}, target, middle, smallest, 1e-3));
    result.push_back(with_resonator({}, target, target.centres[at], target.alpha[at], 1.0));
    return result;
  }
  for (int wide = 0; wide < 2; ++wide) {
    Eigen::VectorXd x;
    if (wide != 0) x = with_resonator(x, target, middle, smallest, 0.01);
    const int narrow = n - wide;
    for (int i = 0; i < narrow; ++i) {
      const double frequency = std::exp(low + (high - low) * (i + 0.5) / narrow);
      const double q = 0.5 / std::sinh(0.5 * (high - low) / narrow);
      x = with_resonator(x, target, frequency, target.at(frequency), std::min(q, max_sharpness));
    }
    result.push_back(x);
  }
  const std::vector<Branch> branches = branches_of(previous, target.omega0);
  std::size_t at = 0;
  for (std::size_t i = 1; i < target.centres.size(); ++i)
    if (std::abs(misfit_of(target, branches, i)) > std::abs(misfit_of(target, branches, at))) at = i;
  const double missing = std::abs(target.alpha[at] - octave_band_absorption(branches, target.centres[at]));
  result.push_back(with_resonator(previous, target, target.centres[at], missing, 1.0));
  return result;
}

// Whether two laws have the same admittance within a fraction of it, at all frequencies of the target.
bool same_law(const Target& target, const std::vector<Branch>& a, const std::vector<Branch>& b, double fraction) {
  return std::ranges::all_of(target.frequencies, [&](double f) {
    const Complex y = admittance(a, f);
    return std::abs(admittance(b, f) - y) <= fraction * y.real();
  });
}

// Of the smooth law: the step of derivatives by central differences, in the variables of the search.
constexpr double difference = 1e-5;
constexpr std::size_t fewest_branches = 4, most_branches = 8;  // else one a band
// The pulls towards the start hold one minimum; from that of weak bands the fit follows it as their weight grows.
constexpr std::array<double, 3> smooth_pulls = {8.0, 2.0, 6.0};  // of the logarithms of resonance, E and quality factor
constexpr std::array<double, 8> smooth_emphases = {0.54, 0.9, 1.5, 2.5, 4.2, 7.0, 12.0, 20.0};
constexpr int iterations_of_stage = 100, steps_to_rest = 200;
constexpr double at_rest = 1e-7;  // norm of the cost's gradient

struct SmoothFit {
  Target target;
  Eigen::VectorXd start, lower, upper;

  void residuals(const Eigen::VectorXd& p, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const {
    evaluate(target, logarithms(p), r, jacobian);
    if (jacobian != nullptr) {
      turn_columns(*jacobian);
      jacobian->bottomRows(p.size()).setZero();
    }
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      const double pull = smooth_pulls[static_cast<std::size_t>(j % 3)];
      r[r.size() - p.size() + j] = pull * (p[j] - start[j]);
      if (jacobian != nullptr) (*jacobian)(r.size() - p.size() + j, j) = pull;
    }
  }
  Eigen::Index count() const {
    return static_cast<Eigen::Index>(target.centres.size() + 2 * target.frequencies.size()) + start.size();
  }
  Eigen::VectorXd gradient(const Eigen::VectorXd& p) const {
    Eigen::VectorXd r(count());
    Eigen::MatrixXd jacobian(count(), p.size());
    residuals(p, r, &jacobian);
    return jacobian.transpose() * r;
  }
  double cost(const Eigen::VectorXd& p) const {
    Eigen::VectorXd r(count());
    residuals(p, r, nullptr);
    return 0.5 * r.squaredNorm();
  }
  Eigen::MatrixXd hessian(const Eigen::VectorXd& p) const {
    Eigen::MatrixXd h(p.size(), p.size());
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      Eigen::VectorXd up = p, down = p;
      up[j] += difference, down[j] -= difference;
      h.col(j) = (gradient(up) - gradient(down)) / (2.0 * difference);
    }
    return 0.5 * (h + h.transpose());
  }
};

SmoothFit smooth_fit(const std::vector<double>& centres, const std::vector<double>& alpha, Eigen::Index branches) {
  SmoothFit fit;
  fit.target = make_target(centres, alpha);
  fit.target.emphasis = smooth_emphases.back();
  const Eigen::Vector3d bound(fit.target.reach, log_bound, std::log(max_sharpness));
  fit.upper = bound.replicate(branches, 1);
  fit.lower = -fit.upper;
  for (Eigen::Index i = 0; i < branches; ++i) fit.lower[3 * i + 2] = std::log(1e-6);
  fit.start = searched(starts(fit.target, static_cast<int>(branches), {}).front());
  return fit;
}

}  // namespace

namespace {

SmoothBandLaw find_smooth_law(const std::vector<double>& stated_centres, const std::vector<double>& stated) {
  // The nearest octave's coefficient holds in the octaves beside them, too.
  std::vector<double> centres = stated_centres;
  centres.insert(centres.begin(), 0.5 * stated_centres.front());
  centres.push_back(2.0 * stated_centres.back());
  const auto held_too = [](std::vector<double> alpha) {
    alpha.insert(alpha.begin(), alpha.front());
    alpha.push_back(alpha.back());
    return alpha;
  };
  const std::vector<double> alpha = held_too(stated);
  const auto branches = static_cast<Eigen::Index>(std::clamp(stated.size(), fewest_branches, most_branches));
  SmoothFit fit = smooth_fit(centres, alpha, branches);
  LeastSquaresProblem problem;
  problem.residuals = static_cast<int>(fit.count());
  problem.stays_on_bounds = true;
  problem.lower = fit.lower, problem.upper = fit.upper;
  problem.evaluate = [&](const Eigen::VectorXd& p, Eigen::VectorXd& r, Eigen::MatrixXd* j) { fit.residuals(p, r, j); };
  const BoundedFunction whole{fit.lower, fit.upper, [&](const Eigen::VectorXd& at) { return fit.cost(at); },
                              [&](const Eigen::VectorXd& at) { return fit.gradient(at); },
                              [&](const Eigen::VectorXd& at) { return fit.hessian(at); }};
  // Of steep coefficients a stage stalls in a flat valley, from where the next may fall into another minimum: each is
  // brought to rest.
  RestPoint rest;
  rest.x = fit.start;
  for (const double emphasis : smooth_emphases) {
    fit.target.emphasis = emphasis;
    rest = to_rest(whole, minimise(problem, rest.x, iterations_of_stage).x, at_rest, steps_to_rest);
  }
  const Eigen::VectorXd& p = rest.x;
  const Eigen::LDLT<Eigen::MatrixXd> hessian(rest.hessian);
  SmoothBandLaw law{branches_of(logarithms(p), fit.target.omega0), {}};
  law.slopes.resize(3 * law.branches.size() * stated.size());
  for (std::size_t k = 0; k < stated.size(); ++k) {
    std::vector<double> up = stated, down = stated;
    const double step = difference * std::max(stated[k], faint);
    up[k] += step, down[k] -= step;
    Eigen::VectorXd by = (smooth_fit(centres, held_too(up), branches).gradient(p) -
                          smooth_fit(centres, held_too(down), branches).gradient(p)) /
                         (2.0 * step);
    for (Eigen::Index j = 0; j < p.size(); ++j)
      if (rest.held[static_cast<std::size_t>(j)]) by[j] = 0.0;
    const Eigen::VectorXd x = logarithms(-hessian.solve(by));  // which is linear
    for (Eigen::Index i = 0; i < x.size(); ++i) law.slopes[static_cast<std::size_t>(i) * stated.size() + k] = x[i];
  }
  return law;
}

}  // namespace

SmoothBandLaw smooth_band_law(const std::vector<double>& centres, const std::vector<double>& alpha) {
  static KnownValues<SmoothBandLaw> known(64);
  std::vector<double> stated = centres;
  stated.insert(stated.end(), alpha.begin(), alpha.end());
  return known.of(std::move(stated), [&] { return find_smooth_law(centres, alpha); });
}

double absorption_tolerance(double alpha) { return std::max((alpha < 0.05 ? 0.1 : 0.05) * alpha, min_tolerance); }

std::vector<Branch> search_band_law(const std::vector<double>& centres, const std::vector<double>& alpha) {
  const Target target = make_target(centres, alpha);
  ResonatorSearch how;
  how.residuals = static_cast<int>(target.centres.size() + 2 * target.frequencies.size());
  how.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) { evaluate(target, x, r, j); };
  how.omega0 = target.omega0;
  how.log_bound = log_bound;
  how.max_sharpness = max_sharpness;
  how.log_reach = target.reach;
  how.max_branches = static_cast<int>(std::min(target.centres.size() + 1, branch_limit));
  how.starts = [&](int n, const Eigen::VectorXd& before) { return starts(target, n, before); };
  how.misfit = [&](const std::vector<Branch>& branches) { return worst_misfit(target, branches); };
  how.enough = good_enough;
  how.enough_of_many = tolerated;
  how.gain = 0.9;
  std::vector<Branch> branches = search(how).branches;
  constexpr double negligible = 0.005;
  const std::vector<Branch> found = branches;
  prune(branches,
        [&](const std::vector<Branch>& fewer) { return !fewer.empty() && same_law(target, found, fewer, negligible); });
  return branches;
}

std::vector<Branch> fit_band_law(const std::vector<double>& centres, const std::vector<double>& alpha) {
  if (*std::ranges::max_element(alpha) <= 0.0) return {};
  static KnownValues<std::vector<Branch>> known(1024);
  std::vector<double> stated = centres;
  stated.insert(stated.end(), alpha.begin(), alpha.end());
  if (std::optional<std::vector<Branch>> law = known_band_law(stated)) return *std::move(law);
  return known.of(std::move(stated), [&] { return search_band_law(centres, alpha); });
}

}  // namespace fdtd
