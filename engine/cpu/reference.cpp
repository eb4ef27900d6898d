// The reference: the scheme as plan/boundary.hpp, plan/near_wall.hpp and plan/plan.hpp state it, node by node, written
// to be read and never optimised. Every kernel is tested against it.
//
// All sums are in double. In f32 the state that is kept from one step to the next is rounded to float, and nothing
// else.
#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/error.hpp"
#include "engine/plan/coupled_walls.hpp"

namespace fdtd {
namespace {

using Values = std::vector<double>;
using Sums = std::vector<double>;  // by layer

// The distinct points (+-a, +-b, +-c) of a term.
std::vector<std::array<int, 3>> images(const Term& term) {
  std::vector<std::array<int, 3>> all{{0, 0, 0}};
  for (std::size_t d = 0; d < 3; ++d) {
    const int a = term.offset[d];
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i) {
      all[i][d] = a;
      if (a == 0) continue;
      auto mirrored = all[i];
      mirrored[d] = -a;
      all.push_back(mirrored);
    }
  }
  return all;
}

std::vector<std::byte> to_bytes(const Values& values, Precision precision) {
  if (precision == Precision::f64) {
    std::vector<std::byte> bytes(values.size() * sizeof(double));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  const std::vector<float> rounded(values.begin(), values.end());
  std::vector<std::byte> bytes(rounded.size() * sizeof(float));
  if (!rounded.empty()) std::memcpy(bytes.data(), rounded.data(), bytes.size());
  return bytes;
}

void from_bytes(const std::vector<std::byte>& bytes, Precision precision, Values& values) {
  const std::size_t size = precision == Precision::f64 ? sizeof(double) : sizeof(float);
  if (bytes.size() != values.size() * size) throw Error(Status::file, "the state does not fit the plan");
  for (std::size_t i = 0; i < values.size(); ++i) {
    float f = 0.0F;
    if (precision == Precision::f64) {
      std::memcpy(&values[i], bytes.data() + i * size, size);
    } else {
      std::memcpy(&f, bytes.data() + i * size, size);
      values[i] = static_cast<double>(f);
    }
  }
}

class Reference final : public Backend {
 public:
  void load(const Plan& plan, const Slab& slab) override {
    if (!slab.alone()) {
      throw Error(Status::resource, "the reference computes the whole grid, not a slab of it");
    }
    plan_ = &plan;
    const auto nodes = static_cast<std::size_t>(plan.grid.nodes());
    patterns_.assign(nodes, {});
    for (const WallSegment& segment : plan.near_wall.segments) {
      for (std::uint32_t i = 0; i < segment.length; ++i) patterns_[segment.node + i].push_back(segment.pattern);
    }
    points_.clear();
    for (const Term& term : plan.stencil.terms)
      for (const auto& offset : images(term)) points_.push_back({offset, term.weight});
    mass_.assign(nodes, 1.0);
    for (const NodeMass& m : plan.near_wall.masses) mass_[m.node] = m.mass;
    clear();
    make_groups();
  }

  void advance(const Drive& drive, Samples& samples) override {
    const std::size_t receivers = plan_->receivers.size();
    samples.steps = drive.steps;
    samples.p.assign(receivers * static_cast<std::size_t>(drive.steps), 0.0);
    for (std::int64_t n = 0; n < drive.steps; ++n) {
      one_step(drive, n);
      for (std::size_t r = 0; r < receivers; ++r) {
        const Tap& tap = plan_->receivers[r];
        Sums received(layers());
        for (std::size_t i = 0; i < tap.nodes.size(); ++i)
          received[layer(tap.nodes[i])] += tap.weights[i] * now_[tap.nodes[i]];
        samples.p[r * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)] =
            std::accumulate(received.begin(), received.end(), 0.0);
      }
    }
  }

  void save(State& state) const override {
    state = {plan_->precision,     step_,     bytes(now_), bytes(before_), bytes(velocity_),
             bytes(displacement_), injected_, dissipated_};
  }

  void restore(const State& state) override {
    if (state.precision != plan_->precision) throw Error(Status::file, "the state has another precision than the plan");
    clear();
    if (state.silent()) return;
    const auto take = [&](StatePart part, std::vector<double>& values) {
      state.require(part, values.size());
      from_bytes(state.values(part, 0, values.size()), state.precision, values);
    };
    take(StatePart::u_now, now_);
    take(StatePart::u_before, before_);
    take(StatePart::velocity, velocity_);
    take(StatePart::displacement, displacement_);
    step_ = state.step;
    injected_ = state.injected;
    dissipated_ = state.dissipated;
    injected_.resize(layers());
    dissipated_.resize(layers());
  }

  Timing profile(int) override { throw Error(Status::resource, "the reference is not made to be timed"); }

  // H = 1/2 |d|^2_M + 1/2 <u+, (2 - S) u>_M with d = u+ - u, plus the energy stored in the branches.
  std::vector<Energy> energies() const override {
    std::vector<Energy> energies(layers());
    for_air([&](std::size_t i, int x, int y, int z) {
      const double d = now_[i] - before_[i];
      energies[layer(i)].stored +=
          0.5 * mass_[i] * (d * d + now_[i] * (2.0 * before_[i] - stencil_sum(before_, i, x, y, z)));
    });
    for (std::size_t j = 0; j < plan_->boundary.nodes.size(); ++j)
      energies[layer(plan_->boundary.nodes[j])].stored += branches_hold(j);
    for (std::size_t l = 0; l < energies.size(); ++l) {
      energies[l].injected = injected_[l];
      energies[l].dissipated = dissipated_[l];
    }
    return energies;
  }

  Extreme extreme() const override {
    Extreme most;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (!std::isfinite(now_[i])) return {i, now_[i]};
      if (std::abs(now_[i]) > most.value) most = {i, std::abs(now_[i])};
    }
    return most;
  }

