#include "engine/planning/make_plan.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/planning/geometry_limit.hpp"
#include "engine/planning/grid_band.hpp"
#include "engine/planning/mode_count.hpp"
#include "engine/planning/plan_snapshots.hpp"
#include "engine/planning/room_voxels.hpp"
#include "engine/planning/scaling.hpp"
#include "engine/planning/scene_limits.hpp"
#include "engine/planning/tap_passages.hpp"
#include "engine/system/ranks.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"
#include "engine/walls/box_planes.hpp"
#include "engine/walls/shared_walls.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

namespace {

constexpr double lowest_share = 0.05;  // of max_frequency: below it there is no band

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

std::vector<WallLaw> laws_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                             const RoomVoxels& room) {
  return make_wall_laws(room.voxels.materials, materials, choice.grid, choice.grid_stencil, choice.frequency_map,
                        choice.max_frequency, scene.simulation.wall_error);
}

// The plan without air, near-wall rows and boundary nodes. `laws`: laws_of.
Plan outline_plan(const Scene& scene, const GridChoice& choice, std::vector<WallLaw> laws, const RoomVoxels& room,
                  const PlaneShare& share = {}) {
  Plan plan;
  plan.precision = scene.simulation.precision;
  plan.grid = choice.grid;
  plan.stencil_name = choice.stencil.name;
  plan.stencil = plan.precision == Precision::f32 ? rounded_to_float(choice.grid_stencil) : choice.grid_stencil;
  plan.frequency_map = choice.frequency_map;
  plan.steps = choice.steps;
  plan.stop.decay_db = scene.simulation.stop_decay_db;
  set_stop_band(scene, plan, choice.max_frequency);

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

Plan plan_with_laws(const Scene& scene, const GridChoice& choice, std::vector<WallLaw> laws, RoomVoxels room) {
  Plan plan = outline_plan(scene, choice, std::move(laws), room);
  std::vector<MovedWall> moved;
  plan.near_wall = make_near_wall(plan.stencil, room.voxels, &moved);
  move_walls(room.voxels.faces, moved);
  plan.boundary = make_boundary(room.voxels, std::move(plan.boundary.laws), plan.grid, plan.near_wall);
  plan.air = std::move(room.voxels.air);
  return plan;
}

}  // namespace

Plan build_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                RoomVoxels room) {
  std::vector<WallLaw> laws = laws_of(scene, choice, materials, room);
  return plan_with_laws(scene, choice, std::move(laws), std::move(room));
}

