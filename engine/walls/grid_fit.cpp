#include "engine/walls/grid_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/latest_two.hpp"
#include "base/math/least_squares.hpp"
#include "base/math/quotient.hpp"
#include "engine/materials/resonator_fit.hpp"
#include "engine/walls/absorption_ratios.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
// Fitted by hand. Halved or doubled, one after the other, these constants leave the mean over walls of the largest errors
// of absorption, 2.5 %, between 2.4 and 2.7 %, the largest displacement of a wall, 0.32 cells, between 0.31 and 0.39, and
// the mean before sets with a radial map between 0.40 and 0.45 for 0.42, but for `gain`: at 0.4 the mean is 3.3 %
// (bench/constants.py, bench/results/constants.json).
constexpr double log_bound = 16.0;       // of D, E and F in steps
constexpr double floor_of_start = 1e-3;  // a D or F of 0 starts at this fraction of E
constexpr std::size_t many_branches = 3;
constexpr double phase_weight = 0.3;  // of the reflection coefficient against absorption
// Modes that graze a wall decay the slowest. There cos theta is no longer large against the admittance, and a mode's
// decay depends on the admittance's phase as on its magnitude. This fraction of the phase counts, against absorption.
constexpr double grazing_weight = 0.4;
constexpr double grazing_cosine = 0.3;                // of incidence, and below
constexpr double long_wave = 3.0, max_of_long = 2.0;  // waves of more points count more, up to twice at twice as many
constexpr double faint = 0.001;                       // absorption coefficients of this size and below count less
constexpr double tolerable = 0.05;  // spread over the angles, in ln, above which a frequency counts less
constexpr double enough = 0.02;     // largest |ln ratio| at which no branch is added
constexpr double gain = 0.8;        // a further branch is kept if it lowers that below this factor
constexpr double poor = 0.08;       // largest |ln ratio| at which a fit from a near one is searched for anew
// A fit must not invent resonances: above this quality factor, or 1.5 times the material's own, branches are held back.
constexpr double sharp = 3.0, sharp_weight = 0.3;
constexpr int reweightings = 5;

struct Aim {
  Complex s;  // 2 i tan(w/2)
  Complex load;
  Complex reflection;  // theory's
  Complex admittance;  // theory's, too
  double absorption = 0.0;
  bool grazing = false;
  double weight = 0.0;
};

// Whether the admittance must fall with frequency, as with a radial map: by causality its phase lags then, unless the
// fit is made to see it. Other laws have little lag, and are fitted to absorption and reflection alone.
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

// Of the impedance z: ln(absorbed / theory), reflection.
double log_ratio(const Aim& aim, Complex z) {
  return std::log(std::max(4.0 * aim.load.real() * z.real() / std::norm(z + aim.load), 1e-12) / aim.absorption);
}

// Of the impedance z: the phase by which the admittance that the wave meets lags behind theory's.
double phase_lag(const Aim& aim, Complex z) { return std::arg((z + Complex(0.0, aim.load.imag())) * aim.admittance); }

// x: logarithms of D, E, F of each branch, then of the inertance. Three residuals a wave, four at grazing incidence.
class FitProblem {
 public:
  FitProblem(const std::vector<Aim>& aims, double max_sharpness)
      : aims_(aims), log_sharpness_(std::log(max_sharpness)) {
    for (const Aim& aim : aims) weights_.push_back(aim.weight);
    grazing_ = std::ranges::count_if(aims, &Aim::grazing);
  }

