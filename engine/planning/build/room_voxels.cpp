#include "engine/planning/build/room_voxels.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/rounded_text.hpp"
#include "engine/planning/build/leak_hint.hpp"
#include "engine/voxels/openings/narrow_openings.hpp"
#include "engine/voxels/shared/plane_borders.hpp"
#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_sight.hpp"

namespace fdtd {
namespace {

using Position = std::array<double, 3>;

// Of an absorber's area on the grid, without a remark; and where it has air on both sides of nearly all of it.
constexpr double largest_change = 0.02, both_sides = 1.9;

Position on_grid(const Position& position, const GridChoice& choice) {
  Position shifted{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double side = choice.grid.size[d] * choice.grid.spacing[d];
    shifted[d] = std::clamp(position[d] + choice.offset[d], 0.0, side);
  }
  return shifted;
}

template <class Spec>
std::vector<Position> positions_of(const std::vector<Spec>& list) {
  std::vector<Position> positions;
  for (const Spec& one : list) positions.push_back(one.position);
  return positions;
}

std::string length_text(double metres) {
  return metres < 0.0995 ? fmt::format("{:.2g} mm", 1e3 * metres) : fmt::format("{:.3g} m", metres);
}

// The source is outside, or the room is open.
[[noreturn]] void refuse_leak(const Scene& scene, const MeshGrid& grid, const PlacedPoint& placed,
                              const SourceSpec& source) {
  const Mesh& mesh = *scene.room.mesh;
  if (open_sky(mesh, source.position) > 0.5)
    throw Error(Status::scene,
                fmt::format("source.{}: position {} is outside the room that the mesh encloses", source.name,
                            place_text(source.position)),
                fmt::format("the mesh reaches from {} to {} m, with units and up as the scene gives them",
                            place_text(mesh.low), place_text(mesh.high)));
  const LeakPlace leak = locate_leak(mesh, grid, placed.voxel);
  throw Error(Status::scene,
              fmt::format("the room leaks: from source {} sound gets out through an opening about {} wide near {}",
                          source.name, length_text(leak.width), place_text(leak.position)),
              leak_hint(scene, grid, placed.voxel));
}

// The spacing (m) at which a grid sees the opening, whatever its place between nodes: lines half a voxel apart where
// voxels are cut, and voxels between layers of wall where they are not.
double spacing_that_opens(const MeshOpening& opening, bool cut) { return (cut ? 1.8 : 0.3) * opening.width; }

std::string opening_text(const MeshOpening& opening, const GridChoice& choice) {
  return fmt::format("opening about {} wide ({:.2g} voxels) near {}", length_text(opening.width),
                     opening.width / choice.grid.mean_spacing(), place_text(opening.position));
}

// The remedy for an opening that the grid has wrong.
std::string opening_hint(const MeshOpening& opening, const GridChoice& choice, bool cut) {
  if (opening.wave > 0.0)
    return fmt::format("with a grid_spacing of {} it is three voxels wide", length_text(opening.width / 3.0));
  const double h = choice.grid.mean_spacing(), spacing = std::min(spacing_that_opens(opening, cut), 0.5 * h);
  return fmt::format("a grid_spacing of {} or a max_frequency of {:.0f} Hz {}", length_text(spacing),
                     choice.max_frequency * h / spacing,
                     cut ? "opens it"
                         : "has it right, or a stencil whose voxels walls cut: leggy, or compact and box up "
                           "to a radius of 2");
}

std::string why_not_air(const PlacedPoint& placed, const MeshVoxels& made, const GridChoice& choice, bool cut) {
  if (placed.behind) {
    const MeshOpening& opening = made.openings[*placed.behind];
    return fmt::format("is in {:.3g} m3 behind an {} that this grid closes; {}", opening.behind,
                       opening_text(opening, choice), opening_hint(opening, choice, cut));
  }
  switch (placed.where) {
    case PlacedPoint::Where::outside:
      return "is outside the room that the mesh encloses";
    case PlacedPoint::Where::apart:
      return fmt::format(
          "is in a closed part of space of {:.3g} m3 that holds no source: inside an object, or another room",
          placed.part_volume);
    default:
      return "is between surfaces too close for the grid: no voxel of air is in its sight";
  }
}

// Appends the position in grid coordinates, moved into the air voxel `placed` if it is not in air.
template <class Spec>
void move_to_air(const Spec& spec, const char* kind, const PlacedPoint& placed, const GridChoice& choice,
                 std::vector<Position>& into, RoomVoxels& room) {
  constexpr double margin = 1e-3;  // of a voxel: clear of faces
  Position at = on_grid(spec.position, choice);
  double moved = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double h = choice.grid.spacing[d], low = placed.voxel[d] * h, high = low + h;
    const double kept = at[d] < low - 1e-6 * h || at[d] > high + 1e-6 * h
                            ? std::clamp(at[d], low + margin * h, high - margin * h)
                            : std::clamp(at[d], low, high);
    moved = std::hypot(moved, kept - at[d]);
    at[d] = kept;
  }
  if (moved > 1e-6 * choice.grid.mean_spacing())
    room.remarks.push_back(
        fmt::format("{}.{} is moved by {} to where the grid has air", kind, spec.name, length_text(moved)));
  into.push_back(at);
}

void remark_on_parts(const Scene& scene, const MeshVoxels& made, RoomVoxels& room) {
  std::set<std::int64_t> parts;
  for (const PlacedPoint& source : made.sources) parts.insert(source.part);
  if (parts.size() < 2) return;
  for (std::size_t r = 0; r < made.receivers.size(); ++r) {
    std::vector<std::string> unreached;
    for (std::size_t s = 0; s < made.sources.size(); ++s) {
      if (made.sources[s].part != made.receivers[r].part) unreached.push_back(scene.sources[s].name);
    }
    if (!unreached.empty())
      room.remarks.push_back(fmt::format("receiver {} receives nothing from {}: they are in separate parts of space",
                                         scene.receivers[r].name, listed(unreached)));
  }
}

// A grid's resonance of a cavity that is farther off than plans promise.
bool resonance_off(const MeshOpening& opening) {
  constexpr double most = 0.05;
  return opening.resonance > 0.0 && std::abs(opening.resonance_on_grid / opening.resonance - 1.0) > most;
}

// The grid's fault at an opening that holds up to `limit` (Hz).
std::string opening_fault(const MeshOpening& opening, double limit, double sound_speed) {
  const auto hertz = [&](double wave) { return wave * sound_speed / (2.0 * std::numbers::pi); };
  if (opening.conductance == 0.0)
    return fmt::format("is closed on this grid: the {:.3g} m3 behind it take no part{}", opening.behind,
                       opening.resonance > 0.0 ? fmt::format(", and their resonance near {:.0f} Hz is not simulated",
                                                             hertz(opening.resonance))
                                               : "");
  const std::string resonance =
      resonance_off(opening)
          ? fmt::format("; the air in it and behind it resonates near {:.0f} Hz, on this grid near {:.0f} Hz",
                        hertz(opening.resonance), hertz(opening.resonance_on_grid))
          : "";
  const double error = 20.0 * std::log10(opening.conductance);
  if (opening.wave == 0.0)
    return fmt::format(
        "lets {:.0f} dB {} through on this grid than in the mesh: levels in the {} m3 behind it are "
        "wrong by up to as much, and a cavity resonates at {:.2g} times its frequency{}",
        std::abs(error), error > 0.0 ? "more" : "less", rounded_text(opening.behind, 3), std::sqrt(opening.conductance),
        resonance);
  return fmt::format(
      "holds up to about {} Hz on this grid: levels in the {} m3 behind it are expected within 2 dB below, and "
      "may be further off above, and within two voxels of it{}",
      rounded_text(limit, 3), rounded_text(opening.behind, 3), resonance);
}

// Openings that the grid closes, or that do not hold up to max_frequency: the widest first.
void remark_on_openings(const GridChoice& choice, const MeshVoxels& made, bool cut, RoomVoxels& room) {
  constexpr std::size_t max_named = 4;
  std::size_t more = 0, named = 0;
  if (!made.searched)
    room.remarks.push_back(
        fmt::format("mesh: no openings narrower than three voxels ({}) were looked for, since the grid has more than "
                    "{:.2g} voxels: "
                    "behind such an opening levels may be wrong by any amount",
                    length_text(3.0 * choice.grid.mean_spacing()), SpaceRegions::max_voxels));
  for (const MeshOpening& one : made.openings) {
    const double limit = opening_limit(one, choice.grid.sound_speed);
    if (limit >= choice.max_frequency && !resonance_off(one)) continue;
    if (named == max_named) {
      ++more;
      continue;
    }
    ++named;
    room.remarks.push_back(fmt::format("mesh: an {} {}; {}", opening_text(one, choice),
                                       opening_fault(one, limit, choice.grid.sound_speed),
                                       opening_hint(one, choice, cut)));
  }
  if (more > 0)
    room.remarks.push_back(
        fmt::format("mesh: {} more openings are closed on this grid or do not hold up to max_frequency", more));
}

void summarise(const Scene& scene, const GridChoice& choice, const MeshVoxels& made, RoomVoxels& room) {
  const Mesh& mesh = *scene.room.mesh;
  MeshSummary summary;
  summary.triangles = mesh.triangles.size();
  summary.vertices = mesh.vertices.size();
  summary.volume = made.air_volume;
  summary.openings = made.openings;
  summary.openings_searched = made.searched;
  summary.diagnosis = diagnose(mesh);
  for (std::size_t m = 0; m < mesh.materials.size(); ++m)
    summary.surfaces.push_back({mesh.materials[m], scene.room.surfaces[m], summary.diagnosis.areas[m], made.areas[m]});
  room.remarks = scene.room.remarks;
  for (std::string& remark : remarks_of(summary.diagnosis)) room.remarks.push_back(std::move(remark));
  for (const MeshSummary::Surface& one : summary.surfaces) {
    const Material& material = scene.materials.at(one.material);
    if (material.kind == Material::Kind::rigid) continue;
    if (one.in_room > (1.0 + largest_change) * one.area && one.in_room < both_sides * one.area)
      room.remarks.push_back(fmt::format(
          "mesh: {:.3g} m2 of {} ({}) face the air of the room on this grid, {:.1f} % more than the {:.3g} m2 of the "
          "mesh: surfaces with air on both sides count twice, and those of about a voxel may be too large",
          one.in_room, one.name, one.material, 100.0 * (one.in_room / one.area - 1.0), one.area));
    if (!(one.in_room < (1.0 - largest_change) * one.area)) continue;
    room.remarks.push_back(fmt::format(
        "mesh: {:.3g} m2 of {} ({}) face the air of the room on this grid, {:.1f} % less than the {:.3g} m2 "
        "of the mesh, and absorb so much less: the rest is hidden in gaps finer than the grid, lies on surfaces "
        "that come before it in the mesh, or faces no air of the room",
        one.in_room, one.name, one.material, 100.0 * (1.0 - one.in_room / one.area), one.area));
  }
  if (made.thin_voxels > 0)
    room.remarks.push_back(
        fmt::format("mesh: surfaces with air on both sides are walls one voxel thick here, {} ({} voxels); they "
                    "take {:.3g} m3 of the room, and a finer grid makes them thinner",
                    length_text(choice.grid.mean_spacing()), made.thin_voxels,
                    static_cast<double>(made.thin_voxels) * choice.grid.spacing[0] * choice.grid.spacing[1] *
                        choice.grid.spacing[2]));
  room.mesh = std::move(summary);
}

RoomVoxels make_mesh_room(const Scene& scene, const GridChoice& choice, bool whole, const PlanePartition& partition) {
  MeshGrid grid{choice.grid.size, choice.grid.spacing, {}};
  for (std::size_t d = 0; d < 3; ++d) grid.corner[d] = -choice.offset[d];
  grid.cut = !whole && knows_cut_voxels(choice.grid_stencil);
  grid.linked = is_sum_over_axes(choice.grid_stencil);
  grid.partition = partition;
  grid.openings = !whole;
  MeshVoxels made = voxelise_mesh(*scene.room.mesh, scene.room.surfaces, grid, positions_of(scene.sources),
                                  positions_of(scene.receivers));
  if (made.leaking) refuse_leak(scene, grid, made.sources[*made.leaking], scene.sources[*made.leaking]);
  std::string wrong;
  const auto judge = [&](const auto& specs, const std::vector<PlacedPoint>& placed, const char* kind) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (placed[i].where == PlacedPoint::Where::air) continue;
      wrong += fmt::format("{}{}.{}: position {} {}", wrong.empty() ? "" : "\n", kind, specs[i].name,
                           place_text(specs[i].position), why_not_air(placed[i], made, choice, grid.cut));
    }
  };
  judge(scene.sources, made.sources, "source");
  judge(scene.receivers, made.receivers, "receiver");
  if (!wrong.empty())
    throw Error(Status::scene, wrong,
                fmt::format("positions are in metres with z up, after units and up; the grid's spacing is {}",
                            length_text(choice.grid.mean_spacing())));
  RoomVoxels room;
  summarise(scene, choice, made, room);
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    move_to_air(scene.sources[s], "source", made.sources[s], choice, room.sources, room);
  for (std::size_t r = 0; r < scene.receivers.size(); ++r)
    move_to_air(scene.receivers[r], "receiver", made.receivers[r], choice, room.receivers, room);
  remark_on_openings(choice, made, grid.cut, room);
  remark_on_parts(scene, made, room);
  room.voxels = std::move(made.voxels);
  room.tally = tally_of(room.voxels, partition);
  return room;
}

}  // namespace

