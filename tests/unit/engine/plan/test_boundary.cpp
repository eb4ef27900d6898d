#include "engine/plan/boundary.hpp"

#include <array>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Boundary boundary_of(std::vector<WallLaw> laws, std::vector<BoundarySite> sites, std::vector<double> inverse_mass) {
  Boundary b;
  b.laws = std::move(laws);
  b.sites = std::move(sites);
  b.inverse_mass = std::move(inverse_mass);
  b.nodes = {0};
  b.site_begin = {0, static_cast<std::uint32_t>(b.sites.size())};
  return b;
}

}  // namespace

TEST_CASE("a node updated by its coefficients obeys the trapezoidal rule of every law and branch") {
  const bool with_taps = GENERATE(false, true);
  const std::vector<LawBranch> soft = {{2.0, 15.0, 0.1}, {0.3, 8.0, 0.0}}, hard = {{0.0, 40.0, 3.0}};
  const std::vector<double> taps = with_taps ? std::vector<double>{1.4, -0.4} : std::vector<double>{1.0};
  std::vector<WallLaw> laws = {{0.5, hard, 0, 1, taps, 1}, {0.7, soft, 1, 0, taps, 1}};
  std::vector<BoundarySite> sites = {{1, 0.5}};
  std::vector<double> inverse_mass;
  if (!with_taps) {
    sites.push_back({0, 0.25});
    inverse_mass = {1.6};
  }
  const Boundary boundary = boundary_of(laws, sites, inverse_mass);
  std::vector<BranchCoefficients<double>> branches;
  std::vector<LawCoefficients<double>> of_law;
  std::vector<double> admittances;
  for (const WallLaw& law : boundary.laws) {
    of_law.push_back(coefficients_of<double>(law, branches));
    admittances.push_back(admittance_of(law));
  }
  REQUIRE(branches.size() == 3);
  CHECK(of_law[1].branch_begin == 1);
  CHECK(of_law[1].branch_end == 3);

  const std::array<double, 3> V = {0.02, -0.01, 0.03}, G = {0.2, 0.1, -0.3};  // by branch of all laws
  const double r = 0.7, before = -0.4;
  struct Site {
    double A = 0.0, W = 0.0;
  };
  std::vector<Site> state(boundary.sites.size());
  double known = 0.0;
  for (std::size_t s = 0; s < state.size(); ++s) {
    const LawCoefficients<double>& law = of_law[boundary.sites[s].law];
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b) {
      state[s].A += branches[b].beta * (branches[b].d * V[b] - branches[b].F * G[b]);
      state[s].W += V[b];
    }
    known += boundary.sites[s].weight * (law.A_part * state[s].A + law.W_part * state[s].W + state[s].W);
  }
  const NodeCoefficients node = coefficients_of_node(boundary, 0, admittances);
  const double after = node.scale * (r + node.Q * before) - node.loss * known;

  double lost = 0.0;  // sum weight (W+ + W-)/2
  for (std::size_t s = 0; s < state.size(); ++s) {
    const WallLaw& wall = boundary.laws[boundary.sites[s].law];
    const LawCoefficients<double>& law = of_law[boundary.sites[s].law];
    const double p = ((after - before) / 2.0 - law.inertance * (state[s].A - state[s].W)) * law.series;
    double W_after = 0.0;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b) {
      const LawBranch& branch = wall.branches[b - law.branch_begin];
      const double V_after = branches[b].beta * (branches[b].d * V[b] - branches[b].F * G[b] + p);
      const double mean = (V_after + V[b]) / 2.0, G_after = G[b] + mean;
      CHECK(branch.D * (V_after - V[b]) + branch.E * mean + branch.F * (G_after + G[b]) / 2.0 == Approx(p));
      CHECK(branches[b].D == branch.D);
      CHECK(branches[b].E == branch.E);
      CHECK(branches[b].exact_F == branch.F);
      W_after += V_after;
    }
    CHECK(wall.inertance * (W_after - state[s].W) + p == Approx((after - before) / 2.0));
    CHECK(law.exact_inertance == wall.inertance);
    lost += boundary.sites[s].weight * (W_after + state[s].W) / 2.0;
  }
  const double square = with_taps ? 1.4 * 1.4 + 0.4 * 0.4 : 1.0;
  CHECK(squared_norm_of_taps(boundary.laws[0]) == Approx(square));
  CHECK(after == Approx(r - lost * square * (with_taps ? 1.0 : 1.6)));
}

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
  CHECK(in_float[0].exact_F == in_double[0].F);
}
