// The bound of one run of cut voxels against the eigenvalues of its matrix.
#include "engine/walls/cut/cut_run.hpp"

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// The smallest eigenvalue of 4 M - G^T diag(e) G; an open end goes on through 60 whole voxels.
double min_eigenvalue(const CutRun& run, std::vector<double> masses, std::vector<double> strengths) {
  constexpr std::size_t beyond = 60;
  if (run.open_below) {
    masses.insert(masses.begin(), beyond, 1.0);
    strengths.insert(strengths.begin(), beyond, 1.0);
  }
  if (run.open_above) {
    masses.insert(masses.end(), beyond, 1.0);
    strengths.insert(strengths.end(), beyond, 1.0);
  }
  const auto n = static_cast<Eigen::Index>(masses.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // The far ends of whole stretches are open too: nothing is missing there.
    matrix(i, i) = 4.0 * masses[at] - strengths[at] - strengths[at + 1];
    if (i + 1 < n) matrix(i, i + 1) = matrix(i + 1, i) = strengths[at + 1];  // in the signs of an alternating field
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues()[0];
}

}  // namespace

TEST_CASE("walls cut: the bound of a run is that of the eigenvalues of its matrix", "[walls]") {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  int held = 0, broken = 0;
  for (int trial = 0; trial < 400; ++trial) {
    CutRun run{0, 1 + static_cast<std::uint32_t>(6.0 * any(random)), trial % 4 == 1, trial % 4 == 2};
    std::vector<double> masses, strengths{run.open_below ? 1.0 : 0.0};
    for (std::uint32_t n = 0; n < run.count; ++n) {
      strengths.push_back(n + 1 < run.count ? any(random) : run.open_above ? 1.0 : 0.0);
      masses.push_back(0.5 * (strengths[n] + strengths[n + 1]) * (0.75 + 0.5 * any(random)));
    }
    const auto mass = [&](std::uint32_t n) { return masses[n]; };
    const auto strength = [&](std::uint32_t n) { return strengths[n]; };
    const double least = min_eigenvalue(run, masses, strengths);
    if (std::abs(least) < 2e-3) continue;  // 60 whole voxels are not without end
    CAPTURE(trial, least);
    CHECK(bounded(run, mass, strength) == (least > 0.0));
    ++(least > 0.0 ? held : broken);
    const double missing = missing_mass(run, mass, strength);
    CHECK((missing > 0.0) == (least < 0.0));
    CHECK(bounded(
        run, [&](std::uint32_t n) { return masses[n] * (1.0 + missing); }, strength));
    if (missing > 0.0)
      CHECK_FALSE(bounded(
          run, [&](std::uint32_t n) { return masses[n] * (1.0 + 0.999 * missing); }, strength));
  }
  CHECK(held > 50);
  CHECK(broken > 50);
}

TEST_CASE("walls cut: nodes with more mass than they need make up for others on their run", "[walls]") {
  const std::vector<double> masses = {0.45, 1.1}, strengths = {0.0, 1.0, 1.0};
  const auto strength = [&](std::uint32_t n) { return strengths[n]; };
  const CutRun run{0, 2, false, true};
  CHECK(bounded(
      run, [&](std::uint32_t n) { return masses[n]; }, strength));  // 0.45 < (0 + 1)/2
  CHECK_FALSE(bounded(
      run, [&](std::uint32_t n) { return n == 0 ? masses[0] : 1.0; }, strength));
}

TEST_CASE("walls cut: rounding does not break the bound of long runs", "[walls]") {
  const CutRun run{0, 200000, false, true};
  CHECK(bounded(
      run, [](std::uint32_t) { return 0.5 * (1.0 - 1e-14); }, [](std::uint32_t n) { return n == 0 ? 0.0 : 0.5; }));
}
