// Plans made by hand for tests of backends: a stencil in a room of any shape, with walls of any laws, no scene.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/slab.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/rooms/cut_rooms.hpp"

namespace fdtd::test {

struct RoomSpec {
  std::array<int, 3> size{8, 8, 8};
  std::string stencil = "leggy-2";
  Precision precision = Precision::f64;
  std::vector<char> air;                         // by node; empty: a box
  std::vector<WallLaw> laws;                     // faces take them in turn, by place; empty: rigid
  double courant_fraction = 1.0;                 // of the stencil's own
  std::array<double, 3> stretch{1.0, 1.0, 1.0};  // of the Courant number by axis, <= 1 (leggy alone may differ)
  WallMethod method = WallMethod::automatic;
  bool cut = false;  // voxels and passages of any fractions (cut_rooms.hpp)
};

inline std::size_t node_of(const std::array<int, 3>& size, int x, int y, int z) {
  return static_cast<std::size_t>(x) +
         static_cast<std::size_t>(size[0]) *
             (static_cast<std::size_t>(y) + static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
}

// Three laws of one, two and three branches, with and without inertance.
inline std::vector<WallLaw> some_laws() {
  return {{0.4, {{0.0, 3.0, 0.0}}, 0, 0},
          {0.0, {{2.0, 1.5, 0.1}, {0.3, 8.0, 0.0}}, 1, 1},
          {1.1, {{0.5, 0.0, 0.4}, {4.0, 0.2, 0.05}, {0.0, 6.0, 0.9}}, 2, 2}};
}

// Every face between air and wall has the law that its place picks; areas differ from face to face.
inline Boundary boundary_of(const AirMask& air, const std::vector<WallLaw>& laws,
                            const std::array<double, 3>& courant) {
  Boundary b;
  if (laws.empty()) return b;
  b.laws = laws;
  const auto size = air.size();
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      for (int x = 0; x < size[0]; ++x) {
        if (!air(x, y, z)) continue;
        std::map<std::uint32_t, double> weights;
        for (int side = 0; side < 6; ++side) {
          const int axis = side / 2, step = side % 2 == 0 ? -1 : 1;
          if (air(x + (axis == 0 ? step : 0), y + (axis == 1 ? step : 0), z + (axis == 2 ? step : 0))) continue;
          const auto law = static_cast<std::uint32_t>((side + x / 5 + y / 4 + z / 3) % static_cast<int>(laws.size()));
          weights[law] += courant[static_cast<std::size_t>(axis)] * (1.0 + 0.1 * ((x + y + z) % 3));
        }
        if (weights.empty()) continue;
        b.nodes.push_back(node_of(size, x, y, z));
        for (const auto& [law, weight] : weights) {
          b.sites.push_back({law, weight});
          b.branch_begin.push_back(b.branch_begin.back() + laws[law].branches.size());
        }
        b.site_begin.push_back(static_cast<std::uint32_t>(b.sites.size()));
      }
    }
  }
  return b;
}

