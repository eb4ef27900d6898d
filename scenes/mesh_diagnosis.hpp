// What is odd about a mesh, told with its place. Nothing of it hinders by itself: whether a room is closed is decided
// on the grid (voxelise_mesh.hpp), and these are the places to look at when it is not.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenes/mesh.hpp"

namespace fdtd {

// Edges that belong to one facet alone and hang together: the rim of a hole, or of a thin surface that ends in the
// room.
struct OpenRim {
  std::array<double, 3> centre{};  // m
  double extent = 0.0;             // m, the longest side of its bounding box
  std::size_t edges = 0;
};

// How many, and where the first is (m).
struct Oddity {
  std::size_t count = 0;
  std::array<double, 3> first{};
};

struct MeshDiagnosis {
  std::vector<OpenRim> rims;  // the largest first
  std::size_t open_edges = 0;
  Oddity flipped;                // edges whose two facets are turned against each other
  Oddity duplicate, degenerate;  // facets
  Oddity gaps;                   // corners of open rims that almost meet another
  double widest_gap = 0.0;       // m
  std::vector<double> areas;     // m2, one a material, duplicates counted once
  bool far_away = false;         // so far from the origin that single-precision coordinates are coarser than 1 mm
};

MeshDiagnosis diagnose(const Mesh& mesh);

// The oddities as sentences, none for a mesh without: "12 open edges around 2 holes or free ends, the largest 0.4 m
// ..."
std::vector<std::string> remarks_of(const MeshDiagnosis& diagnosis);

// "(1.25, 3, 0.4)", in metres to the millimetre.
std::string place_text(const std::array<double, 3>& place);

}  // namespace fdtd
