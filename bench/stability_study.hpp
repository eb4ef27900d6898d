// A small room with furniture of random blocks and lossy walls, as a plan by hand, stepped for long: does its energy
// balance hold, and does anything grow?
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/plan.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/wall_law.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/rooms/cut_rooms.hpp"

namespace fdtd::bench {

// An empty room, or one with blocks of any place and size up to a third of the room's, which leave half of it.
inline AirMask furnished(std::array<int, 3> size, int blocks, std::mt19937& random) {
  AirMask air(size);
  const auto half = air.count() / 2;
  for (int i = 0; i < blocks; ++i) {
    std::array<int, 3> from{}, length{};
    for (std::size_t d = 0; d < 3; ++d) {
      length[d] = 1 + static_cast<int>(random() % static_cast<unsigned>(std::max(1, size[d] / 3)));
      from[d] = static_cast<int>(random() % static_cast<unsigned>(size[d] - length[d] + 1));
    }
    AirMask next = air;
    for (int z = from[2]; z < from[2] + length[2]; ++z)
      for (int y = from[1]; y < from[1] + length[1]; ++y)
        for (int x = from[0]; x < from[0] + length[0]; ++x) next.set(x, y, z, false);
    if (next.count() > half) air = std::move(next);
  }
  return air;
}

struct LongRoom {
  std::string stencil;
  Precision precision = Precision::f32;
  std::array<int, 3> size{10, 9, 8};
  int blocks = 0;                          // of furniture
  unsigned seed = 1;                       // of the furniture and the source's place
  std::vector<double> admittances{0.005};  // of the surfaces, in turns by side and place; 0: rigid
  double courant_fraction = 1.0;           // of what a scene runs at
  bool cut = false;                        // voxels and passages of any shares, as no walls cut them
};

// The plan as scenes have it: laws fitted to the stencil's band at a dispersion error of 1 %.
inline Plan plan_of(const LongRoom& room) {
  const Stencil& known = *find_stencil(room.stencil);
  const double courant = room.courant_fraction * own_courant(known, room.cut);
  const Stencil stencil = at_courant(known, courant);
  Plan plan;
  plan.precision = room.precision;
  plan.stencil_name = room.stencil;
  plan.stencil = on_grid(stencil, {courant, courant, courant});
  plan.frequency_map = frequency_map(stencil);
  plan.grid.size = room.size;
  plan.grid.spacing = {0.1, 0.1, 0.1};
  plan.grid.sound_speed = 343.0;
  plan.grid.time_step = courant * 0.1 / 343.0;
  const double highest = usable_omega(plan.stencil, 0.01, plan.frequency_map);
  std::vector<MaterialFit> fits;
  std::vector<std::string> names;
  for (const double admittance : room.admittances) {
    MaterialFit fit;
    fit.name = names.emplace_back("wall " + std::to_string(names.size()));
    if (admittance > 0.0) fit.branches = {{0.0, 1.0 / admittance, 0.0}};
    fits.push_back(fit);
  }
  std::vector<WallLaw> laws = make_wall_laws(fits, plan.grid, plan.stencil, plan.frequency_map,
                                             highest / plan.grid.time_step / (2.0 * std::numbers::pi));
  if (room.precision == Precision::f32) plan.stencil = rounded_to_float(plan.stencil);
  std::mt19937 random(room.seed);
  Voxels voxels = voxels_of(furnished(room.size, room.blocks, random), plan.grid.spacing, names.front());
  voxels.materials = names;
  const auto rows = static_cast<std::uint64_t>(room.size[0]) * 4;
  for (BoundaryFace& face : voxels.faces)
    face.material = static_cast<std::uint16_t>((face.side + face.node / rows) % names.size());
  if (room.cut) voxels.cut = test::cut_room(voxels.air, random).cut;
  plan.near_wall = make_near_wall(plan.stencil, voxels);
  plan.boundary = make_boundary(voxels, std::move(laws), plan.grid, plan.near_wall);
  plan.air = std::move(voxels.air);
  std::uint64_t node = 0;
  const auto nodes = static_cast<std::uint64_t>(plan.grid.nodes());
  const auto is_air = [&](std::uint64_t n) {
    const auto nx = static_cast<std::uint64_t>(room.size[0]), ny = static_cast<std::uint64_t>(room.size[1]);
    return plan.air(static_cast<int>(n % nx), static_cast<int>(n / nx % ny), static_cast<int>(n / nx / ny));
  };
  do node = random() % nodes;
  while (!is_air(node));
  plan.sources.push_back({"S", {}, {node}, {1.0}, {}});
  plan.drive_scale = 1.0;
  return plan;
}

struct LongRun {
  std::int64_t steps = 0;  // done: fewer where the balance was lost
  double balance = 0.0;    // the largest error of the energy balance, of the injected energy
  double left = 0.0;       // stored energy at the end, of the injected energy
  double alternating_middle = 0.0, alternating_end = 0.0;  // `alternating` halfway and at the end
};

namespace detail {

inline std::vector<double> field(const Backend& backend, Precision precision) {
  State state;
  backend.save(state);
  std::vector<double> values;
  const auto& bytes = state.u_now;
  const std::size_t size = precision == Precision::f32 ? sizeof(float) : sizeof(double);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    float f = 0.0F;
    double d = 0.0;
    std::memcpy(precision == Precision::f32 ? static_cast<void*>(&f) : static_cast<void*>(&d), bytes.data() + i, size);
    values.push_back(precision == Precision::f32 ? static_cast<double>(f) : d);
  }
  return values;
}

}  // namespace detail

