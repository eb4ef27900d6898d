// Where a surface without thickness, or a plate thinner than a voxel, ends in the air: how much of the passages around
// its rim it closes, and how much of it lies in a voxel, from lines a sixteenth of the spacing apart.
//
// Passages. A passage is the square between the centres of two voxels; what is closed of it is the share of lines
// through it that cross the surface. A grid with such passages lets less through than the opening they leave: of a
// sheet along the grid that ends between two passages, one closed and the next one whole, the rim is in effect .28 of a
// cell further out (.354 for legs of one cell, exactly (1 + sqrt 2)/4 - 1/4 by factorising the symbol of the five-point
// Laplacian, B. Noble, Methods based on the Wiener-Hopf technique, 1958, applied to the grid's equation), and a passage
// closed by a share of x moves it on by (1 - w)/(1 + rim_bend w), not by x. So surfaces are cut back by `rim_setback`
// along their rims, and what is left of a passage is smaller than the share that stays open. Both constants are fitted
// to the lowest mode of a box with a screen (tests/physics/test_screens.cpp), for which they hold to .02 of a cell.
//
// A rim is an open edge of the mesh (open_edges.hpp), or one at which the surface turns back by 90 degrees or more: the
// end of a plate, or of a sheet drawn from both sides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/box_tree.hpp"
#include "scenes/cut_lattice.hpp"
#include "scenes/cut_shapes.hpp"
#include "scenes/mesh.hpp"

namespace fdtd {

inline constexpr double rim_setback = 0.285, rim_bend = 1.5;  // in voxels; of the passage's opening

class SheetRims {
 public:
  // `normals`: unit normals, one for each triangle.
  SheetRims(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
            const std::vector<std::array<float, 3>>& normals);

  // Marks the cells that a rim passes through or comes near to.
  void mark(AirMask& cells) const;

  // The walls (m2) of the facets that end in a cell, by material and side.
  std::vector<CutWall> walls(const std::array<int, 3>& cell, const EndingFacets& ending) const;

  // The passage between a cell and the next one along an axis, as shares of the lines through it.
  struct Passage {
    double closed = 0.0;    // by facets that end in the cells, cut back
    double reopened = 0.0;  // of what facets that divide the cells close, by cutting them back
  };
  // `ending`: in each of the two cells; null: none.
  Passage passage(const std::array<int, 3>& cell, std::size_t axis,
                  const std::array<const EndingFacets*, 2>& ending) const;

 private:
  struct Rim {
    std::array<double, 3> from{}, to{};
    std::array<double, 3> inward{};  // across it, into its facet
    std::uint32_t triangle = 0;
  };
  struct Hit {
    std::uint32_t line, triangle;
    double at;  // 0..1 along the lines
  };
  std::vector<Rim> find_rims() const;
  Rim rim_of(std::uint32_t from, std::uint32_t to, std::uint32_t triangle) const;
  std::vector<Hit> hits(const std::array<double, 3>& low, std::size_t axis) const;
  std::array<double, 3> normal(std::uint32_t facet) const {
    const auto& n = normals_[facet];
    return {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])};
  }
  bool ends(const EndingFacets& cell, std::uint32_t facet) const;
  double cut_back(const std::array<double, 3>& at, std::uint32_t triangle) const;
  double free_beyond(const std::array<double, 3>& rim, const std::array<double, 3>& way, double reach) const;

  const Mesh& mesh_;
  const CutLattice& lattice_;
  std::array<double, 3> spacing_;
  double mean_spacing_;
  const std::vector<std::array<float, 3>>& normals_;
  BoxTree facets_;
  std::vector<Rim> rims_;
  BoxTree rim_tree_;
};

// What is left of a passage of which `open` would be open without rims.
double partly_closed(double open, const SheetRims::Passage& by);

}  // namespace fdtd
