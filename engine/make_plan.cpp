#include "engine/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/backend.hpp"
#include "engine/capsules.hpp"
#include "engine/error.hpp"
#include "engine/machine.hpp"
#include "engine/room_voxels.hpp"
#include "engine/scaling.hpp"
#include "engine/signals.hpp"
#include "engine/snapshots.hpp"
#include "engine/wall_law.hpp"

namespace fdtd {
namespace {

constexpr double memory_share = 0.9;  // of what is available: the rest is for files and the system

const MaterialFit* find_fit(const std::vector<MaterialFit>& fits, const std::string& name) {
  const auto it = std::find_if(fits.begin(), fits.end(), [&](const MaterialFit& fit) { return fit.name == name; });
  return it == fits.end() ? nullptr : &*it;
}

}  // namespace

std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency) {
  std::vector<MaterialFit> fits;
  for (const std::string& name : scene.room.used_materials())
    fits.push_back(fit_material(scene.materials.at(name), max_frequency, scene.air.speed()));
  return fits;
}

namespace {

// Walls of a mesh, counted: their faces, the states of their branches, and what the near-wall operator may take. Rows at
// oblique and curved walls are nearly all different outside the leggy family: two thirds of them, each of all the
// stencil's points.
struct WallCount {
  double faces = 0.0, branch_states = 0.0, near_wall_bytes = 0.0;
};

WallCount count_walls(const Voxels& voxels, const GridStencil& stencil, const std::vector<MaterialFit>& materials) {
  constexpr float flat = 0.97F;  // a smaller share of a face: its wall is oblique
  WallCount count;
  std::vector<double> branches;
  for (const std::string& name : voxels.materials) {
    const MaterialFit* fit = find_fit(materials, name);
    branches.push_back(fit != nullptr ? static_cast<double>(fit->branches.size()) : 0.0);
  }
  double oblique = 0.0, points = 1.0;
  bool off_axes = false;
  for (const Term& term : stencil.terms) {
    points += image_count(term);
    off_axes = off_axes || image_count(term) > 2;
  }
  for (const BoundaryFace& face : voxels.faces) {
    count.branch_states += branches[face.material];
    if (face.area < flat) oblique += 1.0;
  }
  count.faces = static_cast<double>(voxels.faces.size());
  count.near_wall_bytes = count.faces * stencil.radius * sizeof(WallSegment);
  // Cut voxels: a row for every node that sees one along an axis, or anywhere; before plane walls most are alike.
  if (!voxels.cut.empty() && !off_axes)
    count.near_wall_bytes += oblique * stencil.radius * (2.0 * stencil.radius + 1.0) * sizeof(RowEntry);
  const double layers = voxels.cut.empty() ? stencil.radius : stencil.radius + 1.0;
  if (off_axes) count.near_wall_bytes += oblique * layers * points * sizeof(RowEntry) * 2.0 / 3.0;
  return count;
}

WallCount count_walls(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials) {
  WallCount count;
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t u = (side / 2 + 1) % 3, v = (side / 2 + 2) % 3;
    const double area = static_cast<double>(choice.grid.size[u]) * choice.grid.size[v];
    count.faces += area;
    if (const MaterialFit* fit = find_fit(materials, scene.room.walls[side]))
      count.branch_states += area * static_cast<double>(fit->branches.size());
  }
  count.near_wall_bytes = static_cast<double>(near_wall_bytes_of_box(choice.grid_stencil, choice.grid.size));
  return count;
}

}  // namespace

