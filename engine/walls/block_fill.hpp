// The fill of a cube that a wall cuts, for the block construction: every node of the cube as a mean of air nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/walls/neighbourhoods.hpp"

namespace fdtd {

// One kind of cube, side n = reach + 1, its first voxel at offset 0. Cells are the voxels of the window -reach..2 reach
// around it, numbered x first. The cube's air consists of parts that no path inside the cube connects; each part fills
// a cube of its own, as if the others were wall, so that nothing leaks through a wall, however thin.
struct CubeFill {
  std::vector<double> weight;  // by part: its fraction of the cube's nodes
  // Node q of part c is the sum of fraction[e] u(cell[e]) over e in [begin[c n^3 + q], begin[c n^3 + q + 1]); fractions
  // sum to 1.
  std::vector<std::uint32_t> begin;
  std::vector<std::uint16_t> cell;
  std::vector<double> fraction;
  std::vector<std::uint32_t> by_cell;  // entries in order of cell
  std::vector<std::uint32_t> node_of;  // by entry: c n^3 + q
  std::vector<std::uint64_t> touched;  // a bit for each cell: whether it has entries
  bool touches(int cell_number) const {
    return (touched[static_cast<std::size_t>(cell_number) / 64] >> (cell_number % 64) & 1U) != 0U;
  }
};

// The window on which a cube's fill depends.
Window fill_window(int reach);

// A part's own nodes keep their values. Any other node takes its mirror image: the mean over the part's nearest nodes
// (in steps along the axes) of mirrored walks from there to it. At planar walls, edges and corners that is the exact
// image; elsewhere it keeps constants and the symmetries of the voxels, which suffices for stability.
CubeFill fill_cube(const Neighbourhood& around, int reach);

}  // namespace fdtd