namespace {

// Who shares the room, where all ranks plan it at the same time.
PlaneShare shared_planes(const Target& target) {
  Ranks* const all = target.planners;
  if (all == nullptr || target.ranks < 2 || target.rank < 0) return {};
  return {target.rank, target.ranks, [all](std::span<const std::byte> mine) { return gather_all(*all, mine); }};
}

// Calls require(), which throws Error (status resource) where memory is short. Where ranks plan together and one throws,
// all do: none waits for it.
template <class Require>
void require_together(const Target& target, const Require& require) {
  if (shared_planes(target).whole()) return require();
  std::optional<Error> refused;
  try {
    require();
  } catch (const Error& error) {
    refused = error;
  }
  if (!any_of(*target.planners, refused.has_value())) return;
  throw refused ? *refused
                : Error(Status::resource, "another rank has too little memory", "see what `fdtd plan` reports of it");
}

// Two fields must fit by themselves: even the estimate of the walls takes time and memory in proportion to them.
void require_fields(Planned& planned, const Scene& scene, const Target& target) {
  const double value = scene.simulation.precision == Precision::f32 ? 4.0 : 8.0;
  const double fields = 2.0 * static_cast<double>(planned.choice.grid.nodes()) * value;
  planned.memory.state = static_cast<std::int64_t>(std::min(fields, 9e18));
  if (target.ranks == 1) {
    require_memory(planned.memory, target, planned.choice);
  } else {
    require_together(target, [&] { require_field_shares(planned.memory, target, planned.choice); });
  }
}

// The room on the grid, once memory is known to suffice for one rank. The walls of a mesh are counted from its voxels,
// which take a few bits each; those of a box from its sides, before it is voxelised. The outline of a box needs no
// faces.
RoomVoxels make_room_within_memory(Planned& planned, const Scene& scene, const Target& target) {
  const bool box = !scene.room.mesh;
  RoomVoxels room;
  if (!box) room = make_room(scene, planned.choice, false, room_share(scene, planned.choice, shared_planes(target)));
  planned.memory = estimate_memory(scene, planned.choice, planned.materials, box ? nullptr : &room.tally, target);
  if (target.ranks == 1) require_memory(planned.memory, target, planned.choice);
  if (box) room = planned.outline ? make_open_box(scene, planned.choice) : make_room(scene, planned.choice);
  return room;
}

void begin_grid(const PlanningStage& stage) {
  if (stage) stage("choosing the grid");
}

void begin_room(const PlanningStage& stage, const Scene& scene, const Grid& grid) {
  if (!stage) return;
  const auto& [nx, ny, nz] = grid.size;
  stage(scene.room.mesh
            ? fmt::format("{} triangles on a grid of {} x {} x {} nodes", scene.room.mesh->triangles.size(), nx, ny, nz)
            : fmt::format("a box of {} x {} x {} nodes", nx, ny, nz));
}

// The grid, and the room on it. Limits are estimates before there is a grid: how much of a mesh cuts voxels, how few
// nodes walls in narrow places can read, where sources lie between nodes. Where one ends below max_frequency on the grid
// that was made, a finer one is.
void choose_with_room(Planned& planned, RoomVoxels& room, GridFacts& facts, SceneLimits& limits, const Scene& scene,
                      const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  constexpr int most_grids = 16;
  planned.outline = target.ranks != 1 || target.rank < 0;
  for (int grids = 1;; ++grids) {
    begin_grid(stage);
    planned.choice = choose_grid(scene, stencil, &limits);
    begin_room(stage, scene, planned.choice.grid);
    require_fields(planned, scene, target);
    planned.materials = limits.walls.fits(planned.choice.max_frequency);
    room = {};  // of the grid before: two rooms need twice the memory
    room = make_room_within_memory(planned, scene, target);
    const GridChoice& choice = planned.choice;
    if (scene.room.mesh) {
      facts.cut = cut_area(room.tally, choice.grid, *scene.room.mesh, choice.grid_stencil);
      facts.cut.furnished = limits.furnished_share(choice.grid_stencil, choice.grid.mean_spacing());
    }
    facts.laws = laws_of(scene, choice, planned.materials, room);
    const GridBand band = band_of(scene, choice, planned.materials, facts, room);
    planned.walls = band.walls;
    planned.valid = band.valid;
    if (!scene.simulation.max_frequency || grids == most_grids || !learn(scene, band.valid, choice, limits)) return;
  }
}

std::vector<ReverberationBand> reverberation_of(const Scene& scene, const Planned& planned, const RoomExtent& room) {
  const OctaveAbsorption absorption = stated_absorption(scene);
  auto bands = estimate_reverberation(room, absorption, scene.air, planned.choice.max_frequency);
  expect_decay(bands, scene, absorption);
  return bands;
}

void add_remarks(Planned& planned, const Scene& scene, RoomVoxels& room) {
  planned.mesh = std::move(room.mesh);
  std::vector<Note>& warnings = planned.choice.warnings;
  const RoomExtent extent = extent_of(scene, planned.choice, room);
  planned.reverberation = reverberation_of(scene, planned, extent);
  planned.schroeder_frequency = schroeder_frequency(planned.reverberation, extent.volume);
  for (std::string& remark :
       reverberation_remarks(planned.reverberation, planned.materials, scene.simulation, planned.choice.max_frequency))
    warnings.push_back(std::move(remark));
  if (std::string remark = few_modes_remark(planned.reverberation, extent.volume); !remark.empty())
    warnings.push_back(std::move(remark));
  if (scene.output.low_cut == 0.0 && scene.simulation.precision == Precision::f32)
    warnings.emplace_back(
        "low_cut = 0 in f32: the static pressure of a closed room drifts by rounding, a random walk, and the responses "
        "show it; precision = \"f64\" or a low_cut removes it");
  for (const std::string& remark : room.remarks) warnings.emplace_back(remark, NoteWeight::room);
  for (std::string& remark : snapshot_remarks(scene)) warnings.push_back(std::move(remark));
}

// Which key gives more of the band that a limit ends.
std::string more_by(const std::string& what, const Simulation& wish) {
  if (!wish.max_frequency)
    return fmt::format("a simulation.grid_spacing smaller than {:.4g} m gives more", *wish.grid_spacing);
  return fmt::format("another simulation.stencil{} gives more",
                     what == "walls"      ? " or a larger wall_error"
                     : what == "geometry" ? ", or a larger geometry_error or dispersion_error,"
                                          : "");
}

// Rendering passes nothing above what is valid; its low-pass rings the longer the lower it is. Throws Error (status
// scene) where that leaves no octave.
void pass_what_is_valid(Planned& planned, const Scene& scene) {
  const GridChoice& choice = planned.choice;
  const ValidBand& valid = planned.valid;
  if (planned.bandwidth() >= choice.max_frequency) return;
  const auto limit = std::ranges::find(valid.limits, valid.limited_by, &Limit::what);
  const std::string by = limit->by.empty() ? "" : fmt::format(" ({})", limit->by);
  const std::string more = more_by(limit->what, scene.simulation);
  const double low_cut = scene.output.low_cut, lowest = std::max(2.0 * low_cut, lowest_share * choice.max_frequency);
  if (valid.frequency < lowest)
    throw EmptyBand(
        Status::scene,
        fmt::format("the band is empty on this grid, {} with a spacing of {:.4g} m: {} {} it at {:.3g} Hz{}, "
                    "which leaves {}",
                    choice.stencil.name, choice.grid.mean_spacing(), limit->what,
                    limit->what.back() == 's' ? "end" : "ends", valid.frequency, by,
                    lowest == 2.0 * low_cut
                        ? fmt::format("no octave above output.low_cut, {:g} Hz", low_cut)
                        : fmt::format("less than a twentieth of max_frequency, {:.4g} Hz", choice.max_frequency)),
        more);
  planned.choice.warnings.emplace_back(
      fmt::format(
          "responses pass nothing above {:.1f} Hz, below the {:.1f} Hz of max_frequency: {} no more on this grid{}; {}",
          planned.bandwidth(), choice.max_frequency, limit->what + (limit->what.back() == 's' ? " allow" : " allows"),
          by, more),
      NoteWeight::band);
  planned.choice.steps = steps_for(scene, choice, planned.bandwidth());
  planned.plan.steps = planned.choice.steps;
  set_stop_band(scene, planned.plan, planned.bandwidth());
}

// The walls of a box never exist as a whole: here they are counted by plane, and each rank builds those of its planes.
void outline_box(Planned& planned, const Scene& scene, RoomVoxels room, GridFacts facts) {
  planned.plan = outline_plan(scene, planned.choice, std::move(facts.laws), room);
  planned.plan.air = std::move(room.voxels.air);
  planned.counts = box_counts(planned.plan, scene.room.walls);
  planned.wall_taps = box_tap_shares(planned.plan, scene.room.walls);
}

// The walls of a mesh are built as a whole, counted and released: this is no rank's plan, or other ranks plan something
// else at this time.
void outline_mesh(Planned& planned, const Scene& scene, const Target& target, RoomVoxels room, GridFacts facts) {
  planned.plan = plan_with_laws(scene, planned.choice, std::move(facts.laws), std::move(room));
  planned.counts = plane_counts(planned.plan);
  if (target.ranks > 1 && target.rank >= 0)
    planned.share = share_of(planned.plan, planned.counts, target.ranks, target.rank);
  planned.plan.near_wall = {};
  planned.wall_taps = tap_shares(planned.plan.boundary);
  Boundary laws;
  laws.laws = std::move(planned.plan.boundary.laws);
  planned.plan.boundary = std::move(laws);
}

// Each rank builds the walls of its planes alone, first of those that it has voxelised, to count them.
std::unique_ptr<SharedWalls> outline_shared_mesh(Planned& planned, const Scene& scene, const Target& target,
                                                 RoomVoxels room, GridFacts facts) {
  PlaneShare share = room_share(scene, planned.choice, shared_planes(target));
  planned.plan = outline_plan(scene, planned.choice, std::move(facts.laws), room, share);
  planned.plan.air = std::move(room.voxels.air);
  auto walls = std::make_unique<SharedWalls>(planned.plan, std::move(room.voxels), std::move(share));
  planned.counts = walls->counts();
  planned.wall_taps = walls->tap_shares();
  return walls;
}

void require_memory_of_ranks(Planned& planned, const Target& target) {
  estimate_host_memory(planned, target);
  std::int64_t largest_slab = 0;
  if (target.on_gpu())
    largest_slab =
        std::ranges::max(slab_bytes(planned.plan, planned.counts, split(planned.plan, planned.counts, target.ranks)));
  require_together(target, [&] {
    require_shares(planned.memory, largest_slab, std::ranges::max(planned.host), target, planned.choice);
  });
}

}  // namespace