  void plane(int axis, int index, std::span<float> values) const override {
    const auto [nx, ny, nz] = plan_->grid.size;
    std::size_t node = 0, out = 0;
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x, ++node)
          if (std::array{x, y, z}[static_cast<std::size_t>(axis)] == index)
            values[out++] = static_cast<float>(now_[node]);
  }

  std::int64_t step() const override { return step_; }
  std::string describe() const override { return "cpu, 1 thread, reference"; }

 private:
  void clear() {
    now_.assign(static_cast<std::size_t>(plan_->grid.nodes()), 0.0);
    before_ = now_;
    velocity_.assign(plan_->boundary.branch_begin.back(), 0.0);
    displacement_ = velocity_;
    step_ = 0;
    injected_ = dissipated_ = Sums(layers());
  }

  std::size_t layers() const { return static_cast<std::size_t>(layer_count(plan_->grid.size[2])); }
  std::size_t layer(std::size_t node) const {
    const auto [nx, ny, nz] = plan_->grid.size;
    const std::size_t in_plane = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    return static_cast<std::size_t>(layer_of(static_cast<int>(node / in_plane), nz));
  }

  // The energy stored in the branches of boundary node j.
  double branches_hold(std::size_t j) const {
    const Boundary& b = plan_->boundary;
    double stored = 0.0;
    for (std::uint32_t s = b.site_begin[j]; s < b.site_begin[j + 1]; ++s) {
      const WallLaw& law = b.laws[b.sites[s].law];
      double W = 0.0, sum = 0.0;
      for (std::size_t k = 0; k < law.branches.size(); ++k) {
        const double V = velocity_[b.branch_begin[s] + k], G = displacement_[b.branch_begin[s] + k];
        W += V;
        sum += law.branches[k].D * V * V + law.branches[k].F * G * G;
      }
      stored += 0.5 * b.sites[s].weight * (law.inertance * W * W + sum);
    }
    return stored;
  }

  std::vector<std::byte> bytes(const Values& values) const { return to_bytes(values, plan_->precision); }

  double rounded(double value) const {
    return plan_->precision == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  }

  template <class Function>
  void for_air(const Function& function) const {
    const auto [nx, ny, nz] = plan_->grid.size;
    std::size_t i = 0;
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x, ++i)
          if (plan_->air(x, y, z)) function(i, x, y, z);
  }

  // u at a voxel; zero in walls and outside the grid.
  double at(const Values& u, int x, int y, int z) const {
    if (!plan_->air(x, y, z)) return 0.0;
    const std::int64_t nx = plan_->grid.size[0], ny = plan_->grid.size[1];
    return u[static_cast<std::size_t>(x + nx * (y + ny * z))];
  }

  // (S u) at an air node: the stencil plus the corrections of the node's patterns.
  double stencil_sum(const Values& u, std::size_t i, int x, int y, int z) const {
    double sum = plan_->stencil.centre * u[i];
    for (const Point& point : points_) {
      const auto& [dx, dy, dz] = point.offset;
      sum += point.weight * at(u, x + dx, y + dy, z + dz);
    }
    const NearWall& walls = plan_->near_wall;
    for (const std::uint32_t pattern : patterns_[i]) {
      for (std::uint64_t e = walls.pattern_begin[pattern]; e < walls.pattern_begin[pattern + 1]; ++e) {
        const auto& [dx, dy, dz] = walls.entries[e].offset;
        sum += walls.entries[e].weight * at(u, x + dx, y + dy, z + dz);
      }
    }
    return sum;
  }

  void one_step(const Drive& drive, std::int64_t n) {
    Values next(now_.size(), 0.0);
    for_air([&](std::size_t i, int x, int y, int z) { next[i] = stencil_sum(now_, i, x, y, z) - before_[i]; });
    for (std::size_t s = 0; s < plan_->sources.size(); ++s) {
      const Tap& tap = plan_->sources[s];
      for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
        next[tap.nodes[i]] += plan_->drive_scale * tap.weights[i] * force(drive, s, n) / mass_[tap.nodes[i]];
      }
    }
    for (std::size_t j = 0; j < plan_->boundary.nodes.size(); ++j)
      if (!coupled_[j]) update_boundary_node(j, next);
    for (const Group& group : groups_) update_group(group, next);
    for (double& u : next) u = rounded(u);
    for (std::size_t s = 0; s < plan_->sources.size(); ++s) {
      const Tap& tap = plan_->sources[s];
      for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
        const double moved = next[tap.nodes[i]] - before_[tap.nodes[i]];
        injected_[layer(tap.nodes[i])] += plan_->drive_scale * tap.weights[i] * force(drive, s, n) * moved / 2.0;
      }
    }
    before_ = std::move(now_);
    now_ = std::move(next);
    ++step_;
  }

  static double force(const Drive& drive, std::size_t source, std::int64_t n) {
    return drive.f[source * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)];
  }

  // beta, A and W- of plan/boundary.hpp at one site.
  struct Law {
    double beta = 0.0, A = 0.0, W = 0.0;
  };
  static double beta_of(const LawBranch& b) { return 1.0 / (b.D + b.E / 2.0 + b.F / 4.0); }
  static double d_of(const LawBranch& b) { return b.D - b.E / 2.0 - b.F / 4.0; }
  Law law_at(std::size_t site) const {
    const Boundary& b = plan_->boundary;
    const auto& branches = b.laws[b.sites[site].law].branches;
    Law law;
    for (std::size_t k = 0; k < branches.size(); ++k) {
      const double V = velocity_[b.branch_begin[site] + k], G = displacement_[b.branch_begin[site] + k];
      law.beta += beta_of(branches[k]);
      law.A += beta_of(branches[k]) * (d_of(branches[k]) * V - branches[k].F * G);
      law.W += V;
    }
    return law;
  }

  // The nodes that a site reads and acts on: one for each tap of its law, from the site's node inwards.
  std::vector<std::size_t> nodes_of(std::size_t node) const {
    const Boundary& b = plan_->boundary;
    const WallLaw& law = b.laws[b.sites[b.site_begin[node]].law];
    const auto [nx, ny, nz] = plan_->grid.size;
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
  void update_boundary_node(std::size_t node, Values& next) {
    const Boundary& b = plan_->boundary;
    const std::vector<double>& taps = b.laws[b.sites[b.site_begin[node]].law].taps;
    const std::vector<std::size_t> nodes = nodes_of(node);
    double r = 0.0, before = 0.0, square = 0.0;  // sum b_j r_j, q-, |b|^2
    for (std::size_t j = 0; j < taps.size(); ++j) {
      r += taps[j] * next[nodes[j]];
      before += taps[j] * before_[nodes[j]];
      square += taps[j] * taps[j];
    }
    const double change = (with_walls(node, r, before, square) - r) / square;
    double after = 0.0;
    for (std::size_t j = 0; j < taps.size(); ++j) {
      next[nodes[j]] = rounded(next[nodes[j]] + taps[j] * change);
      after += taps[j] * next[nodes[j]];
    }
    update_branches(node, after - before);
  }

  // Sites that are solved together: sum_t (b_s^T b_t) over all pairs, Q, and (I + B^T B Q)^-1.
  struct Group {
    std::vector<std::size_t> nodes;
    Eigen::MatrixXd overlap;
    Eigen::VectorXd Q;
    Eigen::PartialPivLU<Eigen::MatrixXd> solver;
  };

  const std::vector<double>& taps_of(std::size_t node) const {
    const Boundary& b = plan_->boundary;
    return b.laws[b.sites[b.site_begin[node]].law].taps;
  }

  double read(const Values& u, std::size_t node) const {
    const std::vector<std::size_t> nodes = nodes_of(node);
    double sum = 0.0;
    for (std::size_t k = 0; k < nodes.size(); ++k) sum += taps_of(node)[k] * u[nodes[k]];
    return sum;
  }

  void make_groups() {
    const Boundary& b = plan_->boundary;
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
  std::pair<double, double> flow(std::size_t node) const {
    const Boundary& b = plan_->boundary;
    const std::uint32_t s = b.site_begin[node];
    const Law law = law_at(s);
    const double inertance = b.laws[b.sites[s].law].inertance, series = 1.0 + inertance * law.beta;
    return {b.sites[s].weight * law.beta / series / 4.0,
            b.sites[s].weight * ((law.A + inertance * law.beta * law.W) / series + law.W) / 2.0};
  }

  // The group's q+ from all of its equations at once.
  void update_group(const Group& group, Values& next) {
    const Eigen::Index n = group.Q.size();
    Eigen::VectorXd r(n), before(n), known(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
      r[i] = read(next, node), before[i] = read(before_, node), known[i] = flow(node).second;
    }
    const Eigen::VectorXd after = group.solver.solve(r + group.overlap * (group.Q.cwiseProduct(before) - known));
    const Eigen::VectorXd force = group.Q.cwiseProduct(after - before) + known;
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
      const std::vector<std::size_t> nodes = nodes_of(node);
      for (std::size_t k = 0; k < nodes.size(); ++k) next[nodes[k]] -= taps_of(node)[k] * force[i];
    }
    for (const std::size_t node : group.nodes)
      for (const std::size_t at : nodes_of(node)) next[at] = rounded(next[at]);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t node = group.nodes[static_cast<std::size_t>(i)];
      update_branches(node, read(next, node) - before[i]);
    }
  }

  // Solves u+ = r - sum weight (W+ + W-)/2 / mass for the node's u+, with W+ = A + beta p and p as in
  // plan/boundary.hpp: linear in u+.
  double with_walls(std::size_t node, double r, double before, double square) const {
    const Boundary& b = plan_->boundary;
    const double share = b.inverse_mass.empty() ? square : square * b.inverse_mass[node];
    double Q = 0.0, known = 0.0;  // sum weight (W+ + W-)/2 / mass = Q (u+ - u-) + known
    for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
      const Law law = law_at(s);
      const double inertance = b.laws[b.sites[s].law].inertance;
      const double series = 1.0 + inertance * law.beta;
      Q += share * b.sites[s].weight * law.beta / series / 4.0;
      known += share * b.sites[s].weight * ((law.A + inertance * law.beta * law.W) / series + law.W) / 2.0;
    }
    return (r + Q * before - known) / (1.0 + Q);
  }

  void update_branches(std::size_t node, double moved) {
    const Boundary& b = plan_->boundary;
    for (std::uint32_t s = b.site_begin[node]; s < b.site_begin[node + 1]; ++s) {
      const Law law = law_at(s);
      const WallLaw& wall = b.laws[b.sites[s].law];
      const double p = (moved / 2.0 - wall.inertance * (law.A - law.W)) / (1.0 + wall.inertance * law.beta);
      for (std::size_t k = 0; k < wall.branches.size(); ++k) {
        const LawBranch& branch = wall.branches[k];
        double& V = velocity_[b.branch_begin[s] + k];
        double& G = displacement_[b.branch_begin[s] + k];
        const double V_before = V;
        V = rounded(beta_of(branch) * (d_of(branch) * V_before - branch.F * G + p));
        const double mean = (V + V_before) / 2.0;
        G = rounded(G + mean);
        dissipated_[layer(b.nodes[node])] += b.sites[s].weight * branch.E * mean * mean;
      }
    }
  }

  const Plan* plan_ = nullptr;
  struct Point {
    std::array<int, 3> offset;
    double weight;
  };
  std::vector<Group> groups_;
  std::vector<bool> coupled_;                         // by boundary node
  std::vector<Point> points_;                         // of the stencil without the centre
  std::vector<std::vector<std::uint32_t>> patterns_;  // of every node
  Values mass_, now_, before_, velocity_, displacement_;
  std::int64_t step_ = 0;
  Sums injected_, dissipated_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<Reference>(); }

}  // namespace fdtd
