// The fraction of each material in the walls of a cell, where materials or surfaces meet: from the facets clipped by
// the cell.
//
// Lines through a cell (cut_shapes.hpp, sheet_rims.hpp) stand for up to a quarter of a voxel's face each, and say of
// which facet that is. A border between two materials so came to lie up to a quarter of the spacing off, and a panel of
// .72 m2 had .94 m2. Here the sum over a wall is the lines', and facets share it by their areas within the cell.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/voxels/cut/cut_lattice.hpp"
#include "engine/voxels/cut/cut_shapes.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

// Area of a triangle within the box [low, high], in the square of its unit (I. E. Sutherland, G. W. Hodgman, Reentrant
// polygon clipping, CACM 17, 1974).
double clipped_area(const std::array<std::array<double, 3>, 3>& triangle, const std::array<double, 3>& low,
                    const std::array<double, 3>& high);

class WallFractions {
 public:
  // `normals`: unit normals, one for each triangle.
  WallFractions(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                const std::vector<std::array<float, 3>>& normals);

  // Marks the cells that an edge passes through at which materials or surfaces meet or end; none in a mesh of one
  // material.
  void mark(AirMask& cells) const;

  // `seen`: the walls of one part of a cell, by facet and side. Returns them by material and side. `free`: of surfaces
  // that end in the cell, which nothing else hides: their sum is that of the facets, not of the lines.
  std::vector<CutWall> divided(const std::array<int, 3>& cell, const std::vector<CutWall>& seen, bool free) const;

 private:
  struct Plane {  // facets in one plane: seen ones, and all others of the mesh there
    std::array<double, 3> out{};
    double at = 0.0;    // along `out`
    double seen = 0.0;  // area that lines find, m2
    std::vector<std::uint32_t> facets;
    std::vector<double> areas;  // of each, in the cell
    double sum() const;
  };
  std::vector<Plane> planes_of(const std::vector<const CutWall*>& seen) const;
  void clip(const std::array<int, 3>& cell, bool all, Plane& plane) const;
  void divide(std::span<const Plane> planes, std::uint8_t side, bool free, std::vector<CutWall>& walls) const;

  const Mesh& mesh_;
  const CutLattice& lattice_;
  std::array<double, 3> spacing_;
  double mean_spacing_;
  const std::vector<std::array<float, 3>>& normals_;
  BoxTree facets_;
};

}  // namespace fdtd