void estimate_host_memory(Planned& planned, const Target& target) {
  planned.host.clear();
  for (const Slab& slab : split(planned.plan, planned.counts, target.ranks))
    planned.host.push_back(planned.mesh ? host_bytes_of_mesh(planned.plan, planned.counts, slab, target.ranks,
                                                             *planned.mesh, target.on_gpu())
                                        : host_bytes(planned.plan, planned.counts, slab, target.on_gpu()));
}

void settle_duration(Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  if (!scene.simulation.duration_auto) return;
  Planned planned;
  SceneLimits limits(scene);
  begin_grid(stage);
  planned.choice = choose_grid(scene, stencil, &limits);
  begin_room(stage, scene, planned.choice.grid);
  require_fields(planned, scene, target);
  planned.materials = limits.walls.fits(planned.choice.max_frequency);
  const RoomVoxels room = scene.room.mesh ? make_room(scene, planned.choice, false,
                                                      room_share(scene, planned.choice, shared_planes(target)))
                                          : make_open_box(scene, planned.choice);
  scene.simulation.duration =
      automatic_duration(reverberation_of(scene, planned, extent_of(scene, planned.choice, room)));
}

double Planned::bandwidth() const {
  constexpr double nearly = 1.0 - 1e-6;
  if (valid.frequency >= nearly * choice.max_frequency) return choice.max_frequency;
  return std::max(valid.frequency, lowest_share * choice.max_frequency);
}