double opening_limit(const MeshOpening& opening, double sound_speed) {
  return opening.wave * sound_speed / (2.0 * std::numbers::pi);
}

RoomVoxels make_room(const Scene& scene, const GridChoice& choice, bool whole, PlanePartition all) {
  if (scene.room.mesh) {
    const auto& [x, y, z] = choice.offset;
    const Grid& grid = choice.grid;
    if (!all.whole()) all.borders = plane_borders(*scene.room.mesh, grid.size, grid.spacing, {-x, -y, -z}, all.count);
    RoomVoxels room = make_mesh_room(scene, choice, whole, all);
    room.partition = std::move(all);
    ::malloc_trim(0);  // returns the threads' temporary memory, as large as the room itself
    return room;
  }
  RoomVoxels room = make_open_box(scene, choice);
  room.voxels = voxelise_box(choice.grid.size, choice.grid.spacing, scene.room.walls);
  return room;
}

RoomVoxels make_open_box(const Scene& scene, const GridChoice& choice) {
  RoomVoxels room;
  room.voxels = {choice.grid.spacing, AirMask(choice.grid.size), scene.room.materials().names, {}, {}};
  for (const SourceSpec& source : scene.sources) room.sources.push_back(on_grid(source.position, choice));
  for (const ReceiverSpec& receiver : scene.receivers) room.receivers.push_back(on_grid(receiver.position, choice));
  return room;
}

Voxels thinned_room(const AirMask& air, std::array<int, 3> size, std::array<double, 3> spacing,
                    const std::string& material) {
  if (air.all_air()) return voxels_of(AirMask(size), spacing, material);
  AirMask few = AirMask::walls(size);
  std::array<std::vector<int>, 3> from;  // along each axis: the planned room's node of each
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < size[d]; ++i)
      from[d].push_back(static_cast<int>(static_cast<std::int64_t>(i) * air.size()[d] / size[d]));
  for (std::size_t z = 0; z < from[2].size(); ++z) {
    for (std::size_t y = 0; y < from[1].size(); ++y) {
      for (std::size_t x = 0; x < from[0].size(); ++x) {
        if (air(from[0][x], from[1][y], from[2][z]))
          few.set(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), true);
      }
    }
  }
  return voxels_of(std::move(few), spacing, material);
}

}  // namespace fdtd
