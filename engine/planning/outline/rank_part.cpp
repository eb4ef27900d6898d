#include "engine/planning/outline/rank_part.hpp"

#include <algorithm>

#include "engine/devices/devices.hpp"
#include "engine/voxels/cut/cut_cells.hpp"
#include "engine/voxels/whole_room.hpp"
#include "engine/walls/box_planes.hpp"
#include "engine/walls/tap_owners.hpp"

namespace fdtd {

PlanPart part_of_box(const Plan& outline, std::span<const PlaneCounts> counts, const std::array<std::string, 6>& walls,
                     int ranks, int rank) {
  PlanPart part;
  part.slabs = split(outline, counts, ranks);
  part.branches = static_cast<std::uint64_t>(sum_of(counts).branches);
  const Slab& slab = part.slabs[static_cast<std::size_t>(rank)];
  const auto below = counts.first(static_cast<std::size_t>(slab.first_plane()));
  part.own = cut(outline, slab, box_planes(outline, walls, slab.first_plane(), slab.end_plane()),
                 static_cast<std::uint64_t>(sum_of(below).branches));
  return part;
}

namespace {

// Bytes of NearWall and Boundary with these counts.
std::int64_t wall_bytes(const PlaneCounts& walls) {
  return walls.segments * static_cast<std::int64_t>(sizeof(WallSegment)) +
         walls.masses * static_cast<std::int64_t>(sizeof(NodeMass)) +
         walls.entries * static_cast<std::int64_t>(sizeof(RowEntry)) +
         walls.boundary_nodes * static_cast<std::int64_t>(sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
         walls.sites * static_cast<std::int64_t>(sizeof(BoundarySite) + sizeof(std::uint64_t));
}

// Bytes while make_boundary runs (wall_law.cpp): faces and sites; then either what choose_tap_owners allocates, every
// node that a site would read and the site's group, or the result.
std::int64_t making_bytes(const PlaneCounts& walls, const std::vector<WallLaw>& laws) {
  constexpr std::int64_t a_use = sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t), a_group = 3 * sizeof(std::uint32_t);
  std::int64_t taps = 1;
  for (const WallLaw& law : laws) taps = std::max(taps, static_cast<std::int64_t>(law.taps.size()));
  const auto a_site = static_cast<std::int64_t>(sizeof(BoundaryFace) + sizeof(WallSite));
  PlaneCounts rows;  // exist already
  rows.segments = walls.segments;
  rows.masses = walls.masses;
  return walls.sites * a_site + std::max(wall_bytes(rows) + walls.sites * (taps * a_use + a_group), wall_bytes(walls));
}

std::int64_t at_work_bytes(const Plan& outline, const PlaneCounts& walls, const Slab& slab, bool on_gpu) {
  // The tables of a GPU are built on the host (cuda/walls, cuda/energy): at most so many bytes per node and segment,
  // measured with leggy-1 to leggy-20 and box-222 to box-333.
  constexpr std::int64_t a_node = 120, a_segment = 40;
  if (on_gpu) return wall_bytes(walls) + walls.boundary_nodes * a_node + walls.segments * a_segment;
  Plan shape;
  shape.precision = outline.precision;
  shape.grid = outline.grid;
  shape.grid.size[2] = slab.end_plane() - slab.first_plane();
  shape.stencil = outline.stencil;
  return wall_bytes(walls) + cpu_state_bytes(shape, walls);
}

PlaneCounts within(std::span<const PlaneCounts> counts, int begin, int end) {
  return sum_of(counts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

constexpr std::int64_t program_bytes = 64'000'000;  // the program itself, and memory that its allocator keeps

}  // namespace

std::int64_t host_bytes(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab, bool on_gpu) {
  const auto [begin, end] = planes_about(outline, slab.first_plane(), slab.end_plane());
  const PlaneCounts about = within(counts, begin, end), own = within(counts, slab.first_plane(), slab.end_plane());
  return program_bytes + std::max({making_bytes(about, outline.boundary.laws), wall_bytes(about) + wall_bytes(own),
                                   at_work_bytes(outline, own, slab, on_gpu)});
}

std::int64_t host_bytes_of_mesh(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab, int ranks,
                                const MeshSummary& mesh, bool on_gpu) {
  const PlaneCounts all = sum_of(counts), own = within(counts, slab.first_plane(), slab.end_plane());
  const std::int64_t mask = outline.air.bytes();  // kept whole
  const std::int64_t parts = std::max(1, ranks);
  // Measured for a hall and for leaning shafts of 10^5 to 10^6 faces, with sums over the axes and with products.
  // Voxelising: masks of the own planes, and the walls of these and of the planes about them that a rank looks at.
  constexpr std::int64_t program = 35'000'000, a_triangle = 250;
  constexpr std::int64_t masks = 6, a_cut_face = 520, a_face = 160, a_face_kept = 48;
  // Building walls: masses are secured; then rows with all that they are made of, one by one before they are joined.
  constexpr std::int64_t a_secured = 600, a_mass = 160, a_segment = 56, an_entry = 72;
  const bool cut = all.masses > 0;
  const auto larger = [&](std::int64_t PlaneCounts::*count) { return std::max(own.*count, all.*count / parts); };
  const std::int64_t masses = larger(&PlaneCounts::masses);
  const int beside = cut ? CutCells::halo : planes_beside_walls;
  const PlaneCounts looked_at = within(counts, std::max(0, slab.first_plane() - beside),
                                       std::min(outline.grid.size[2], slab.end_plane() + beside));
  const std::int64_t voxelising = masks * mask / parts + looked_at.sites * (cut ? a_cut_face : a_face);
  const std::int64_t building = mask + larger(&PlaneCounts::sites) * a_face_kept + masses * (a_secured + a_mass) +
                                larger(&PlaneCounts::segments) * a_segment + larger(&PlaneCounts::entries) * an_entry;
  return program + static_cast<std::int64_t>(mesh.triangles) * a_triangle +
         std::max({voxelising, building, mask + at_work_bytes(outline, own, slab, on_gpu)});
}

}  // namespace fdtd