bool falls_short(const Scene& scene, const Planned& planned) {
  return scene.simulation.max_frequency && planned.bandwidth() < planned.choice.max_frequency;
}

Planned make_plan(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  Planned planned;
  SceneLimits limits(scene);
  RoomVoxels room;
  GridFacts facts;
  choose_with_room(planned, room, facts, limits, scene, stencil, target, stage);
  add_remarks(planned, scene, room);
  if (stage) stage("walls, sources and receivers on the grid");
  if (!planned.outline) {
    planned.plan = plan_with_laws(scene, planned.choice, std::move(facts.laws), std::move(room));
    planned.wall_taps = tap_shares(planned.plan.boundary);
    pass_what_is_valid(planned, scene);
    return planned;
  }
  std::unique_ptr<SharedWalls> walls;
  if (!scene.room.mesh) {
    outline_box(planned, scene, std::move(room), std::move(facts));
  } else if (shared_planes(target).whole()) {
    outline_mesh(planned, scene, target, std::move(room), std::move(facts));
  } else {
    walls = outline_shared_mesh(planned, scene, target, std::move(room), std::move(facts));
  }
  pass_what_is_valid(planned, scene);
  if (target.ranks < 2) return planned;
  require_memory_of_ranks(planned, target);
  if (walls) {
    planned.share = share_of_mesh(planned.plan, *walls, target.ranks, target.rank);
    walls = nullptr;
    ::malloc_trim(0);  // returns what building them took: as much as the fields
  } else if (!scene.room.mesh && target.rank >= 0) {
    planned.share = share_of_box(planned.plan, planned.counts, scene.room.walls, target.ranks, target.rank);
  }
  return planned;
}

}  // namespace fdtd
