// The cost of a tile, predicted without a run, after S. Tabik, M. Peemen, N. Guil, H. Corporaal, "Demystifying the 16 x
// 16 thread-block for stencils on the GPU", Concurrency and Computation: Practice and Experience 27 (2015): a good tile
// has few memory transactions, few conflicts of shared memory, multiprocessors full of blocks, and threads that all
// have work. The counts are of today's devices: sectors of 32 bytes, 32 banks of 4 bytes, registers given out by warp.
//
// A model of tile + halo as such: it knows a kernel by its tile, its threads and its resources alone, not by its code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/tile_footprint.hpp"
#include "engine/studies/gpu_profile.hpp"

namespace fdtd::cuda {

// Sectors of 32 bytes that lie under the values [begin, end) of a row whose value 0 begins a sector; begin may be
// negative.
std::int64_t sectors_of(std::int64_t begin, std::int64_t end, std::size_t value_bytes);

// Sectors a point that the blocks of one plane of blocks fetch of u1 with its halo and move of u0 (read and written),
// the mean over the grid. A halo without corners (`corners` false) where all points of the stencil lie on the axes.
double transactions_a_point(const Layout& layout, bool corners, const Tile& tile);

// Passes that shared memory takes for a warp's access over the least possible, 1 at best: lanes side by side in x with
// `vector` values each, row after row of a plane `pitch` values wide.
double bank_passes(int lanes_x, int pitch, int vector, std::size_t value_bytes);

// Blocks that a multiprocessor holds at once: the least of what its threads, registers, shared memory and block slots
// allow. 0: the block does not fit at all.
int active_blocks(const Device& device, const Resources& resources);

// Bytes a point that DRAM moves if every value of a block's halo that its neighbour has fetched is found in L2 as long
// as no more than L2 holds was moved in between: 3 values, and the halo's part where a row or a layer of blocks is
// more than that (blocks run x fastest, then y, then z; those of one wave share their halos).
double footprint_bytes_a_point(const Job& job, const Device& device, const Tile& tile, int active_blocks);

// A tile as studies report it, and back.
study::Launch launch_of(const Tile& tile);
Tile tile_of(const study::Launch& launch);
// "32x8x94, 256 threads, depth 3", as far as the tile states.
std::string to_string(const Tile& tile);

struct TilePrediction {
  Tile tile;
  Resources resources;
  double transactions = 0.0;  // sectors a point
  double conflicts = 1.0;     // passes over the least possible; 1 without shared memory
  int active_blocks = 0;      // a multiprocessor
  double occupancy = 0.0;     // warps held over warps that could be
  double thread_efficiency =
      0.0;  // of lanes: those that have a node over all, at the grid's rim and in a block's last warp
  double wave_efficiency =
      0.0;                 // of multiprocessors: blocks over places for blocks in all waves, the last one included
  double footprint = 0.0;  // bytes a point from and to DRAM: footprint_bytes_a_point
  double cost = 0.0;       // what tiles are ordered by: less is better, the unit means nothing
  bool predicted = false;  // in the set that is expected to hold the best tile
};

struct TileCandidate {
  Tile tile;
  Resources resources;
};

// A prediction for each candidate, the cheapest first (equal ones in the order given). Predicted are those that stand
// back behind the best of all candidates on no count by more than its slack, and the cheapest. A candidate that does
// not fit the device comes last, at infinite cost.
std::vector<TilePrediction> predict_tiles(const Job& job, const Device& device,
                                          std::span<const TileCandidate> candidates);

// A prediction beside what was measured.
struct TimedTile {
  TilePrediction prediction;
  double ctpn_ns = 0.0;  // 0: not timed
};

}  // namespace fdtd::cuda
