#include "engine/cpu/reference_walls.hpp"

#include <map>

#include "engine/plan/coupled_walls.hpp"
#include "engine/plan/law_in_precision.hpp"
#include "engine/plan/slab.hpp"

namespace fdtd {
namespace {

// The branch equation in double, its state kept as a T.
template <class T>
struct DoubleArithmetic {
  static double multiply(double a, double b) { return a * b; }
  static double multiply_add(double a, double b, double c) { return a * b + c; }
  static double less(double c, double a, double b) { return c - a * b; }
  static double difference(double a, double b, double c, double d) { return a * b - c * d; }
  static double half(double a) { return a / 2.0; }
  static double kept(double a) { return static_cast<double>(static_cast<T>(a)); }
};
using Equation = BranchEquation<DoubleArithmetic<double>>;

}  // namespace

std::size_t layer_of_node(const Grid& grid, std::size_t node) {
  const auto [nx, ny, nz] = grid.size;
  const std::size_t in_plane = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  return static_cast<std::size_t>(layer_of(static_cast<int>(node / in_plane), nz));
}

ReferenceWalls::ReferenceWalls(const Plan& plan, std::size_t layers) : dissipated(layers, 0.0), plan_(plan) {
  each_value([&](Values& values) { values.assign(plan.boundary.branch_begin.back(), 0.0); }, state);
  for (const WallLaw& law : plan.boundary.laws) {
    laws_.push_back(plan.precision == Precision::f32 ? law_in<float>(law) : law_in<double>(law));
    coefficients_.push_back(coefficients_of<double>(laws_.back(), branches_));
    admittances_.push_back(admittance_of(laws_.back()));
  }
  make_groups();
}

void ReferenceWalls::update(const Values& earlier, Values& next) {
  for (std::size_t j = 0; j < plan_.boundary.nodes.size(); ++j)
    if (!coupled_[j]) update_node(j, earlier, next);
  for (const Group& group : groups_) update_group(group, earlier, next);
}

double ReferenceWalls::stored(std::size_t node) const {
  const Boundary& b = plan_.boundary;
  double energy = 0.0;
  for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
    const WallLaw& law = laws_[b.sites[s].law];
    SiteEnergy of_site;
    for (std::uint32_t k = 0; k < law.branches.size(); ++k) of_site.add(law.branches[k], branch_state(s, k));
    energy += 0.5 * b.sites[s].weight * of_site.total(law.inertance);
  }
  return energy;
}

// Of a branch of the site's law, counted from its first.
BranchValues<double> ReferenceWalls::branch_state(std::size_t site, std::uint32_t branch) const {
  const std::uint64_t at = plan_.boundary.branch_begin[site] + branch;
  return each_made([at](const Values& values) { return values[at]; }, state);
}

// A and W- of plan/boundary.hpp at one site.
BranchSums<double> ReferenceWalls::sums_at(std::size_t site) const {
  const LawCoefficients<double>& law = law_of(site);
  BranchSums<double> sums{};
  for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b) {
    const BranchValues<double> before = branch_state(site, b - law.branch_begin);
    Equation::add(sums, branches_[b], Equation::pull(branches_[b], before), before);
  }
  return sums;
}

// The nodes that a site reads and acts on: one for each tap of its law, from the site's node inwards.
std::vector<std::size_t> ReferenceWalls::nodes_of(std::size_t node) const {
  const Boundary& b = plan_.boundary;
  const WallLaw& law = laws_[b.sites[b.site_begin[node]].law];
  const auto [nx, ny, nz] = plan_.grid.size;
  const std::array<std::int64_t, 3> stride = {1, nx, static_cast<std::int64_t>(nx) * ny};
  std::vector<std::size_t> nodes;
  for (std::size_t j = 0; j < law.taps.size(); ++j) {
    nodes.push_back(static_cast<std::size_t>(static_cast<std::int64_t>(b.nodes[node]) +
                                             static_cast<std::int64_t>(j) * law.inward *
                                                 stride[static_cast<std::size_t>(law.axis)]));
  }
  return nodes;
}

// Applies the walls at one boundary node; next holds S u - u- and the sources.
void ReferenceWalls::update_node(std::size_t node, const Values& earlier, Values& next) {
  const Boundary& b = plan_.boundary;
  const Values& taps = laws_[b.sites[b.site_begin[node]].law].taps;
  const std::vector<std::size_t> nodes = nodes_of(node);
  double r = 0.0, before = 0.0, square = 0.0;  // sum b_j r_j, q-, |b|^2
  for (std::size_t j = 0; j < taps.size(); ++j) {
    r += taps[j] * next[nodes[j]];
    before += taps[j] * earlier[nodes[j]];
    square += taps[j] * taps[j];
  }
  const double change = (with_walls(node, r, before, square) - r) / square;
  double after = 0.0;
  for (std::size_t j = 0; j < taps.size(); ++j) {
    next[nodes[j]] = rounded_to(plan_.precision, next[nodes[j]] + taps[j] * change);
    after += taps[j] * next[nodes[j]];
  }
  update_branches(node, after - before);
}

const ReferenceWalls::Values& ReferenceWalls::taps_of(std::size_t node) const {
  const Boundary& b = plan_.boundary;
  return laws_[b.sites[b.site_begin[node]].law].taps;
}

