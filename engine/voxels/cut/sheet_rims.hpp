// Where a surface without thickness, or a plate thinner than a voxel, ends in the air: how much of the passages around
// its rim it closes, and how much of it lies in a voxel, from lines a sixteenth of the spacing apart.
//
// Passages. A passage is the square between the centres of two voxels; its closed part is the fraction of lines
// through it that cross the surface. A grid with such passages lets less through than the opening they leave: of a
// sheet along the grid that ends between two passages, one closed and the next one whole, the rim is in effect .28 of a
// voxel further out (.354, 1 / sqrt 8, for legs of one cell: the symbol of the five-point Laplacian,
// factorised as in B. Noble, Methods based on the Wiener-Hopf technique, 1958), and a passage of which w is open moves
// it on by (1 - w)/(1 + rim_bend w). So surfaces are cut back by `rim_setback` along their rims, and less is left of a
// passage than the fraction that stays open. Both constants are fitted to the lowest mode of a box with a screen
// (tests/physics/test_screens.cpp) for legs of 4 cells; rims of leggy-1 come out .07 of a voxel too far.
// Sheets that divide voxels, oblique ones and those that lie between faces, have links beside their rims (CutLink), which
// let more through: in the static field sqrt(r) sin(phi/2) of a rim `oblique_setback` has its mean right for sheets at
// 30 to 75 degrees to the grid, with .1 to .15 voxels from one place of the rim to another.
//
// A rim is an open edge of the mesh (open_edges.hpp), or one at which the surface turns back by 90 degrees or more: the
// end of a plate, or of a sheet drawn from both sides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/voxels/cut/cut_lattice.hpp"
#include "engine/voxels/cut/cut_shapes.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

// In voxels, of a sheet on faces of voxels, and of an oblique one; of the passage's opening.
inline constexpr double rim_setback = 0.285, oblique_setback = 0.08, rim_bend = 1.5;

class SheetRims {
 public:
  // `normals`: unit normals, one for each triangle. `linked`: nodes may be linked across edges of voxels (CutLink).
  SheetRims(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
            const std::vector<std::array<float, 3>>& normals, bool linked);

  // Marks the cells that a rim of a sheet or a plate passes through or comes near to, in a mask of the planes that the
  // lattice knows.
  void mark(AirMask& cells) const;

  // The walls (m2) of the facets that end in a cell, by facet and side.
  std::vector<CutWall> walls(const std::array<int, 3>& cell, const EndingFacets& ending) const;

  // The passage between a cell and the next one along an axis, as fractions of the lines through it.
  struct Passage {
    double closed = 0.0;    // by facets that end in the cells, cut back
    double reopened = 0.0;  // of what facets that divide the cells close, by cutting them back
  };
  // `ending`: in each of the two cells; null: none.
  Passage passage(const std::array<int, 3>& cell, std::size_t axis,
                  const std::array<const EndingFacets*, 2>& ending) const;

 private:
  static constexpr int lines = 16;  // across a voxel, along each axis
  struct Rim {
    std::array<double, 3> from{}, to{};
    std::array<double, 3> inward{};  // across it, into its facet
    std::uint32_t triangle = 0;
    bool turns = false;  // the surface turns back there: it ends only where its other face is near
  };
  struct Hit {
    std::uint32_t line, triangle;
    double at;  // along the lines, in voxels
  };
  std::vector<Rim> find_rims() const;
  Rim rim_of(std::uint32_t from, std::uint32_t to, std::uint32_t triangle) const;
  struct Lines {  // through a passage
    std::array<double, std::size_t{lines} * lines> closed{};
    std::array<bool, std::size_t{lines} * lines> divided{};  // by a facet that divides its cell
  };
  void close_lines(const std::array<int, 3>& cell, std::size_t axis, bool above, const EndingFacets* ending,
                   Lines& into) const;
  std::vector<Hit> hits(const std::array<double, 3>& low, std::size_t axis, double around) const;
  std::array<double, 3> normal(std::uint32_t facet) const {
    const auto& n = normals_[facet];
    return {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])};
  }
  bool ends(const EndingFacets& cell, std::uint32_t facet) const;
  double setback(const std::array<double, 3>& at, const std::array<double, 3>& normal) const;
  double cut_back(const std::array<double, 3>& at, std::uint32_t triangle, bool plate) const;
  bool ends_plate(const Rim& rim, const std::array<double, 3>& at) const;
  double free_beyond(const std::array<double, 3>& rim, const std::array<double, 3>& way, double reach,
                     bool turns) const;

  const Mesh& mesh_;
  const CutLattice& lattice_;
  std::array<double, 3> spacing_;
  double mean_spacing_;
  const std::vector<std::array<float, 3>>& normals_;
  bool linked_;
  BoxTree facets_;
  std::vector<Rim> rims_;
  BoxTree rim_tree_;
};

// The open part of a passage, of which `open` would be open without rims.
double partly_closed(double open, const SheetRims::Passage& by);

}  // namespace fdtd
