// Defects of a mesh, with their positions. None of them prevents a run by itself: the grid decides whether a room is
// closed (voxelise_mesh.hpp), and these are the places to inspect when it is not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_overlap.hpp"

namespace fdtd {

// A connected group of open edges (open_edges.hpp): the border of a hole, or of a sheet that ends in the room.
struct OpenRim {
  std::array<double, 3> centre{};  // m
  double extent = 0.0;             // m, the longest side of its bounding box
  std::size_t edges = 0;
  double length = 0.0;  // m, of its edges together
  double width = 0.0;   // m; of a single loop: the shorter side of the rectangle of the same area and length; else 0
};

// The number of defects of one kind, and the position of the first (m).
struct MeshDefect {
  std::size_t count = 0;
  std::array<double, 3> first{};
};

struct MeshDiagnosis {
  std::vector<OpenRim> rims;  // the largest first
  std::size_t open_edges = 0;
  std::vector<std::array<std::uint32_t, 2>> open,
      turned;                        // vertices of each open edge, and of each that `flipped` counts
  MeshDefect flipped;                // edges whose two facets have opposite orientations
  MeshDefect duplicate, degenerate;  // facets
  MeshOverlap overlap;               // facets of one material on each other
  MeshDefect gaps;                   // corners of a rim that almost meet another rim
  double max_gap = 0.0;              // m
  double tolerance = 0.0;            // m: vertices so near to each other are one (mesh_weld.hpp)
  std::size_t welded = 0;            // vertices that others stand for
  std::vector<double> areas;         // m2, of each material; facets drawn several times count once
  bool far_away = false;             // so far from the origin that single precision is coarser than 1 mm
};

MeshDiagnosis diagnose(const Mesh& mesh);

// One sentence for each kind of defect: "mesh: 12 open edges, 2 holes or free ends: 0.4 m across at ..."; none for what
// has no effect, flipped edges and facets without an area.
std::vector<std::string> remarks_of(const MeshDiagnosis& diagnosis);

// "(1.25, 3, 0.4)", in metres, rounded to millimetres.
std::string place_text(const std::array<double, 3>& place);

}  // namespace fdtd