inline Plan plan_of(const RoomSpec& spec) {
  const Stencil* stencil = find_stencil(spec.stencil);
  if (stencil == nullptr) throw std::runtime_error("no stencil " + spec.stencil);
  Plan plan;
  plan.precision = spec.precision;
  plan.grid.size = spec.size;
  plan.grid.sound_speed = 343.0;
  plan.grid.time_step = 1e-4;
  plan.stencil_name = spec.stencil;
  std::array<double, 3> courant{};
  for (std::size_t d = 0; d < 3; ++d) {
    courant[d] = stencil->courant * spec.courant_fraction * spec.stretch[d];
    plan.grid.spacing[d] = plan.grid.sound_speed * plan.grid.time_step / courant[d];
  }
  plan.stencil = on_grid(*stencil, courant);
  if (spec.precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  plan.air = spec.air.empty() ? AirMask(spec.size) : AirMask(spec.size, spec.air);
  std::mt19937 random(31);
  plan.near_wall = spec.cut ? make_near_wall(plan.stencil, cut_room(plan.air, random))
                            : make_near_wall(plan.stencil, plan.air, spec.method);
  plan.boundary = boundary_of(plan.air, spec.laws, courant);
  if (!plan.near_wall.masses.empty()) {
    for (const std::uint64_t node : plan.boundary.nodes) {
      double mass = 1.0;
      for (const NodeMass& m : plan.near_wall.masses)
        if (m.node == node) mass = m.mass;
      plan.boundary.inverse_mass.push_back(1.0 / mass);
    }
  }
  plan.drive_scale = 1.0;
  plan.steps = 100;
  return plan;
}

inline std::vector<std::size_t> air_nodes(const Plan& plan) {
  std::vector<std::size_t> nodes;
  const auto [nx, ny, nz] = plan.grid.size;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        if (plan.air(x, y, z)) nodes.push_back(node_of(plan.grid.size, x, y, z));
  return nodes;
}

// A tap on up to `count` random air nodes, weights adding to 1.
inline Tap random_tap(const Plan& plan, std::size_t count, std::mt19937& random, const std::string& name) {
  std::vector<std::size_t> nodes = air_nodes(plan);
  std::shuffle(nodes.begin(), nodes.end(), random);
  nodes.resize(std::min(count, nodes.size()));
  std::sort(nodes.begin(), nodes.end());
  Tap tap;
  tap.channel = read_channel_name(name);
  tap.nodes.assign(nodes.begin(), nodes.end());
  tap.weights.assign(nodes.size(), 1.0 / static_cast<double>(nodes.size()));
  return tap;
}

// Air with the given probability, at least one voxel of it.
inline std::vector<char> random_mask(const std::array<int, 3>& size, double air, std::mt19937& random) {
  std::vector<char> mask(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                         static_cast<std::size_t>(size[2]));
  std::bernoulli_distribution is_air(air);
  for (char& voxel : mask) voxel = is_air(random) ? 1 : 0;
  mask[mask.size() / 2] = 1;
  return mask;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Values of a state as doubles.
inline std::vector<double> values_of(const std::vector<std::byte>& bytes, Precision precision) {
  std::vector<double> values;
  const std::size_t size = precision == Precision::f32 ? sizeof(float) : sizeof(double);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    float f = 0.0F;
    double d = 0.0;
    if (precision == Precision::f32) {
      std::memcpy(&f, bytes.data() + i, size);
      d = static_cast<double>(f);
    } else {
      std::memcpy(&d, bytes.data() + i, size);
    }
    values.push_back(d);
  }
  return values;
}

inline std::vector<std::byte> bytes_at(const std::vector<double>& values, Precision precision) {
  if (precision == Precision::f64) return bytes_of(values);
  return bytes_of(std::vector<float>(values.begin(), values.end()));
}

// A state of random fields and branches (uniform in -1..1); wall voxels are silent.
inline State random_state(const Plan& plan, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto nodes = static_cast<std::size_t>(plan.grid.nodes());
  std::vector<double> now(nodes, 0.0), before(nodes, 0.0);
  for (const std::size_t node : air_nodes(plan)) {
    now[node] = uniform(random);
    before[node] = uniform(random);
  }
  std::vector<double> V(plan.boundary.branch_begin.back()), G(V.size());
  for (double& v : V) v = 0.1 * uniform(random);
  for (double& g : G) g = 0.1 * uniform(random);
  return {plan.precision,
          0,
          bytes_at(now, plan.precision),
          bytes_at(before, plan.precision),
          bytes_at(V, plan.precision),
          bytes_at(G, plan.precision),
          {},
          {}};
}

inline Drive random_drive(const Plan& plan, std::int64_t steps, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Drive drive;
  drive.steps = steps;
  drive.f.resize(plan.sources.size() * static_cast<std::size_t>(steps));
  for (double& f : drive.f) f = uniform(random);
  return drive;
}

}  // namespace fdtd::test
