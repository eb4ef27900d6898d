// A mesh as cut voxels: every voxel with air of the room is a node, wherever its centre lies, with its fraction of
// volume, the open fractions of the faces between nodes, and the wall that it faces, material by material. A surface
// without thickness closes passages and takes no volume.
//
// Of the parts into which surfaces divide a voxel (cut_shapes.hpp), those belong to the room that are connected with the
// centre of a voxel that does: first by lines between centres, then by lines between the points of the lattice. The
// largest of them is the node; smaller ones, and those of less than min_volume, pass volume and wall on to the
// neighbour to which they are most open. The faces between parts that are no nodes are closed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/cut/cut_cells.hpp"

namespace fdtd {

// The air of the whole room; all lists of the own planes alone.
struct CutRoom {
  AirMask air;                      // the nodes; without words where every voxel is a whole node and no passage is cut
  CutVoxels cut;                    // volumes, and passages between nodes that are not whole
  std::vector<BoundaryFace> faces;  // by node, side and material; material: of the mesh
  std::vector<double> areas;        // m2 of each material of the mesh, in the whole room
  double volume = 0.0;              // m3 of the whole room
  // Nodes that do not contain their voxel's centre, or whose voxel's centre belongs to another part of the room.
  std::vector<std::uint64_t> off_centre;
  // For each of off_centre: a point of the lattice that the node contains.
  std::vector<std::array<int, 3>> inside;
};

// `room`: the voxels of CutCells::known_planes whose centres are in the room's air. `lattice`: of these planes.
// Processes that share the room each look at the mesh near their own planes alone and have lists of these; the
// result does not depend on their number. `linked`: nodes may be linked across edges of voxels (CutLink).
CutRoom cut_room(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing, MaskPlanes room,
                 const PlanePartition& partition = {}, bool linked = true);

}  // namespace fdtd
