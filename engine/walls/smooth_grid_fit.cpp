#include "engine/walls/smooth_grid_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/known_values.hpp"
#include "base/math/least_squares.hpp"
#include "base/math/newton.hpp"
#include "engine/materials/resonator_fit.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/fit_problem.hpp"

namespace fdtd {
namespace {

// Of a stage towards the one before, by logarithms of coefficients. Strong ones first: of 1500 steep sets of octaves on
// five stencils six pulls of 0.2 led to another minimum beside 13, these beside 2.
constexpr std::array<double, 8> pulls = {2.0, 1.0, 0.7, 0.5, 0.35, 0.25, 0.2, 0.2};
// From this miss of absorption on, in ln, its square counts more by its square: the largest ones matter, as in the plan's fit.
constexpr double large = 0.02;
constexpr double difference = 1e-5;      // of logarithms
constexpr double sharp = 4.5;            // quality factor above which branches are held back: 1.5 times that of octaves
constexpr double log_limit = 32.0;       // of coefficients: f32 holds their squares
constexpr double floor_of_start = 1e-6;  // of a D or F, of the branch's sum
constexpr double start_inertance = 0.3;
constexpr int iterations = 100, steps_to_rest = 50;
constexpr double at_rest = 1e-9;  // norm of the cost's gradient
constexpr std::size_t few_branches_here = 3;

// Branches that follow those of a material, as fractions of the wall's resistance and of the highest frequency: a
// material of one or two has too few for waves whose time is stretched.
struct FurtherBranch {
  double D, E, F;
};
constexpr FurtherBranch further[] = {{2.0, 4.0, 2.0}, {0.01, 10.0, 3.0}, {3.0, 5.0, 0.01}, {1e-4, 1e-3, 2.0}};

bool stretched(const std::vector<WallWave>& waves) {
  return std::ranges::any_of(waves, [](const WallWave& wave) { return wave.stretch != 1.0; });
}

// Towards which the first stage is pulled: the branches in steps.
Eigen::VectorXd centre_of(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves) {
  std::vector<double> logs;
  const auto add = [&](double D, double E, double F) {
    for (const double one : {D, E, F}) logs.push_back(std::clamp(std::log(one), -log_limit, log_limit));
  };
  for (const Branch& b : branches) {
    const double D = b.D / time_step, F = b.F * time_step, least = floor_of_start * (D + b.E + F);
    add(D + least, b.E + least, F + least);
  }
  if (branches.size() < few_branches_here && stretched(waves)) {
    const double edge = 2.0 * std::tan(waves.back().omega / 2.0);
    const double resistance = 1.0 / std::abs(physical_admittance(branches, time_step, waves.back().truth));
    for (const FurtherBranch& one : further)
      add(one.D * resistance / edge, one.E * resistance, one.F * resistance * edge);
  }
  logs.push_back(std::log(start_inertance));
  return Eigen::Map<const Eigen::VectorXd>(logs.data(), static_cast<Eigen::Index>(logs.size()));
}

// The misses of the waves, as those of the plan's fit.
class Misses {
 public:
  Misses(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves)
      : aims_(aims_of(branches, time_step, waves)), problem_(aims_, sharp) {}
  Misses(const Misses&) = delete;
  Misses& operator=(const Misses&) = delete;

  // The misses, then the pull towards `centre`.
  LeastSquaresProblem towards(const Eigen::VectorXd& centre, double pull) const {
    const Eigen::Index n = centre.size(), own = problem_.residuals(n);
    LeastSquaresProblem problem;
    problem.residuals = static_cast<int>(own + n);
    problem.stays_on_bounds = true;
    problem.upper = Eigen::VectorXd::Constant(n, log_limit);
    problem.lower = -problem.upper;
    problem.evaluate = [this, centre, pull, n, own](const Eigen::VectorXd& x, Eigen::VectorXd& r,
                                                    Eigen::MatrixXd* jacobian) {
      Eigen::VectorXd of_waves(own);
      Eigen::MatrixXd by(jacobian != nullptr ? own : 0, n);
      problem_.evaluate(x, of_waves, jacobian != nullptr ? &by : nullptr);
      for (std::size_t i = 0; i < aims_.size(); ++i) {  // of absorption
        const auto row = static_cast<Eigen::Index>(3 * i);
        const double over = of_waves[row] / large, root = std::sqrt(1.0 + over * over);
        of_waves[row] *= root;
        if (jacobian != nullptr) by.row(row) *= (1.0 + 2.0 * over * over) / root;
      }
      r.head(own) = of_waves;
      r.tail(n) = pull * (x - centre);
      if (jacobian == nullptr) return;
      jacobian->topRows(own) = by;
      jacobian->bottomRows(n) = pull * Eigen::MatrixXd::Identity(n, n);
    };
    return problem;
  }

