// Defects of a mesh, with their positions. None of them prevents a run by itself: the grid decides whether a room is
// closed (voxelise_mesh.hpp), and these are the places to inspect when it is not.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenes/mesh.hpp"

namespace fdtd {

// A connected group of edges that belong to one facet only: the border of a hole, or of a sheet that ends in the room.
struct OpenRim {
  std::array<double, 3> centre{};  // m
  double extent = 0.0;             // m, the longest side of its bounding box
  std::size_t edges = 0;
};

// The number of defects of one kind, and the position of the first (m).
struct MeshDefect {
  std::size_t count = 0;
  std::array<double, 3> first{};
};

struct MeshDiagnosis {
  std::vector<OpenRim> rims;  // the largest first
  std::size_t open_edges = 0;
  MeshDefect flipped;                // edges whose two facets have opposite orientations
  MeshDefect duplicate, degenerate;  // facets
  MeshDefect gaps;                   // corners of open edges that almost coincide with another
  double max_gap = 0.0;              // m
  std::vector<double> areas;         // m2, of each material; duplicates count once
  bool far_away = false;             // so far from the origin that single precision is coarser than 1 mm
};

MeshDiagnosis diagnose(const Mesh& mesh);

// One sentence for each kind of defect: "mesh: 12 open edges, 2 holes or free ends: 0.4 m across at ..."
std::vector<std::string> remarks_of(const MeshDiagnosis& diagnosis);

// "(1.25, 3, 0.4)", in metres, rounded to millimetres.
std::string place_text(const std::array<double, 3>& place);

}  // namespace fdtd
