#include "engine/planning/build/build_plan.hpp"

#include <array>
#include <numbers>
#include <utility>

#include "base/parallel_failure.hpp"
#include "engine/planning/build/plan_snapshots.hpp"
#include "engine/planning/build/tap_passages.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"

namespace fdtd {
namespace {

// `positions`: on the grid, one for each owner.
std::vector<Tap> taps_of(const std::vector<Channel>& channels, const std::vector<std::array<double, 3>>& positions,
                         const Grid& grid, const AirMask& air, const CutVoxels& cut, const TapWeights& weights,
                         const std::array<WallLayer, 3>& layers) {
  std::vector<Tap> taps(channels.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t c = 0; c < channels.size(); ++c)
    failure.guard([&] {
      const Channel& one = channels[c];
      taps[c] = make_tap(one.name, positions[one.owner], grid, air, one.operation, weights, &cut, layers);
    });
  failure.rethrow();
  return taps;
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

std::vector<WallLaw> laws_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                             const RoomVoxels& room) {
  return make_wall_laws(room.voxels.materials, materials, choice.grid, choice.grid_stencil, choice.frequency_map,
                        choice.max_frequency, scene.simulation.wall_error);
}

Plan outline_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                  const RoomVoxels& room, const PlaneShare& share) {
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
  const auto taps = [&](const std::vector<Channel>& channels, const std::vector<std::array<double, 3>>& positions) {
    if (positions.empty()) return std::vector<Tap>{};
    CutVoxels about;  // of all ranks
    if (!share.whole()) about = passages_about(positions, plan.grid, room.voxels.cut, layers, share);
    return taps_of(channels, positions, plan.grid, room.voxels.air, share.whole() ? room.voxels.cut : about, weights,
                   layers);
  };
  plan.sources = taps(source_channels(scene), room.sources);
  plan.receivers = taps(receiver_channels(scene), room.receivers);
  const double c_t = choice.grid.sound_speed * choice.grid.time_step;
  plan.drive_scale = 4.0 * std::numbers::pi * c_t * c_t / choice.grid.cell_volume();
  plan_snapshots(scene, choice, plan);
  return plan;
}

Plan build_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                RoomVoxels room) {
  Plan plan = outline_plan(scene, choice, bandwidth, std::move(laws), room);
  std::vector<MovedWall> moved;
  plan.near_wall = make_near_wall(plan.stencil, room.voxels, &moved);
  move_walls(room.voxels.faces, moved);
  plan.boundary = make_boundary(room.voxels, std::move(plan.boundary.laws), plan.grid, plan.near_wall);
  plan.air = std::move(room.voxels.air);
  return plan;
}

}  // namespace fdtd