 private:
  std::vector<Aim> aims_;
  FitProblem problem_;
};

Eigen::VectorXd gradient_of(const LeastSquaresProblem& problem, const Eigen::VectorXd& x) {
  Eigen::VectorXd r(problem.residuals);
  Eigen::MatrixXd jacobian(problem.residuals, x.size());
  problem.evaluate(x, r, &jacobian);
  return jacobian.transpose() * r;
}

// Half the sum of squares, with its second derivatives by differences of the first.
BoundedFunction cost_of(const LeastSquaresProblem& problem) {
  BoundedFunction cost{problem.lower, problem.upper, {}, {}, {}};
  cost.value = [&problem](const Eigen::VectorXd& x) {
    Eigen::VectorXd r(problem.residuals);
    problem.evaluate(x, r, nullptr);
    return 0.5 * r.squaredNorm();
  };
  cost.gradient = [&problem](const Eigen::VectorXd& x) { return gradient_of(problem, x); };
  cost.hessian = [&problem](const Eigen::VectorXd& x) {
    Eigen::MatrixXd hessian(x.size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      Eigen::VectorXd up = x, down = x;
      up[j] += difference, down[j] -= difference;
      hessian.col(j) = (gradient_of(problem, up) - gradient_of(problem, down)) / (2.0 * difference);
    }
    return Eigen::MatrixXd(0.5 * (hessian + hessian.transpose()));
  };
  return cost;
}

Eigen::VectorXd vector_of(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double& coefficient(Branch& branch, std::size_t which) {
  return which == 0 ? branch.D : which == 1 ? branch.E : branch.F;
}

}  // namespace

FitStages smooth_fit_stages(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves) {
  const Misses misses(branches, time_step, waves);
  Eigen::VectorXd x = centre_of(branches, time_step, waves);
  FitStages stages;
  for (const double pull : pulls) {
    const LeastSquaresProblem problem = misses.towards(x, pull);
    x = to_rest(cost_of(problem), minimise(problem, x, iterations).x, at_rest, steps_to_rest).x;
    stages.emplace_back(x.begin(), x.end());
  }
  return stages;
}

GridFit smooth_fit(const FitStages& stages) {
  const Eigen::VectorXd x = vector_of(stages.back());
  GridFit fit;
  for (const Branch& b : branches_of(x.head(x.size() - 1), 1.0)) fit.branches.push_back({b.D, b.E, b.F});
  fit.inertance = std::exp(x[x.size() - 1]);
  return fit;
}

std::vector<double> slopes_of_smooth_fit(const FitStages& stages, std::span<const Branch> branches, double time_step,
                                         const std::vector<WallWave>& waves, std::span<const double> by) {
  const Misses misses(branches, time_step, waves);
  const Eigen::VectorXd centre = centre_of(branches, time_step, waves);
  std::vector<Eigen::VectorXd> answers;  // of each stage, the last first
  Eigen::VectorXd next = vector_of(by);
  for (std::size_t stage = stages.size(); stage-- > 0;) {  // each depends on the one before by its pull
    const LeastSquaresProblem problem = misses.towards(stage > 0 ? vector_of(stages[stage - 1]) : centre, pulls[stage]);
    const RestPoint rest = to_rest(cost_of(problem), vector_of(stages[stage]), at_rest, 0);
    for (Eigen::Index j = 0; j < next.size(); ++j)
      if (rest.held[static_cast<std::size_t>(j)]) next[j] = 0.0;
    answers.emplace_back(rest.hessian.ldlt().solve(next));
    next = pulls[stage] * pulls[stage] * answers.back();
  }
  std::vector<double> slopes(3 * branches.size(), 0.0);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    std::vector<Branch> up(branches.begin(), branches.end()), down = up;
    if (coefficient(up[i / 3], i % 3) == 0.0) continue;
    coefficient(up[i / 3], i % 3) *= 1.0 + difference;
    coefficient(down[i / 3], i % 3) *= 1.0 - difference;
    const Misses more(up, time_step, waves), less(down, time_step, waves);
    double change = next.dot(centre_of(up, time_step, waves) - centre_of(down, time_step, waves));
    for (std::size_t k = 0; k < answers.size(); ++k) {
      const Eigen::VectorXd x = vector_of(stages[stages.size() - 1 - k]);
      change -= answers[k].dot(gradient_of(more.towards(x, 0.0), x) - gradient_of(less.towards(x, 0.0), x));
    }
    slopes[i] = change / (2.0 * difference);
  }
  return slopes;
}

GridFit smooth_fit_on_grid(std::span<const Branch> branches, double time_step, const std::vector<WallWave>& waves) {
  static KnownValues<GridFit> known(512);  // of some kilobytes each
  return known.of(arguments_of_fit(branches, time_step, waves),
                  [&] { return smooth_fit(smooth_fit_stages(branches, time_step, waves)); });
}

}  // namespace fdtd
