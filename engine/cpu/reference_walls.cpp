#include "engine/cpu/reference_walls.hpp"

#include <map>

#include "engine/plan/coupled_walls.hpp"
#include "engine/plan/law_in_precision.hpp"
#include "engine/plan/slab.hpp"

namespace fdtd {
namespace {

double beta_of(const LawBranch& b) { return 1.0 / (b.D + b.E / 2.0 + b.F / 4.0); }
double d_of(const LawBranch& b) { return b.D - b.E / 2.0 - b.F / 4.0; }

}  // namespace

std::size_t layer_of_node(const Grid& grid, std::size_t node) {
  const auto [nx, ny, nz] = grid.size;
  const std::size_t in_plane = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  return static_cast<std::size_t>(layer_of(static_cast<int>(node / in_plane), nz));
}

ReferenceWalls::ReferenceWalls(const Plan& plan, std::size_t layers)
    : velocity(plan.boundary.branch_begin.back(), 0.0), displacement(velocity), dissipated(layers, 0.0), plan_(plan) {
  for (const WallLaw& law : plan.boundary.laws)
    laws_.push_back(plan.precision == Precision::f32 ? law_in<float>(law) : law_in<double>(law));
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
    double W = 0.0, sum = 0.0;
    for (std::size_t k = 0; k < law.branches.size(); ++k) {
      const double V = velocity[b.branch_begin[s] + k], G = displacement[b.branch_begin[s] + k];
      W += V;
      sum += law.branches[k].D * V * V + law.branches[k].F * G * G;
    }
    energy += 0.5 * b.sites[s].weight * (law.inertance * W * W + sum);
  }
  return energy;
}

ReferenceWalls::Law ReferenceWalls::law_at(std::size_t site) const {
  const Boundary& b = plan_.boundary;
  const auto& branches = laws_[b.sites[site].law].branches;
  Law law;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    const double V = velocity[b.branch_begin[site] + k], G = displacement[b.branch_begin[site] + k];
    law.beta += beta_of(branches[k]);
    law.A += beta_of(branches[k]) * (d_of(branches[k]) * V - branches[k].F * G);
    law.W += V;
  }
  return law;
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

// Q and known of a site's force weight (W+ + W-)/2 = Q (q+ - q-) + known.
std::pair<double, double> ReferenceWalls::flow(std::size_t node) const {
  const Boundary& b = plan_.boundary;
  const std::uint32_t s = b.site_begin[node];
  const Law law = law_at(s);
  const double inertance = laws_[b.sites[s].law].inertance, series = 1.0 + inertance * law.beta;
  return {b.sites[s].weight * law.beta / series / 4.0,
          b.sites[s].weight * ((law.A + inertance * law.beta * law.W) / series + law.W) / 2.0};
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
  const double share = b.inverse_mass.empty() ? square : square * b.inverse_mass[node];
  double Q = 0.0, known = 0.0;  // sum weight (W+ + W-)/2 / mass = Q (u+ - u-) + known
  for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
    const Law law = law_at(s);
    const double inertance = laws_[b.sites[s].law].inertance;
    const double series = 1.0 + inertance * law.beta;
    Q += share * b.sites[s].weight * law.beta / series / 4.0;
    known += share * b.sites[s].weight * ((law.A + inertance * law.beta * law.W) / series + law.W) / 2.0;
  }
  return (r + Q * before - known) / (1.0 + Q);
}

void ReferenceWalls::update_branches(std::size_t node, double moved) {
  const Boundary& b = plan_.boundary;
  for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
    const Law law = law_at(s);
    const WallLaw& wall = laws_[b.sites[s].law];
    const double p = (moved / 2.0 - wall.inertance * (law.A - law.W)) / (1.0 + wall.inertance * law.beta);
    for (std::size_t k = 0; k < wall.branches.size(); ++k) {
      const LawBranch& branch = wall.branches[k];
      double& V = velocity[b.branch_begin[s] + k];
      double& G = displacement[b.branch_begin[s] + k];
      const double V_before = V;
      V = rounded_to(plan_.precision, beta_of(branch) * (d_of(branch) * V_before - branch.F * G + p));
      const double mean = (V + V_before) / 2.0;
      G = rounded_to(plan_.precision, G + mean);
      dissipated[layer_of_node(plan_.grid, b.nodes[node])] += b.sites[s].weight * branch.E * mean * mean;
    }
  }
}

}  // namespace fdtd