MemoryEstimate estimate_memory(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                               const Voxels* voxels, const Target& target) {
  Plan shape;  // what the backend's own estimate looks at
  shape.precision = scene.simulation.precision;
  shape.grid = choice.grid;
  shape.stencil = choice.grid_stencil;
  const double real = scene.simulation.precision == Precision::f32 ? 4.0 : 8.0;
  const WallCount walls =
      voxels != nullptr ? count_walls(*voxels, choice.grid_stencil, materials) : count_walls(scene, choice, materials);
  MemoryEstimate memory;
  memory.state = field_bytes(target, shape);
  memory.near_wall = static_cast<std::int64_t>(std::min(walls.near_wall_bytes, 4e18));
  const double boundary = walls.faces * (sizeof(BoundaryFace) + sizeof(BoundarySite) + 2 * sizeof(std::uint64_t) +
                                         sizeof(std::uint32_t) + 6.0 * real) +
                          walls.branch_states * 2.0 * real;
  shape.steps = choice.steps;
  plan_snapshots(scene, choice, shape);
  const auto frames = static_cast<double>(snapshot_memory(shape));
  // Held at once: the grid's samples, one channel's FFT work, the rendered responses.
  const double channels =
      static_cast<double>(source_capsules(scene).size()) * static_cast<double>(receiver_capsules(scene).size());
  const double recording = channels * (8.0 * static_cast<double>(choice.steps) +
                                       12.0 * scene.simulation.duration * scene.output.sample_rate) +
                           64.0 * static_cast<double>(choice.steps) + frames;
  memory.boundary = static_cast<std::int64_t>(std::min(boundary, 4e18));
  memory.recording = static_cast<std::int64_t>(std::min(recording, 4e18));
  return memory;
}

namespace {

// Largest scale of max_frequency at which a grid of the same room fits: the field goes with its cube, walls with its square,
// recordings with itself. 0 when nothing does.
double scale_that_fits(const MemoryEstimate& memory, double room) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 50; ++i) {
    const double scale = (low + high) / 2.0;
    const double walls = static_cast<double>(memory.near_wall) + static_cast<double>(memory.boundary);
    const double needed =
        ((static_cast<double>(memory.state) * scale + walls) * scale + static_cast<double>(memory.recording)) * scale;
    (needed <= room ? low : high) = scale;
  }
  return low;
}

}  // namespace

void require_memory(const MemoryEstimate& memory, std::int64_t available, const GridChoice& choice,
                    const std::string& where) {
  const double room = memory_share * static_cast<double>(available);
  const double walls = static_cast<double>(memory.near_wall) + static_cast<double>(memory.boundary);
  const double asked = static_cast<double>(memory.state) + walls + static_cast<double>(memory.recording);
  if (asked <= room) return;
  const double scale = 0.98 * scale_that_fits(memory, room);
  throw Error(
      Status::resource,
      fmt::format(
          "not enough memory{}: the grid of {} x {} x {} nodes needs {} ({} for the field, {} for walls, {} for "
          "recordings), {} are available",
          where, choice.grid.size[0], choice.grid.size[1], choice.grid.size[2], human_bytes(asked),
          human_bytes(static_cast<double>(memory.state)), human_bytes(walls),
          human_bytes(static_cast<double>(memory.recording)), human_bytes(static_cast<double>(available))),
      static_cast<double>(memory.recording) > room
          ? "shorten simulation.duration, or record fewer sources and receivers"
          : fmt::format("a grid spacing of {:.4g} m fits: a max_frequency of about {:.4g} Hz with this stencil; "
                        "stencils with more points need fewer nodes",
                        choice.grid.mean_spacing() / scale, choice.max_frequency * scale));
}

namespace {

// A GPU holds field and walls; the host holds walls, for the plan's sake, and what is recorded.
void require_memory(const MemoryEstimate& memory, const Target& target, const GridChoice& choice) {
  MemoryEstimate here = memory;
  if (!target.on_gpu()) return require_memory(here, available_memory(), choice);
  MemoryEstimate there = memory;
  there.recording = 0;
  here.state = 0;
  require_memory(there, target.free_memory, choice, " on the GPU");
  require_memory(here, available_memory(), choice);
}

// Of ranks that share it, before anything of it is there: an even share of the field at least.
void require_fields(MemoryEstimate memory, const Target& target, const GridChoice& choice) {
  if (target.ranks == 0) return;
  memory.state /= target.ranks;
  if (target.on_gpu()) return require_memory(memory, target.free_memory, choice, " on the GPU");
  memory.state *= target.local_ranks;
  require_memory(memory, available_memory(), choice);
}

// The largest slab on every GPU; on this machine as much of the largest as it has ranks, and what is recorded, which all of them hold.
void require_shares(const Planned& planned, const Target& target) {
  if (target.on_gpu()) {
    const std::vector<Slab> slabs = split(planned.plan, planned.loads, target.ranks);
    const std::int64_t most = std::ranges::max(slab_bytes(planned.plan, planned.loads, slabs));
    MemoryEstimate there;
    there.state = std::min(most, planned.memory.state / target.ranks);
    there.near_wall = most - there.state;
    require_memory(there, target.free_memory, planned.choice, " on the GPU");
  }
  MemoryEstimate here;
  if (!target.on_gpu()) here.state = planned.memory.state / target.ranks * target.local_ranks;
  here.near_wall = std::max<std::int64_t>(0, std::ranges::max(planned.host) * target.local_ranks - here.state);
  here.recording = planned.memory.recording * target.local_ranks;
  require_memory(here, available_memory(), planned.choice);
}

}  // namespace

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
  const auto add = [&](std::vector<Tap>& taps, const std::vector<Capsule>& capsules, const auto& positions) {
    for (const Capsule& one : capsules)
      if (one.owner < positions.size())
        taps.push_back(make_tap(one.name, positions[one.owner], plan.grid, room.voxels.air, one.operation,
                                points_of(one.operation)));
  };
  add(plan.sources, source_capsules(scene), room.sources);
  add(plan.receivers, receiver_capsules(scene), room.receivers);
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
  planned.loads = box_loads(planned.plan, scene.room.walls);
}

