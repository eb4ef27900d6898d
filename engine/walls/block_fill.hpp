// How the block construction fills a cube that a wall cuts: every node of the cube read from air nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/walls/neighbourhoods.hpp"

namespace fdtd {

// One kind of cube, side n = reach + 1, its first voxel at offset 0. Cells are the voxels of the window -reach..2 reach
// around it, numbered x first. The cube's air falls into parts that no path inside the cube joins; each fills a cube of
// its own, as if the others were wall, so that nothing leaks through a wall, however thin.
struct CubeFill {
  std::vector<double> weight;  // a part: its share of the cube's nodes
  // Node q of part c is the sum over e in [begin[c n^3 + q], begin[c n^3 + q + 1]) of share[e] u(cell[e]); shares sum to 1.
  std::vector<std::uint32_t> begin;
  std::vector<std::uint16_t> cell;
  std::vector<double> share;
  std::vector<std::uint32_t> by_cell;  // entries in order of cell
  std::vector<std::uint32_t> node_of;  // an entry: c n^3 + q
  std::vector<std::uint64_t> touched;  // a bit a cell: has it entries?
  bool touches(int cell_number) const {
    return (touched[static_cast<std::size_t>(cell_number) / 64] >> (cell_number % 64) & 1U) != 0U;
  }
};

// The window that decides a cube's fill.
Window fill_window(int reach);

// A part's own nodes are themselves. Any other is its mirror image: the mean over the part's nearest nodes (in steps along
// the axes) of folded walks from there to it. At planar walls, edges and corners that is the exact image, in a mirror or
// two or three; elsewhere it keeps constants and the voxels' symmetries, which is all that stability asks.
CubeFill fill_cube(const Neighbourhood& around, int reach);

}  // namespace fdtd
