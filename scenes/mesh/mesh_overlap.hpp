// Facets of one material that lie on each other in one plane: walls that a model has twice, divided alike or not, in
// either orientation, as a whole or in part.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct MeshOverlap {
  double area = 0.0;              // m2 that are drawn at least twice
  std::uint32_t most = 1;         // layers where there are most
  std::array<double, 3> first{};  // m, in the first such facet
  std::vector<double> repeated;   // m2 of each material: of facets that count, beyond their first layer
};

// `layers`: how often each triangle occurs with these very corners, on the first of them; 0 on the others. `tolerance`
// (m): an overlap no wider than that is the seam of neighbours, and a quarter of it the distance of facets in one plane,
// which a thin plate's sides exceed. Where hundreds of facets cover one, some are left out: the areas are too small.
MeshOverlap find_overlaps(const Mesh& mesh, const std::vector<std::uint32_t>& layers, double tolerance);

}  // namespace fdtd
