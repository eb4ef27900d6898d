#include "engine/walls/grid_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/known_values.hpp"
#include "base/math/least_squares.hpp"
#include "engine/materials/resonator_fit.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/fit_problem.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
// Fitted by hand. Halved or doubled, one after the other, these constants leave the mean over walls of the largest errors
// of absorption, 2.5 %, between 2.4 and 2.7 %, the largest displacement of a wall, 0.32 cells, between 0.31 and 0.39, and
// the mean before sets with a radial map between 0.40 and 0.45 for 0.42, but for `gain`: at 0.4 the mean is 3.3 %
// (bench/constants.py, bench/results/constants.json).
constexpr double floor_of_start = 1e-3;  // a D or F of 0 starts at this fraction of E
constexpr std::size_t many_branches = 3;
constexpr double near_enough = 0.02;  // largest |ln ratio| at which no branch is added
constexpr double gain = 0.8;          // a further branch is kept if it lowers that below this factor
constexpr double poor = 0.08;         // largest |ln ratio| at which a fit from a near one is searched for anew
// A fit must not invent resonances: above this quality factor, or 1.5 times the material's own, branches are held back.
constexpr double sharp = 3.0;
constexpr int reweighted = 5;

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

GridFit result_of(const Eigen::VectorXd& x) {
  GridFit fit;
  for (const Branch& b : branches_of(x.head(x.size() - 1), 1.0)) fit.branches.push_back({b.D, b.E, b.F});
  fit.inertance = std::exp(x[x.size() - 1]);
  return fit;
}

struct Found {
  Eigen::VectorXd x;
  double worst = std::numeric_limits<double>::infinity();
  bool accepted = false;
};

// The best of the starts by least squares, then towards the smallest largest error; the first that `accepts`, if not
// null, takes.
Found search(const std::vector<Aim>& aims, const std::vector<Eigen::VectorXd>& starts, double max_sharpness,
             const AcceptFit& accepts, int rounds = reweighted) {
  FitProblem problem(aims, max_sharpness);
  const auto too_sharp = [&](const Eigen::VectorXd& x) { return sharpest(x) > 1.2 * max_sharpness; };
  const auto accepted = [&](const Eigen::VectorXd& x) { return accepts && !too_sharp(x) && accepts(result_of(x)); };
  LeastSquaresResult lowest{{}, std::numeric_limits<double>::infinity()};
  for (const Eigen::VectorXd& start : starts) {
    const LeastSquaresResult result = problem.solve(start, 60);
    if (accepted(result.x)) return {result.x, problem.error(result.x), true};
    if (result.cost < lowest.cost) lowest = result;
  }
  Found found{lowest.x, problem.error(lowest.x)};
  if (too_sharp(lowest.x)) found.worst = std::numeric_limits<double>::infinity();
  Eigen::VectorXd x = lowest.x;
  for (int round = 0; round < rounds; ++round) {
    problem.reweight(x);
    x = problem.solve(x, 20).x;
    const double worst = problem.error(x);
    if (accepted(x)) return {x, worst, true};
    if (worst < found.worst && !too_sharp(x)) found = {x, worst};
  }
  return found;
}

double sharpness_for(const Eigen::VectorXd& own) { return std::max(sharp, 1.5 * sharpest(own)); }

// From the material's own branches, with more of them while that gains much.
Found search_anew(const std::vector<Aim>& aims, std::span<const Branch> branches, double time_step,
                  const std::vector<WallWave>& waves, const AcceptFit& accepts) {
  const Eigen::VectorXd own = start_at(branches, time_step, 0.3, floor_of_start);
  const double max_sharpness = sharpness_for(own);
  std::vector<Eigen::VectorXd> first = {own};
  // Many branches share the band, and a D or F that begins too large hides its branch at the other end of it.
  if (branches.size() >= many_branches)
    for (const double floor : {1e-5, 1e-7}) first.push_back(start_at(branches, time_step, 0.3, floor));
  Found best = search(aims, first, max_sharpness, accepts);
  if (best.accepted) return best;
  const double edge = std::abs(aims.back().s);
  const Complex at_edge = physical_admittance(branches, time_step, waves.back().truth);
  const double resistance = 1.0 / std::max(std::abs(at_edge), 1e-4);
  Eigen::VectorXd before = best.x;
  for (std::size_t count = branches.size(); count < branch_limit(branches.size()) && best.worst > near_enough;
       ++count) {
    std::vector<Eigen::VectorXd> starts = {
        with_more(before, 2.0 * resistance / edge, 4.0 * resistance, 2.0 * resistance * edge),
        with_more(before, 0.01 * resistance, 10.0 * resistance, 3.0 * resistance * edge),
        with_more(before, 3.0 * resistance / edge, 5.0 * resistance, 0.01 * resistance)};
    // A spring leads.
    if (lags(waves)) starts.push_back(with_more(before, 1e-4 * resistance, 1e-3 * resistance, 2.0 * resistance * edge));
    const Found more = search(aims, starts, max_sharpness, accepts);
    if (more.accepted) return more;
    before = more.x;
    if (more.worst < gain * best.worst) best = more;
  }
  return best;
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
    if (aim.grazing) worst.phase += std::pow(weighted_lag(aim, z), 2);
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
                       const GridFit* near, const AcceptFit& accepts) {
  // The absorption of a wall is proportional to an admittance as small as that. Such a wall is fitted as one that
  // absorbs more, whose branches lie within the bounds of the search and whose absorption counts in it.
  if (const double faint_by = faintness(branches, time_step, waves); faint_by > 1.0) {
    std::vector<Branch> louder(branches.begin(), branches.end());
    scale(louder, 1.0 / faint_by);
    GridFit like = near != nullptr ? *near : GridFit{};
    scale(like.branches, 1.0 / faint_by);
    const auto as_it_is = [&](GridFit fit) {
      scale(fit.branches, faint_by);
      return accepts(fit);
    };
    GridFit fit = search_on_grid(louder, time_step, waves, near != nullptr ? &like : nullptr,
                                 accepts ? AcceptFit(as_it_is) : nullptr);
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
    best = search(aims, {start}, max_sharpness, {}, 2);
    const double as_it_is = FitProblem(aims, max_sharpness).error(start);
    if (as_it_is < best.worst) best = {start, as_it_is};
  }
  if (best.worst > poor) {
    const Found anew = search_anew(aims, branches, time_step, waves, accepts);
    if (best.x.size() == 0 || anew.accepted || anew.worst < best.worst) best = anew;
  }
  GridFit fit = result_of(best.x);
  if (best.accepted) return fit;
  prune(fit, aims);
  return fit;
}

std::vector<double> arguments_of_fit(std::span<const Branch> branches, double time_step,
                                     const std::vector<WallWave>& waves, const GridFit* near) {
  std::vector<double> all = {time_step, static_cast<double>(branches.size())};
  for (const Branch& branch : branches) all.insert(all.end(), {branch.D, branch.E, branch.F});
  for (const WallWave& wave : waves)
    all.insert(all.end(),
               {wave.truth, wave.cosine, wave.points, wave.omega, wave.stretch, wave.load.real(), wave.load.imag()});
  if (near == nullptr) return all;
  all.push_back(near->inertance);
  for (const LawBranch& branch : near->branches) all.insert(all.end(), {branch.D, branch.E, branch.F});
  return all;
}

GridFit fit_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves,
                    const GridFit* near) {
  static KnownValues<GridFit> known(512);  // of some kilobytes each
  return known.of(arguments_of_fit(branches, time_step, waves, near),
                  [&] { return search_on_grid(branches, time_step, waves, near); });
}

}  // namespace fdtd
