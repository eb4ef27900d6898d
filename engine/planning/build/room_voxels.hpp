// The scene's room on the chosen grid: a filled box, or a mesh, voxelised and checked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/room/room_tally.hpp"
#include "engine/voxels/shared/plane_partition.hpp"
#include "engine/voxels/space/mesh_grid.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"

namespace fdtd {

// The figures of a mesh beside the plan.
struct MeshSummary {
  struct Surface {
    std::string name, material;        // of the mesh; of the scene
    double area = 0.0, in_room = 0.0;  // m2: of the mesh; of the part that borders on the simulated air
  };
  std::size_t triangles = 0, vertices = 0;
  std::vector<Surface> surfaces;
  double volume = 0.0;  // m3 of air between the facets
  MeshDiagnosis diagnosis;
  std::vector<MeshOpening> openings;  // narrow for the grid, the widest first
  bool openings_searched = false;     // false where the grid has too many voxels
};

struct RoomVoxels {
  Voxels voxels;             // of a mesh that processes share: the air of the whole room, all else of the own planes
  RoomTally tally;           // of a mesh
  PlanePartition partition;  // the planes that each process has voxelised
  // Positions in grid coordinates (m). In a mesh, points in voxels without air are moved to the nearest air in sight.
  std::vector<std::array<double, 3>> sources, receivers;
  std::optional<MeshSummary> mesh;
  std::vector<std::string> remarks;
};

// The frequency (Hz) up to which levels behind an opening are expected within 2 dB; 0: nowhere, or it is closed.
double opening_limit(const MeshOpening& opening, double sound_speed);

// Voxelises the room. Throws Error (status scene) when a mesh leaks at the grid's scale, with the place, and for every
// source or receiver that is outside, in a part of space without a source, or between surfaces too close for the grid.
// `whole`: voxels of a mesh are not cut whatever the stencil supports: for models that know whole voxels alone.
// `all`: who voxelises a mesh's room together; each looks at the mesh near its planes alone.
RoomVoxels make_room(const Scene& scene, const GridChoice& choice, bool whole = false, PlanePartition all = {});

// The same for a box, but without faces: air, materials and positions.
RoomVoxels make_open_box(const Scene& scene, const GridChoice& choice);

// A room of `size` voxels sampled from a larger one, with one material: for predictions of speed.
Voxels thinned_room(const AirMask& air, std::array<int, 3> size, std::array<double, 3> spacing,
                    const std::string& material);

}  // namespace fdtd
