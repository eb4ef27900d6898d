#include "engine/plan/branch_equation.hpp"

#include <array>
#include <utility>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct PlainArithmetic {
  static double multiply(double a, double b) { return a * b; }
  static double multiply_add(double a, double b, double c) { return a * b + c; }
  static double less(double c, double a, double b) { return c - a * b; }
  static double difference(double a, double b, double c, double d) { return a * b - c * d; }
  static double half(double a) { return 0.5 * a; }
  static double kept(double a) { return a; }
};
using Equation = BranchEquation<PlainArithmetic>;

Boundary boundary_of(std::vector<WallLaw> laws, std::vector<BoundarySite> sites, std::vector<double> inverse_mass) {
  Boundary b;
  b.laws = std::move(laws);
  b.sites = std::move(sites);
  b.inverse_mass = std::move(inverse_mass);
  b.nodes = {0};
  b.site_begin = {0, static_cast<std::uint32_t>(b.sites.size())};
  return b;
}

// A boundary node with the coefficients of its laws.
struct Node {
  Boundary boundary;
  std::vector<BranchCoefficients<double>> branches;
  std::vector<LawCoefficients<double>> laws;
  NodeCoefficients<double> coefficients{};

  explicit Node(Boundary of) : boundary(std::move(of)) {
    std::vector<double> admittances;
    for (const WallLaw& law : boundary.laws) {
      laws.push_back(coefficients_of<double>(law, branches));
      admittances.push_back(admittance_of(law));
    }
    coefficients = coefficients_of_node(boundary, 0, admittances);
  }
  const LawCoefficients<double>& law_of(const BoundarySite& site) const { return laws[site.law]; }
  BranchSums<double> sums(const BoundarySite& site, const std::vector<BranchValues<double>>& state) const {
    const std::uint32_t begin = law_of(site).branch_begin;
    BranchSums<double> sums =
        Equation::first(branches[begin], Equation::pull(branches[begin], state[begin]), state[begin]);
    for (std::uint32_t b = begin + 1; b < law_of(site).branch_end; ++b)
      Equation::add(sums, branches[b], Equation::pull(branches[b], state[b]), state[b]);
    return sums;
  }
};

SiteEnergy energy_of(const LawCoefficients<double>& law, const WallLaw& wall,
                     const std::vector<BranchValues<double>>& state) {
  SiteEnergy energy;
  for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b)
    energy.add(wall.branches[b - law.branch_begin], state[b]);
  return energy;
}

}  // namespace

// The equations of boundary.hpp, which know neither beta nor d, are the truth.
TEST_CASE("a node's update obeys the trapezoidal rule of every law and branch, and balances its energy") {
  const bool with_taps = GENERATE(false, true);
  const std::vector<LawBranch> soft = {{2.0, 15.0, 0.1}, {0.3, 8.0, 0.0}}, hard = {{0.0, 40.0, 3.0}};
  const std::vector<double> taps = with_taps ? std::vector<double>{1.4, -0.4} : std::vector<double>{1.0};
  std::vector<BoundarySite> sites = {{1, 0.5}};
  if (!with_taps) sites.push_back({0, 0.25});
  const Node node(boundary_of({{0.5, hard, 0, 1, taps, 1}, {0.7, soft, 1, 0, taps, 1}}, sites,
                              with_taps ? std::vector<double>{} : std::vector<double>{1.6}));
  REQUIRE(node.branches.size() == 3);
  CHECK(node.laws[1].branch_begin == 1);
  CHECK(node.laws[1].branch_end == 3);

  const std::vector<BranchValues<double>> state = {{0.02, 0.2}, {-0.01, 0.1}, {0.03, -0.3}};  // by branch of all laws
  const double r = 0.7, before = -0.4;
  double known = 0.0;
  for (const BoundarySite& site : sites)
    known += site.weight * Equation::known_flow(node.law_of(site), node.sums(site, state));
  const double after = Equation::node_after(node.coefficients, before, r, known);

  double lost = 0.0;  // sum weight (W+ + W-)/2
  for (const BoundarySite& site : sites) {
    const WallLaw& wall = node.boundary.laws[site.law];
    const LawCoefficients<double>& law = node.law_of(site);
    const double p = Equation::pressure(law, node.sums(site, state), (after - before) / 2.0);
    std::vector<BranchValues<double>> now = state;
    double dissipated = 0.0, W_after = 0.0, W_before = 0.0;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b) {
      Equation::step(node.branches[b], Equation::pull(node.branches[b], state[b]), p, site.weight, now[b],
                     [&](double E, double power) { dissipated += E * power; });
      const LawBranch& branch = wall.branches[b - law.branch_begin];
      const double mean = (now[b].V + state[b].V) / 2.0;
      CHECK(now[b].G - state[b].G == Approx(mean));
      CHECK(branch.D * (now[b].V - state[b].V) + branch.E * mean + branch.F * (now[b].G + state[b].G) / 2.0 ==
            Approx(p));
      CHECK(node.branches[b].exact.D == Approx(branch.D).margin(1e-12));
      CHECK(node.branches[b].exact.E == Approx(branch.E).margin(1e-12));
      CHECK(node.branches[b].exact.F == branch.F);
      W_after += now[b].V, W_before += state[b].V;
    }
    CHECK(wall.inertance * (W_after - W_before) + p == Approx((after - before) / 2.0));
    CHECK(law.exact_inertance == wall.inertance);
    const double flow = (W_after + W_before) / 2.0;
    lost += site.weight * flow;
    const double stored =
        site.weight / 2.0 *
        (energy_of(law, wall, now).total(wall.inertance) - energy_of(law, wall, state).total(wall.inertance));
    CHECK(stored + dissipated == Approx(site.weight * flow * (after - before) / 2.0));
    CHECK(dissipated > 0.0);
  }
  const double square = with_taps ? 1.4 * 1.4 + 0.4 * 0.4 : 1.0;
  CHECK(squared_norm_of_taps(node.boundary.laws[0]) == Approx(square));
  CHECK(after == Approx(r - lost * square * (with_taps ? 1.0 : 1.6)));
}

TEST_CASE("every list of a branch's values names each of them once, in the order of its members") {
  const BranchValues<int> values{1, 2};
  std::vector<int> seen;
  each_value([&](int value) { seen.push_back(value); }, values);
  CHECK(seen == std::vector{1, 2});
  CHECK(seen.size() == branch_state_size);
  CHECK(sizeof(BranchValues<double>) == branch_state_size * sizeof(double));
  CHECK(value_at(values, 0) == values.V);
  CHECK(value_at(values, 1) == values.G);
  const BranchValues<double> halves = each_made([](int value) { return value / 2.0; }, values);
  CHECK(halves.V == 0.5);
  CHECK(halves.G == 1.0);
  const std::array<int, 8> memory = {5, 0, 0, 7};
  const BranchValues<const int*> apart = values_apart(memory.data(), 3);
  CHECK(*apart.V == 5);
  CHECK(*apart.G == 7);

  seen.clear();
  const BranchCoefficients<int, int> coefficients{1, 2, 3, {4, 5, 6}};
  each_coefficient([&](int value) { seen.push_back(value); }, coefficients);
  CHECK(seen == std::vector{1, 2, 3});
  CHECK(seen.size() == branch_coefficients);
  seen.clear();
  each_term([&](int value) { seen.push_back(value); }, coefficients.exact);
  CHECK(seen == std::vector{4, 5, 6});
  CHECK(seen.size() == branch_term_names.size());
}
