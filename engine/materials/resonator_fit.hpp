// Sums of passive resonators 1/(D s + E + F/s), fitted by the logarithms of D, E and F, which so stay above 0.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "base/math/least_squares.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// A vector x holds log(D omega0), log E, log(F / omega0) of each branch, `omega0` (rad/s) making D and F dimensionless.
std::vector<Branch> branches_of(const Eigen::VectorXd& x, double omega0);
Eigen::VectorXd with_branch(const Eigen::VectorXd& x, double log_D, double log_E, double log_F);

// D omega0, E, F / omega0 of each branch.
Eigen::VectorXd exponentials(const Eigen::VectorXd& x);

// The admittance of these `values` at s, in units of omega0, and its derivatives by x into `slope`, as long as x.
std::complex<double> admittance(const Eigen::VectorXd& values, std::complex<double> s, Eigen::VectorXcd& slope);

// The variables of a search: of each branch log(resonance / omega0), log E and the logarithm of the quality factor, which
// bounds can hold, instead of log(D omega0), log E, log(F / omega0).
Eigen::VectorXd searched(const Eigen::VectorXd& x);
Eigen::VectorXd logarithms(const Eigen::VectorXd& p);
// Turns derivatives by the logarithms of D, E and F into derivatives by the variables of the search.
void turn_columns(Eigen::MatrixXd& jacobian);

inline constexpr int few_branches = 5;

// Branches are added one at a time, and all are refined together, while the misfit falls.
struct ResonatorSearch {
  int residuals = 0;
  std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian)> evaluate;
  double omega0 = 1.0, log_bound = 0.0;  // of log E
  // Bounds of a branch's quality factor sqrt(DF)/E and of the logarithm of its resonance over omega0.
  double max_sharpness = 1.0, log_reach = 0.0;
  int max_branches = 1;
  // Start values x for n branches; `before`: the best x with n - 1.
  std::function<std::vector<Eigen::VectorXd>(int n, const Eigen::VectorXd& before)> starts;
  std::function<double(const std::vector<Branch>&)> misfit;
  double enough = 0.0;          // a misfit at which no branch is added
  double enough_of_many = 0.0;  // the same for few_branches and more: kernels are fast for up to so many
  double gain = 1.0;            // further branches are kept if they lower the misfit below this factor
};
struct ResonatorFit {
  std::vector<Branch> branches;
  double misfit = 0.0;
};
ResonatorFit search(const ResonatorSearch& how);

// Removes every branch, and every D and F, without which `good` is still true: fewer terms cost less time.
void prune(std::vector<Branch>& branches, const std::function<bool(const std::vector<Branch>&)>& good);

}  // namespace fdtd