  LeastSquaresResult solve(const Eigen::VectorXd& start, int iterations) const {
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

  // The measure of a fit: the largest weighted |ln(absorbed / theory)|, and the root mean square of the phase.
  double error(const Eigen::VectorXd& x) const {
    double largest = 0.0, squares = 0.0;
    const std::vector<Miss>& misses = at(x).misses;
    for (std::size_t i = 0; i < aims_.size(); ++i) {
      largest = std::max(largest, aims_[i].weight * std::abs(misses[i].log_ratio));
      if (aims_[i].grazing) squares += std::pow(aims_[i].weight * grazing_weight * misses[i].lag, 2);
    }
    return largest + (grazing_ > 0 ? std::sqrt(squares / static_cast<double>(grazing_)) : 0.0);
  }

  // Weights grow where the error is large.
  void reweight(const Eigen::VectorXd& x) {
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

 private:
  struct Miss {
    double log_ratio = 0.0, lag = 0.0;  // lag: at grazing incidence
    Complex reflection;                 // of the wall less theory's
  };
  struct Misses {
    Eigen::VectorXd values;  // exp of x
    std::vector<Miss> misses;
  };

  // How far walls of `x` are off. Logarithms and arcs take most of the time of an answer.
  const Misses& at(const Eigen::VectorXd& x) const {
    return latest_.of(x, [&](Misses& made) {
      made.values = x.array().exp();
      made.misses.resize(aims_.size());
      for (std::size_t i = 0; i < aims_.size(); ++i) {
        const Aim& aim = aims_[i];
        const Complex z = impedance(made.values, aim.s, nullptr);
        made.misses[i] = {log_ratio(aim, z), aim.grazing ? phase_lag(aim, z) : 0.0,
                          1.0 - quotient(2.0 * aim.load.real(), z + aim.load) - aim.reflection};
      }
    });
  }

  // The impedance of `values`, D, E, F of each branch and the inertance; `slope`, if not null: of the branches'
  // admittance by the logarithms. In real numbers, since the fit spends its time here.
  static Complex impedance(const Eigen::VectorXd& values, Complex s, Eigen::VectorXcd* slope) {
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

  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) const {
    const Misses& found = at(x);
    auto grazing_row = static_cast<Eigen::Index>(3 * aims_.size());
    for (std::size_t i = 0; i < aims_.size(); ++i) {
      const Miss& miss = found.misses[i];
      const auto row = static_cast<Eigen::Index>(3 * i);
      const double scale = weights_[i] * reflection_scale(aims_[i]);
      r[row] = weights_[i] * miss.log_ratio;
      r[row + 1] = scale * miss.reflection.real();
      r[row + 2] = scale * miss.reflection.imag();
      if (aims_[i].grazing) r[grazing_row++] = aims_[i].weight * grazing_weight * miss.lag;
    }
    if (jacobian != nullptr) slopes(found.values, *jacobian);
    add_sharpness(x, grazing_row, r, jacobian);
  }

  static double reflection_scale(const Aim& aim) { return phase_weight / std::max(std::abs(aim.reflection), 0.3); }

  // Of the residuals of all waves.
  void slopes(const Eigen::VectorXd& values, Eigen::MatrixXd& jacobian) const {
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

  // The residuals from `first` on: of branches that are too sharp.
  void add_sharpness(const Eigen::VectorXd& x, Eigen::Index first, Eigen::VectorXd& r,
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

  const std::vector<Aim>& aims_;
  std::vector<double> weights_;
  std::ptrdiff_t grazing_ = 0;
  double log_sharpness_;
  mutable LatestTwo<Misses> latest_;
};

double log_of(double value) { return std::clamp(std::log(std::max(value, 1e-300)), -log_bound, log_bound); }

// Branches in steps; a coefficient of 0 starts at `floor` of their sum.
Eigen::VectorXd start_at(std::span<const Branch> branches, double time_step, double inertance, double floor) {
  Eigen::VectorXd x(0);
  for (const Branch& b : branches) {
    const double D = b.D / time_step, F = b.F * time_step, least = floor * (D + b.E + F);
    x = with_branch(x, log_of(std::max(D, least)), log_of(std::max(b.E, least)), log_of(std::max(F, least)));
  }
  Eigen::VectorXd result(x.size() + 1);
  result << x, log_of(inertance);
  return result;
}

// One more branch before the inertance.
Eigen::VectorXd with_more(const Eigen::VectorXd& x, double D, double E, double F) {
  const Eigen::Index last = x.size() - 1;
  Eigen::VectorXd result(x.size() + 3);
  result << with_branch(x.head(last), log_of(D), log_of(E), log_of(F)), x[last];
  return result;
}

// The largest quality factor of a branch.
double sharpest(const Eigen::VectorXd& x) {
  double q = 0.0;
  for (Eigen::Index i = 0; i + 3 < x.size(); i += 3) q = std::max(q, std::exp(0.5 * (x[i] + x[i + 2]) - x[i + 1]));
  return q;
}

struct Found {
  Eigen::VectorXd x;
  double worst = std::numeric_limits<double>::infinity();
};

// The best of the starts by least squares, then towards the smallest largest error.
Found search(const std::vector<Aim>& aims, const std::vector<Eigen::VectorXd>& starts, double max_sharpness,
             int rounds = reweightings) {
  FitProblem problem(aims, max_sharpness);
  LeastSquaresResult lowest{{}, std::numeric_limits<double>::infinity()};
  for (const Eigen::VectorXd& start : starts) {
    const LeastSquaresResult result = problem.solve(start, 60);
    if (result.cost < lowest.cost) lowest = result;
  }
  Found found{lowest.x, problem.error(lowest.x)};
  const auto too_sharp = [&](const Eigen::VectorXd& x) { return sharpest(x) > 1.2 * max_sharpness; };
  if (too_sharp(lowest.x)) found.worst = std::numeric_limits<double>::infinity();
  Eigen::VectorXd x = lowest.x;
  for (int round = 0; round < rounds; ++round) {
    problem.reweight(x);
    x = problem.solve(x, 20).x;
    const double worst = problem.error(x);
    if (worst < found.worst && !too_sharp(x)) found = {x, worst};
  }
  return found;
}

double sharpness_for(const Eigen::VectorXd& own) { return std::max(sharp, 1.5 * sharpest(own)); }

// From the material's own branches, with more of them while that gains much.
Found search_anew(const std::vector<Aim>& aims, std::span<const Branch> branches, double time_step,
                  const std::vector<WallWave>& waves) {
  const Eigen::VectorXd own = start_at(branches, time_step, 0.3, floor_of_start);
  const double max_sharpness = sharpness_for(own);
  std::vector<Eigen::VectorXd> first = {own};
  // Many branches share the band, and a D or F that begins too large hides its branch at the other end of it.
  if (branches.size() >= many_branches)
    for (const double floor : {1e-5, 1e-7}) first.push_back(start_at(branches, time_step, 0.3, floor));
  Found best = search(aims, first, max_sharpness);
  const double edge = std::abs(aims.back().s);
  const Complex at_edge = physical_admittance(branches, time_step, waves.back().truth);
  const double resistance = 1.0 / std::max(std::abs(at_edge), 1e-4);
  Eigen::VectorXd before = best.x;
  for (std::size_t count = branches.size(); count < branch_limit(branches.size()) && best.worst > enough; ++count) {
    std::vector<Eigen::VectorXd> starts = {
        with_more(before, 2.0 * resistance / edge, 4.0 * resistance, 2.0 * resistance * edge),
        with_more(before, 0.01 * resistance, 10.0 * resistance, 3.0 * resistance * edge),
        with_more(before, 3.0 * resistance / edge, 5.0 * resistance, 0.01 * resistance)};
    // A spring leads.
    if (lags(waves)) starts.push_back(with_more(before, 1e-4 * resistance, 1e-3 * resistance, 2.0 * resistance * edge));
    const Found more = search(aims, starts, max_sharpness);
    before = more.x;
    if (more.worst < gain * best.worst) best = more;
  }
  return best;
}

GridFit result_of(const Eigen::VectorXd& x) {
  GridFit fit;
  for (const Branch& b : branches_of(x.head(x.size() - 1), 1.0)) fit.branches.push_back({b.D, b.E, b.F});
  fit.inertance = std::exp(x[x.size() - 1]);
  return fit;
}

// The largest weighted errors of a fit: of absorption and of the reflection coefficient; the phase's squares, summed.
struct Errors {
  double absorption = 0.0, reflection = 0.0, phase = 0.0;
};

Errors errors_of(const GridFit& fit, const std::vector<Aim>& aims) {
  Errors worst;
  for (const Aim& aim : aims) {
    Complex y = 0.0;
    for (const LawBranch& b : fit.branches) y += 1.0 / impedance(b, aim.s);
    const Complex z = fit.inertance * aim.s + 1.0 / y;
    worst.absorption = std::max(worst.absorption, aim.weight * std::abs(log_ratio(aim, z)));
    if (aim.grazing) worst.phase += std::pow(aim.weight * grazing_weight * phase_lag(aim, z), 2);
    const Complex reflection = 1.0 - 2.0 * aim.load.real() / (z + aim.load);
    worst.reflection = std::max(worst.reflection, aim.weight * std::abs(reflection - aim.reflection));
  }
  return worst;
}

// Sets to 0 the coefficients that the fit does not need.
void prune(GridFit& fit, const std::vector<Aim>& aims) {
  const Errors had = errors_of(fit, aims);
  const auto good = [&] {
    const Errors errors = errors_of(fit, aims);
    return errors.absorption <= std::max(1.02 * had.absorption, 1e-3) &&
           errors.phase <= std::max(1.04 * had.phase, 1e-6) &&
           errors.reflection <= std::max(1.02 * had.reflection, 1e-3);
  };
  for (std::size_t i = fit.branches.size(); i-- > 0 && fit.branches.size() > 1;) {
    const std::vector<LawBranch> all = fit.branches;
    fit.branches.erase(fit.branches.begin() + static_cast<std::ptrdiff_t>(i));
    if (!good()) fit.branches = all;
  }
  std::vector<double*> values{&fit.inertance};
  for (LawBranch& branch : fit.branches) values.insert(values.end(), {&branch.D, &branch.F});
  for (double* const value : values) {
    const double kept = *value;
    *value = 0.0;
    if (!good()) *value = kept;
  }
}

}  // namespace

bool fits_on_grid(std::span<const Branch> branches) {
  const auto negative = [](const Branch& b) { return b.D < 0.0 || b.E < 0.0 || b.F < 0.0; };
  return std::ranges::none_of(branches, negative) &&
         std::ranges::any_of(branches, [](const Branch& b) { return b.E > 0.0; });
}

namespace {

// How much a wall's admittance is below `faintest` at most, over the waves; 1 for others.
double faintness(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves) {
  constexpr double faintest = 1e-5;
  double largest = 0.0;
  for (const WallWave& wave : waves)
    largest = std::max(largest, std::abs(physical_admittance(branches, time_step, wave.truth)));
  return largest > 0.0 && largest < faintest / 2.0 ? faintest / largest : 1.0;
}

// Of the impedance `factor` times as large.
template <class Branches>
void scale(Branches& branches, double factor) {
  for (auto& branch : branches) {
    branch.D *= factor;
    branch.E *= factor;
    branch.F *= factor;
  }
}

}  // namespace

GridFit search_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                       const GridFit* near) {
  // The absorption of a wall is proportional to an admittance as small as that. Such a wall is fitted as one that
  // absorbs more, whose branches lie within the bounds of the search and whose absorption counts in it.
  if (const double faint_by = faintness(branches, time_step, waves); faint_by > 1.0) {
    std::vector<Branch> louder(branches.begin(), branches.end());
    scale(louder, 1.0 / faint_by);
    GridFit like = near != nullptr ? *near : GridFit{};
    scale(like.branches, 1.0 / faint_by);
    GridFit fit = search_on_grid(louder, time_step, waves, near != nullptr ? &like : nullptr);
    scale(fit.branches, faint_by);
    return fit;
  }
  const std::vector<Aim> aims = aims_of(branches, time_step, waves);
  Found best;
  if (near != nullptr) {
    std::vector<Branch> found;
    for (const LawBranch& b : near->branches) found.push_back({b.D, b.E, b.F});
    // A coefficient that this fit sets to 0 stays next to nothing.
    const Eigen::VectorXd start = start_at(found, 1.0, std::max(near->inertance, 0.01), 0.0);
    const double max_sharpness = sharpness_for(start_at(branches, time_step, 0.3, floor_of_start));
    best = search(aims, {start}, max_sharpness, 2);
    const double as_it_is = FitProblem(aims, max_sharpness).error(start);
    if (as_it_is < best.worst) best = {start, as_it_is};
  }
  if (best.worst > poor) {
    const Found anew = search_anew(aims, branches, time_step, waves);
    if (best.x.size() == 0 || anew.worst < best.worst) best = anew;
  }
  GridFit fit = result_of(best.x);
  prune(fit, aims);
  return fit;
}

}  // namespace fdtd