double ReferenceWalls::read(const Values& u, std::size_t node) const {
  const std::vector<std::size_t> nodes = nodes_of(node);
  double sum = 0.0;
  for (std::size_t k = 0; k < nodes.size(); ++k) sum += taps_of(node)[k] * u[nodes[k]];
  return sum;
}

void ReferenceWalls::make_groups() {
  const Boundary& b = plan_.boundary;
  coupled_ = coupled_nodes(b);
  groups_.clear();
  for (std::size_t g = 0; g < b.groups(); ++g) {
    Group group;
    group.nodes.assign(b.coupled.begin() + b.coupled_begin[g], b.coupled.begin() + b.coupled_begin[g + 1]);
    std::map<std::size_t, std::vector<std::pair<Eigen::Index, double>>> readers;  // of every node: site, tap
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      const std::vector<std::size_t> nodes = nodes_of(group.nodes[i]);
      for (std::size_t k = 0; k < nodes.size(); ++k)
        readers[nodes[k]].emplace_back(static_cast<Eigen::Index>(i), taps_of(group.nodes[i])[k]);
    }
    const auto n = static_cast<Eigen::Index>(group.nodes.size());
    group.overlap = Eigen::MatrixXd::Zero(n, n);
    for (const auto& [node, known] : readers)
      for (const auto& [s, tap] : known)
        for (const auto& [t, other] : known) group.overlap(s, t) += tap * other;
    group.Q.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) group.Q[i] = flow(group.nodes[static_cast<std::size_t>(i)]).first;
    group.solver.compute(Eigen::MatrixXd::Identity(n, n) + group.overlap * group.Q.asDiagonal());
    groups_.push_back(std::move(group));
  }
}

// A site's force weight (W+ + W-)/2 is Q (q+ - q-) + known: Q, of weight 1.
double ReferenceWalls::admittance_at(std::size_t site) const {
  return admittances_[plan_.boundary.sites[site].law] / 4.0;
}
// `known`, of weight 1.
double ReferenceWalls::known_flow(std::size_t site) const {
  return Equation::known_flow(law_of(site), sums_at(site)) / 2.0;
}

std::pair<double, double> ReferenceWalls::flow(std::size_t node) const {
  const Boundary& b = plan_.boundary;
  const std::uint32_t s = b.site_begin[node];
  return {b.sites[s].weight * admittance_at(s), b.sites[s].weight * known_flow(s)};
}

// The group's q+ from all of its equations at once.
void ReferenceWalls::update_group(const Group& group, const Values& earlier, Values& next) {
  const Eigen::Index n = group.Q.size();
  Eigen::VectorXd r(n), before(n), known(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
    r[i] = read(next, node), before[i] = read(earlier, node), known[i] = flow(node).second;
  }
  const Eigen::VectorXd after = group.solver.solve(r + group.overlap * (group.Q.cwiseProduct(before) - known));
  const Eigen::VectorXd force = group.Q.cwiseProduct(after - before) + known;
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
    const std::vector<std::size_t> nodes = nodes_of(node);
    for (std::size_t k = 0; k < nodes.size(); ++k) next[nodes[k]] -= taps_of(node)[k] * force[i];
  }
  for (const std::size_t node : group.nodes)
    for (const std::size_t at : nodes_of(node)) next[at] = rounded_to(plan_.precision, next[at]);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
    update_branches(node, read(next, node) - before[i]);
  }
}

// Solves u+ = r - sum weight (W+ + W-)/2 / mass for the node's u+, with W+ = A + beta p and p as in
// plan/boundary.hpp: linear in u+.
double ReferenceWalls::with_walls(std::size_t node, double r, double before, double square) const {
  const Boundary& b = plan_.boundary;
  const double norm_over_mass = b.inverse_mass.empty() ? square : square * b.inverse_mass[node];
  double Q = 0.0, known = 0.0;  // sum weight (W+ + W-)/2 / mass = Q (u+ - u-) + known
  for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
    Q += norm_over_mass * b.sites[s].weight * admittance_at(s);
    known += norm_over_mass * b.sites[s].weight * known_flow(s);
  }
  return (r + Q * before - known) / (1.0 + Q);
}

void ReferenceWalls::update_branches(std::size_t node, double moved) {
  const Boundary& b = plan_.boundary;
  for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
    if (plan_.precision == Precision::f32)
      update_site<BranchEquation<DoubleArithmetic<float>>>(node, s, moved);
    else
      update_site<Equation>(node, s, moved);
  }
}

template <class Equation>
void ReferenceWalls::update_site(std::size_t node, std::size_t site, double moved) {
  const Boundary& b = plan_.boundary;
  const LawCoefficients<double>& law = law_of(site);
  const double p = Equation::pressure(law, sums_at(site), moved / 2.0);
  double& lost = dissipated[layer_of_node(plan_.grid, b.nodes[node])];
  for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i) {
    const std::uint32_t k = i - law.branch_begin;
    BranchValues<double> now = branch_state(site, k);
    Equation::step(branches_[i], Equation::pull(branches_[i], now), p, b.sites[site].weight, now,
                   [&](double E, double power) { lost += E * power; });
    each_value([&](Values& values, double value) { values[b.branch_begin[site] + k] = value; }, state, now);
  }
}

}  // namespace fdtd