// The amplitude of the field at half the sample rate: over 64 steps of silence, the root mean square over the nodes of
// sum (-1)^n hann_n u^n / sum hann_n.
inline double alternating(Backend& backend, const Plan& plan) {
  constexpr int window = 64;
  Samples samples;
  std::vector<double> sum;
  double weights = 0.0;
  for (int n = 0; n < window; ++n) {
    backend.advance({1, std::vector<double>(plan.sources.size(), 0.0)}, samples);
    const std::vector<double> u = detail::field(backend, plan.precision);
    const double hann = 1.0 - std::cos(2.0 * std::numbers::pi * (n + 0.5) / window);
    sum.resize(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) sum[i] += (n % 2 == 0 ? hann : -hann) * u[i];
    weights += hann;
  }
  double square = 0.0;
  for (const double one : sum) square += one * one;
  return std::sqrt(square / static_cast<double>(std::max<std::size_t>(1, sum.size()))) / weights;
}

// Drives the source by (1, -1, 0, ...) from silence.
inline LongRun run_long(const Plan& plan, Backend& backend, std::int64_t steps) {
  const std::int64_t block = std::max<std::int64_t>(1, std::min<std::int64_t>(10000, steps / 4));
  backend.load(plan, whole(plan));
  LongRun run;
  Samples samples;
  double injected = 0.0;
  while (run.steps < steps) {
    Drive drive{block, std::vector<double>(static_cast<std::size_t>(block), 0.0)};
    if (run.steps == 0) drive.f[0] = 1.0, drive.f[1] = -1.0;
    backend.advance(drive, samples);
    run.steps = backend.step();
    const Energy energy = backend.energy();
    injected = std::max(injected, std::abs(energy.injected));
    const double error = std::abs(energy.stored + energy.dissipated - energy.injected) / injected;
    run.balance = std::isfinite(error) ? std::max(run.balance, error) : error;
    if (!(run.balance <= 1e-2)) return run;
    if (run.steps <= steps / 2 && run.steps + block > steps / 2) run.alternating_middle = alternating(backend, plan);
    run.left = energy.stored / injected;
  }
  run.alternating_end = alternating(backend, plan);
  return run;
}

}  // namespace fdtd::bench
