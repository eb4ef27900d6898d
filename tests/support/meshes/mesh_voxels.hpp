// A mesh voxelised as the planner does it, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/voxels/voxelise_mesh.hpp"
#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

// Whole voxels, centred on the bounding box. `cut`: walls cut voxels.
inline MeshGrid grid_around(const Mesh& mesh, double h, bool cut = false) {
  MeshGrid grid{{}, {h, h, h}, {}, cut};
  for (std::size_t d = 0; d < 3; ++d) {
    const double side = mesh.high[d] - mesh.low[d];
    grid.size[d] = std::max(1, static_cast<int>(std::lround(side / h)));
    grid.corner[d] = mesh.low[d] - (grid.size[d] * h - side) / 2.0;
  }
  return grid;
}

inline MeshVoxels voxelise(const Mesh& mesh, const MeshGrid& grid, const std::vector<Place>& sources,
                           const std::vector<Place>& receivers = {}) {
  return voxelise_mesh(mesh, mesh.materials, grid, sources, receivers);
}

inline bool same_faces(const std::vector<BoundaryFace>& a, const std::vector<BoundaryFace>& b, float tolerance = 0.0F) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [tolerance](const BoundaryFace& x, const BoundaryFace& y) {
    return x.node == y.node && x.side == y.side && x.material == y.material && std::abs(x.area - y.area) <= tolerance;
  });
}

}  // namespace fdtd::test
