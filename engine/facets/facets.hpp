// The facets of a room: connected coplanar triangles of one material, as geometrical acoustics sees walls.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/facets/facet.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/tree/triangle_tree.hpp"

namespace fdtd {

struct FacetRoom {
  std::vector<Facet> facets;
  std::vector<std::uint32_t> facet_of_triangle;  // no_facet: a triangle without area, or one that is there twice
  TriangleTree tree;
  double volume = 0.0;  // m3, of its air
};

// Triangles belong to one facet where they share an edge, in whole or in part, have the same material, and lie in the
// plane of its largest triangle: normals within 0.1 degree, corners within 1 mm. Vertices need not be welded. Of
// triangles with the same three corners and material the first counts; where surfaces of two materials lie on each other
// rays meet what the grid of waves has there (TriangleTree::distinguish). `material_of_group` has a value for each of
// mesh.materials. Without free edges, which take most of the time, Facet::free_edges is 0.
FacetRoom facets_of_mesh(const Mesh& mesh, const std::vector<std::uint16_t>& material_of_group, double volume,
                         bool with_free_edges = true);

// A box from 0 to `sides` (m); walls in the order x_min, x_max, y_min, ...: facet i is wall i.
FacetRoom facets_of_box(const std::array<double, 3>& sides, const std::array<std::uint16_t, 6>& materials);

}  // namespace fdtd
