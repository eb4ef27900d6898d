#include "engine/planning/build/build_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "base/parallel_failure.hpp"
#include "engine/planning/build/plan_snapshots.hpp"
#include "engine/planning/build/tap_passages.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/near_field.hpp"
#include "engine/transducers/taps.hpp"

namespace fdtd {
namespace {

constexpr std::size_t many_taps = 4096;  // whose nodes take 40 MB

// How transducers become taps.
struct TapsOf {
  const Grid& grid;
  const AirMask& air;
  const CutVoxels& cut;
  const TapWeights& weights;
  const std::array<WallLayer, 3>& layers;
  double wave = 0.0;  // radians a cell

  // `positions`: on the grid, one for each owner. `needed`(channel, position): whether a tap's nodes are.
  template <class Needed>
  std::vector<Tap> operator()(const std::vector<Channel>& channels, const std::vector<std::array<double, 3>>& positions,
                              const Needed& needed) const {
    std::vector<Tap> taps(channels.size());
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 16) if (channels.size() > 64)
    for (std::size_t c = 0; c < channels.size(); ++c)
      failure.guard([&] {
        const Channel& one = channels[c];
        const std::array<double, 3>& at = positions[one.owner];
        taps[c] = needed(one, at) && !read_by_ball(one.operation)
                      ? make_tap(one.id, at, grid, air, one.operation, weights, &cut, layers)
                      : tap_without_nodes(one.id, at, grid, air, one.operation);
      });
    failure.rethrow();
    fill_balls(taps, channels, [&](std::size_t c) { return needed(channels[c], positions[channels[c].owner]); });
    return taps;
  }

 private:
  // Those of one owner together: they share their nodes.
  template <class Needed>
  void fill_balls(std::vector<Tap>& taps, const std::vector<Channel>& channels, const Needed& needed) const {
    std::vector<std::span<Tap>> balls;
    for (std::size_t c = 0; c < taps.size(); ++c) {
      if (!read_by_ball(taps[c].operation)) continue;
      if (!needed(c)) {
        taps[c].reach = full_reach(degree(taps[c].operation), grid, wave);
        continue;
      }
      const bool same = c > 0 && channels[c].owner == channels[c - 1].owner && read_by_ball(taps[c - 1].operation);
      balls.push_back(same ? std::span(balls.back().data(), balls.back().size() + 1) : std::span(&taps[c], 1));
      if (same) balls.erase(balls.end() - 2);
    }
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 1) if (balls.size() > 1)
    for (std::size_t b = 0; b < balls.size(); ++b) failure.guard([&] { fill_ball(balls[b], grid, {air, &cut}, wave); });
    failure.rethrow();
  }
};

// Whether some source is so near to the receiver that its near field is computed from the nodes of both.
bool near_to_source(const Plan& plan, const FieldOperator& operation, const std::array<double, 3>& position) {
  return std::ranges::any_of(plan.sources, [&](const Tap& source) {
    double square = 0.0;
    for (std::size_t d = 0; d < 3; ++d)
      square += std::pow((source.position[d] - position[d]) / plan.grid.spacing[d], 2);
    const bool pressure = source.operation.empty() && operation.empty();
    return std::sqrt(square) <= (pressure ? near_pressure_cells : near_field_cells);
  });
}

// The band whose decay may stop a run, up to `bandwidth` (Hz).
void set_stop_band(const Scene& scene, Plan& plan, double bandwidth) {
  plan.stop.low = scene.output.low_cut > 0.0 ? scene.output.low_cut : StopRule{}.low;
  plan.stop.high = bandwidth;
  if (plan.frequency_map.kind() == FrequencyMap::Kind::radial) {  // the watch sees the grid's frequencies
    const double turn = 2.0 * std::numbers::pi * plan.grid.time_step;
    for (double* edge : {&plan.stop.low, &plan.stop.high}) *edge = plan.frequency_map.grid(*edge * turn) / turn;
  }
}

}  // namespace

std::vector<WallLaw> laws_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials) {
  return make_wall_laws(materials, choice.grid, choice.grid_stencil, choice.frequency_map, choice.max_frequency,
                        scene.simulation.wall_error);
}

Plan outline_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                  const RoomVoxels& room, PlanUse use) {
  const PlanePartition& partition = room.partition;
  Plan plan;
  plan.precision = scene.simulation.precision;
  plan.grid = choice.grid;
  plan.stencil_name = choice.stencil.name;
  plan.stencil = plan.precision == Precision::f32 ? rounded_to_float(choice.grid_stencil) : choice.grid_stencil;
  plan.frequency_map = choice.frequency_map;
  plan.steps = choice.steps;
  plan.stop.decay_db = scene.simulation.stop_decay_db;
  set_stop_band(scene, plan, bandwidth);

  plan.boundary.laws = std::move(laws);
  // A plan that only measures speed has voxels, but no positions and so no taps.
  plan.tap_wave = finest_wave(choice.grid, choice.max_frequency);
  const TapWeights weights(plan.tap_wave);
  const std::array<WallLayer, 3> layers = wall_layers(plan, weights.waves());
  const auto taps = [&](const std::vector<Channel>& list, const std::vector<std::array<double, 3>>& positions,
                        const auto& needed) {
    if (positions.empty()) return std::vector<Tap>{};
    CutVoxels about;  // of all ranks
    if (!partition.whole()) about = passages_about(positions, plan.grid, room.voxels.cut, layers, partition);
    const TapsOf taps_of{plan.grid, room.voxels.air, partition.whole() ? room.voxels.cut : about,
                         weights,   layers,          plan.tap_wave};
    return taps_of(list, positions, needed);
  };
  const Channels channels = channels_of(scene);
  const bool all = use == PlanUse::run || channels.receivers.size() <= many_taps;
  plan.sources = taps(channels.sources, room.sources, [](const auto&, const auto&) { return true; });
  plan.receivers = taps(channels.receivers, room.receivers, [&](const Channel& one, const std::array<double, 3>& at) {
    return all || near_to_source(plan, one.operation, at);
  });
  const double c_t = choice.grid.sound_speed * choice.grid.time_step;
  plan.drive_scale = 4.0 * std::numbers::pi * c_t * c_t / choice.grid.cell_volume();
  plan_snapshots(scene, choice, plan);
  return plan;
}

void complete(Plan& plan, Voxels voxels) {
  std::vector<MovedWall> moved;
  plan.near_wall = make_near_wall(plan.stencil, voxels, &moved);
  move_walls(voxels.faces, moved);
  plan.boundary = make_boundary(voxels, std::move(plan.boundary.laws), plan.grid, plan.near_wall);
  plan.air = std::move(voxels.air);
}

Plan build_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                RoomVoxels room, PlanUse use) {
  Plan plan = outline_plan(scene, choice, bandwidth, std::move(laws), room, use);
  complete(plan, std::move(room.voxels));
  return plan;
}

}  // namespace fdtd
