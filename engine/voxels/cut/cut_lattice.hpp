// The lattice on which a mesh is seen where voxels are cut: corners, edge midpoints, face centres and centres of all
// voxels, with one layer of voxels around the grid. The crossings of the mesh between neighbouring points bound areas
// on the faces of voxels exactly where it is plane.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/space_parts.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// Voxel v of the grid is cell v + 1 along every axis here; cells 0 and n + 1 lie outside the grid. Cell c has the
// points 2c, 2c + 1 and 2c + 2 of each axis.
class CutLattice {
 public:
  // `corner`: of the grid in the coordinates of the mesh (m). The lattice is set off from the grid by some 1e-4 of a
  // voxel, different along each axis: walls that lie on faces or centres of voxels, as most drawn ones, then touch no
  // point of it.
  CutLattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
             const std::array<double, 3>& corner);
  // Only what concerns the cells of some planes along z.
  CutLattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
             const std::array<double, 3>& corner, const PlaneRange& planes);

  const std::array<int, 3>& size() const { return size_; }    // of the grid
  const std::array<int, 3>& cells() const { return cells_; }  // size + 2
  const PlaneRange& planes() const { return planes_; }        // of cells that it knows
  // The crossings between a point and the next one along `axis`: nothing, one crossing, or the first and the last.
  std::span<const Crossing> between(const std::array<int, 3>& point, std::size_t axis) const;
  // Which centres of neighbouring voxels see each other, in the planes [begin, end) of voxels.
  OpenLinks open_links(const PlaneRange& voxels) const;
  // The cells with a crossing inside them or on their faces: a mask of the planes that the lattice knows.
  AirMask cut_cells() const;
  std::size_t crossings_held() const {
    return crossings_[0].list.size() + crossings_[1].list.size() + crossings_[2].list.size();
  }
  // Position of a point (m, in the coordinates of the mesh).
  std::array<double, 3> position(const std::array<int, 3>& point) const;

 private:
  std::array<int, 3> size_, cells_, points_{};
  PlaneRange planes_;
  std::array<double, 3> step_{}, first_{};  // m
  std::array<AxisCrossings, 3> crossings_;
};

}  // namespace fdtd
