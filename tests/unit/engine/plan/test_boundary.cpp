#include "engine/plan/boundary.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("coefficients in single precision are those in double precision, rounded once") {
  const WallLaw law{0.3, {{1.0 / 3.0, 1.0 / 7.0, 1.0 / 9.0}}, 0, 0, {1.0}, 0};
  std::vector<BranchCoefficients<double>> in_double;
  std::vector<BranchCoefficients<float>> in_float;
  const LawCoefficients<double> of_double = coefficients_of<double>(law, in_double);
  const LawCoefficients<float> of_float = coefficients_of<float>(law, in_float);
  CHECK(of_float.A_part == static_cast<float>(of_double.A_part));
  CHECK(of_float.W_part == static_cast<float>(of_double.W_part));
  CHECK(of_float.inertance == static_cast<float>(of_double.inertance));
  CHECK(of_float.series == static_cast<float>(of_double.series));
  CHECK(of_float.exact_inertance == of_double.exact_inertance);
  CHECK(in_float[0].beta == static_cast<float>(in_double[0].beta));
  CHECK(in_float[0].d == static_cast<float>(in_double[0].d));
  CHECK(in_float[0].F == static_cast<float>(in_double[0].F));
  CHECK(in_float[0].exact.F == static_cast<double>(in_float[0].F));
  CHECK(in_float[0].exact.D == Approx(in_double[0].exact.D).epsilon(1e-6));
  CHECK(in_float[0].exact.E == Approx(in_double[0].exact.E).epsilon(1e-6));
}

namespace {

// The state (V, G of each branch) of a law one step after, at a node that does not move, from the coefficients in T.
template <class T>
Eigen::MatrixXd recursion_of(const WallLaw& wall) {
  std::vector<BranchCoefficients<T>> branches;
  const LawCoefficients<T> law = coefficients_of<T>(wall, branches);
  const auto size = static_cast<Eigen::Index>(2 * branches.size());
  Eigen::RowVectorXd pressure = Eigen::RowVectorXd::Zero(size);
  const double inertance = static_cast<double>(law.inertance) * static_cast<double>(law.series);
  for (Eigen::Index i = 0; i < size; i += 2) {
    const BranchCoefficients<T>& b = branches[static_cast<std::size_t>(i / 2)];
    pressure(i) = -inertance * (static_cast<double>(b.beta) * static_cast<double>(b.d) - 1.0);
    pressure(i + 1) = inertance * static_cast<double>(b.beta) * static_cast<double>(b.F);
  }
  Eigen::MatrixXd after(size, size);
  for (Eigen::Index i = 0; i < size; i += 2) {
    const BranchCoefficients<T>& b = branches[static_cast<std::size_t>(i / 2)];
    Eigen::RowVectorXd V = pressure;
    V(i) += static_cast<double>(b.d);
    V(i + 1) -= static_cast<double>(b.F);
    V *= static_cast<double>(b.beta);
    after.row(i) = V;
    after.row(i + 1) = 0.5 * V;
    after(i + 1, i) += 0.5;
    after(i + 1, i + 1) += 1.0;
  }
  return after;
}

// Springs, masses and resistances over ten decades, and any mixture of them.
std::vector<LawBranch> random_branches(std::mt19937& random) {
  std::vector<LawBranch> branches(1 + random() % 3);
  std::uniform_real_distribution<double> decade(-3.0, 7.0);
  for (LawBranch& branch : branches)
    for (double* const one : {&branch.D, &branch.E, &branch.F})
      if (random() % 3 != 0) *one = std::pow(10.0, decade(random));
  for (LawBranch& branch : branches)
    if (branch.D + branch.E + branch.F == 0.0) branch.F = 1000.0;
  return branches;
}

template <class T>
void check_passive(const WallLaw& wall) {
  std::vector<BranchCoefficients<T>> branches;
  coefficients_of<T>(wall, branches);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const BranchCoefficients<T>& b = branches[i];
    const LawBranch& wanted = wall.branches[i];
    const long double sum = 1.0L / static_cast<long double>(b.beta), d = static_cast<long double>(b.d),
                      F = static_cast<long double>(b.F);
    CHECK((sum + d) / 2.0L > 0.0L);                                           // D of these coefficients
    if (std::is_same_v<T, float>) CHECK(sum - d - F / 2.0L > -1e-12L * sum);  // E
    const double rounding = 20.0 * static_cast<double>(std::numeric_limits<T>::epsilon() * sum);
    CHECK(std::abs(b.exact.D - wanted.D) < rounding);
    CHECK(std::abs(b.exact.E - wanted.E) < rounding);
    CHECK(std::abs(b.exact.F - wanted.F) < rounding);
  }
  // Poles that nearly coincide are computed to the square root of double's rounding. In float, rounded to a law that is
  // not passive, they lie up to 3e-4 outside.
  if (std::is_same_v<T, float>) CHECK(recursion_of<T>(wall).eigenvalues().cwiseAbs().maxCoeff() < 1.0 + 1e-6);
}

}  // namespace

TEST_CASE("coefficients of a passive law are those of a passive law in either precision, a spring's, too") {
  std::mt19937 random(8);
  for (int i = 0; i < 3000; ++i) {
    const WallLaw wall{i % 2 == 0 ? 0.0 : 0.5 * (1 + i % 5), random_branches(random), 0, 0, {1.0}, 0};
    CAPTURE(i, wall.inertance);
    check_passive<float>(wall);
    check_passive<double>(wall);
  }
}

TEST_CASE("a law that supplies energy keeps doing so: the run reports it") {
  const WallLaw law{0.0, {{0.0, -50.0, 0.0}, {-1.0, 2.0, 0.0}}, 0, 0, {1.0}, 0};
  std::vector<BranchCoefficients<float>> branches;
  coefficients_of<float>(law, branches);
  CHECK(branches[0].exact.E == Approx(-50.0));
  CHECK(branches[1].exact.D == Approx(-1.0));
}
