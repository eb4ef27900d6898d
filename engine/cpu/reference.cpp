// The reference: the scheme as plan/boundary.hpp, plan/near_wall.hpp and plan/plan.hpp state it, node by node, written
// to be read and never optimised. Every kernel is tested against it.
//
// All sums are in double. In f32 the state that is kept from one step to the next is rounded to float, and nothing
// else.
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/cpu/reference_walls.hpp"

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
    state = {plan_->precision,
             step_,
             bytes(now_),
             bytes(before_),
             each_made([&](const Values& values) { return bytes(values); }, walls_->state),
             injected_,
             walls_->dissipated};
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
    for (const StatePart part : branch_parts) take(part, value_at(walls_->state, branch_value(part)));
    step_ = state.step;
    injected_ = state.injected;
    walls_->dissipated = state.dissipated;
    injected_.resize(layers());
    walls_->dissipated.resize(layers());
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
      energies[layer(plan_->boundary.nodes[j])].stored += walls_->stored(j);
    for (std::size_t l = 0; l < energies.size(); ++l) {
      energies[l].injected = injected_[l];
      energies[l].dissipated = walls_->dissipated[l];
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
    walls_.emplace(*plan_, layers());
    step_ = 0;
    injected_ = Sums(layers());
  }

  std::size_t layers() const { return static_cast<std::size_t>(layer_count(plan_->grid.size[2])); }
  std::size_t layer(std::size_t node) const { return layer_of_node(plan_->grid, node); }

  std::vector<std::byte> bytes(const Values& values) const { return to_bytes(values, plan_->precision); }

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
    walls_->update(before_, next);
    for (double& u : next) u = rounded_to(plan_->precision, u);
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

  const Plan* plan_ = nullptr;
  struct Point {
    std::array<int, 3> offset;
    double weight;
  };
  std::optional<ReferenceWalls> walls_;
  std::vector<Point> points_;                         // of the stencil without the centre
  std::vector<std::vector<std::uint32_t>> patterns_;  // of every node
  Values mass_, now_, before_;
  std::int64_t step_ = 0;
  Sums injected_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<Reference>(); }

}  // namespace fdtd