// A mesh's voxels, and so its walls, are made as a whole; kept is what this rank needs of them.
void plan_mesh_outline(Planned& planned, const Scene& scene, const Target& target, RoomVoxels room) {
  planned.plan = build_plan(scene, planned.choice, planned.materials, std::move(room));
  planned.loads = plane_loads(planned.plan);
  if (target.ranks > 1 && target.rank >= 0)
    planned.share = share_of(planned.plan, planned.loads, target.ranks, target.rank);
  planned.plan.near_wall = {};
  Boundary laws;
  laws.laws = std::move(planned.plan.boundary.laws);
  planned.plan.boundary = std::move(laws);
}

}  // namespace

void share_out(Planned& planned, const Scene& scene, const Target& target) {
  const bool box = !scene.room.mesh;
  planned.host.clear();
  for (const Slab& slab : split(planned.plan, planned.loads, target.ranks))
    planned.host.push_back(box ? host_bytes(planned.plan, planned.loads, slab, target.on_gpu())
                               : host_bytes_of_whole(planned.plan, planned.loads, slab, target.on_gpu()));
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
  shared ? require_fields(planned.memory, target, planned.choice)
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
  require_shares(planned, target);
  if (box && target.rank >= 0)
    planned.share = share_of_box(planned.plan, planned.loads, scene.room.walls, target.ranks, target.rank);
  return planned;
}

namespace {

// The material that costs most.
std::string most_branches(const std::vector<MaterialFit>& materials) {
  return std::max_element(
             materials.begin(), materials.end(),
             [](const MaterialFit& a, const MaterialFit& b) { return a.branches.size() < b.branches.size(); })
      ->name;
}

}  // namespace

double predict_seconds(const Scene& scene, const Planned& planned, const Target& target, int threads) {
  const Grid& grid = planned.plan.grid;
  GridChoice small = planned.choice;
  const double ratio = static_cast<double>(grid.nodes()) / static_cast<double>(probe_nodes(target));
  if (ratio > 1.0) {
    const double shrink = std::cbrt(ratio);
    for (std::size_t d = 0; d < 3; ++d) small.grid.size[d] = std::max(1, static_cast<int>(grid.size[d] / shrink));
  }
  Plan probe;
  if (ratio > 1.0) {
    RoomVoxels room;
    room.voxels = thinned_room(planned.plan.air, small.grid.size, small.grid.spacing, most_branches(planned.materials));
    probe = build_plan(scene, small, planned.materials, std::move(room));
  } else if (planned.outline) {
    probe = build_plan(scene, small, planned.materials, make_room(scene, small));
  }
  const Plan& plan = ratio > 1.0 || planned.outline ? probe : planned.plan;
  BackendOptions options;
  options.threads = threads;
  const auto backend = make_backend(target, options);
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(3);
  return timing.ctpn_ns * 1e-9 * static_cast<double>(grid.nodes()) * static_cast<double>(planned.plan.steps) *
         static_cast<double>(std::max<std::size_t>(1, planned.plan.sources.size()));
}

}  // namespace fdtd
