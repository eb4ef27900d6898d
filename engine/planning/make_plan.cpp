#include "engine/planning/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "engine/error.hpp"
#include "engine/planning/plan_snapshots.hpp"
#include "engine/planning/room_voxels.hpp"
#include "engine/planning/scaling.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"
#include "engine/walls/box_planes.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency) {
  std::vector<MaterialFit> fits;
  for (const std::string& name : scene.room.used_materials())
    fits.push_back(fit_material(scene.materials.at(name), max_frequency, scene.air.speed()));
  return fits;
}

namespace {

// Everything but air and what walls are on the grid.
Plan outline_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                  const RoomVoxels& room) {
  Plan plan;
  plan.precision = scene.simulation.precision;
  plan.grid = choice.grid;
  plan.stencil_name = choice.stencil.name;
  plan.stencil = plan.precision == Precision::f32 ? rounded_to_float(choice.grid_stencil) : choice.grid_stencil;
  plan.time_dispersion_removal = choice.time_dispersion_removal;
  plan.steps = choice.steps;
  plan.stop.decay_db = scene.simulation.stop_decay_db;
  plan.stop.low = scene.output.low_cut > 0.0 ? scene.output.low_cut : StopRule{}.low;
  plan.stop.high = choice.max_frequency;

  plan.boundary.laws = make_wall_laws(room.voxels.materials, materials, choice.grid, choice.grid_stencil,
                                      choice.time_dispersion_removal);
  // A probe of speed has voxels alone: no positions, no taps.
  const auto add = [&](std::vector<Tap>& taps, const std::vector<Channel>& channels, const auto& positions) {
    for (const Channel& one : channels)
      if (one.owner < positions.size())
        taps.push_back(make_tap(one.name, positions[one.owner], plan.grid, room.voxels.air, one.operation,
                                points_of(one.operation)));
  };
  add(plan.sources, source_channels(scene), room.sources);
  add(plan.receivers, receiver_channels(scene), room.receivers);
  const double c_t = choice.grid.sound_speed * choice.grid.time_step;
  plan.drive_scale = 4.0 * std::numbers::pi * c_t * c_t / choice.grid.cell_volume();
  plan_snapshots(scene, choice, plan);
  return plan;
}

}  // namespace

Plan build_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                RoomVoxels room) {
  Plan plan = outline_plan(scene, choice, materials, room);
  plan.near_wall = make_near_wall(plan.stencil, room.voxels);
  plan.boundary = make_boundary(room.voxels, std::move(plan.boundary.laws), plan.grid, plan.near_wall);
  plan.air = std::move(room.voxels.air);
  return plan;
}

namespace {

// What a box's walls are is never there as a whole: counts by plane, and the planes of this rank.
void plan_box_outline(Planned& planned, const Scene& scene) {
  RoomVoxels room = make_open_box(scene, planned.choice);
  planned.plan = outline_plan(scene, planned.choice, planned.materials, room);
  planned.plan.air = std::move(room.voxels.air);
  planned.counts = box_counts(planned.plan, scene.room.walls);
}

// A mesh's voxels, and so its walls, are made as a whole; kept is what this rank needs of them.
void plan_mesh_outline(Planned& planned, const Scene& scene, const Target& target, RoomVoxels room) {
  planned.plan = build_plan(scene, planned.choice, planned.materials, std::move(room));
  planned.counts = plane_counts(planned.plan);
  if (target.ranks > 1 && target.rank >= 0)
    planned.share = share_of(planned.plan, planned.counts, target.ranks, target.rank);
  planned.plan.near_wall = {};
  Boundary laws;
  laws.laws = std::move(planned.plan.boundary.laws);
  planned.plan.boundary = std::move(laws);
}

}  // namespace

void share_out(Planned& planned, const Scene& scene, const Target& target) {
  const bool box = !scene.room.mesh;
  planned.host.clear();
  for (const Slab& slab : split(planned.plan, planned.counts, target.ranks))
    planned.host.push_back(box ? host_bytes(planned.plan, planned.counts, slab, target.on_gpu())
                               : host_bytes_of_whole(planned.plan, planned.counts, slab, target.on_gpu()));
}

Planned make_plan(const Scene& scene, const Stencil& stencil, const Target& target) {
  Planned planned;
  planned.choice = choose_grid(scene, stencil);
  const bool shared = target.ranks != 1, box = !scene.room.mesh;
  planned.outline = shared || target.rank < 0;
  // Even the estimate of what is near the walls takes time and memory in proportion to them: the field alone must fit first.
  const double field = 2.0 * static_cast<double>(planned.choice.grid.nodes()) *
                       (scene.simulation.precision == Precision::f32 ? 4.0 : 8.0);
  planned.memory.state = static_cast<std::int64_t>(std::min(field, 9e18));
  shared ? require_field_shares(planned.memory, target, planned.choice)
         : require_memory(planned.memory, target, planned.choice);
  planned.materials = fit_materials(scene, planned.choice.max_frequency);
  RoomVoxels room;
  if (!box) room = make_room(scene, planned.choice);  // a few bits a voxel: what it takes to count its walls
  planned.memory = estimate_memory(scene, planned.choice, planned.materials, box ? nullptr : &room.voxels, target);
  if (!shared) require_memory(planned.memory, target, planned.choice);
  if (box && !planned.outline) room = make_room(scene, planned.choice);
  planned.mesh = std::move(room.mesh);
  planned.choice.warnings.insert(planned.choice.warnings.end(), room.remarks.begin(), room.remarks.end());
  for (std::string& remark : snapshot_remarks(scene)) planned.choice.warnings.push_back(std::move(remark));
  if (!planned.outline) {
    planned.plan = build_plan(scene, planned.choice, planned.materials, std::move(room));
    return planned;
  }
  if (box) {
    plan_box_outline(planned, scene);
  } else {
    plan_mesh_outline(planned, scene, target, std::move(room));
  }
  if (target.ranks < 2) return planned;
  share_out(planned, scene, target);
  const std::int64_t largest_slab =
      !target.on_gpu() ? 0
                       : std::ranges::max(slab_bytes(planned.plan, planned.counts,
                                                     split(planned.plan, planned.counts, target.ranks)));
  require_shares(planned.memory, largest_slab, std::ranges::max(planned.host), target, planned.choice);
  if (box && target.rank >= 0)
    planned.share = share_of_box(planned.plan, planned.counts, scene.room.walls, target.ranks, target.rank);
  return planned;
}

}  // namespace fdtd
