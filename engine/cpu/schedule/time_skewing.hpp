// Several steps a sweep (`time_slice`): the order of blocks and steps, and their dependences. Geometry alone, without
// fields and threads.
//
// A block of columns advances along z once, in waves, and takes `steps` steps on the way: step t processes the band of
// layers that lies `lag` bands behind that of step t - 1, so that the next step finds in its thread's cache what a step
// computed. Blocks are skewed: with every step a block moves `reach` columns down along y, as far as a step reads.
// Everything that it reads has then been computed by itself or by the block below: block b may run wave w once block b
// - 1 has completed it, and threads process blocks side by side, one wave apart, without a barrier. Every node is
// computed once a step, from the same values as in single steps. Fields are overwritten in place: u^{t-1}, which step t
// overwrites, was last read by step t - 1, in the same wave at the latest, of this block and the one below.
//
// Passes follow each other without a barrier as well: the first block of a pass runs behind the last blocks of the pass
// before. Threads are idle only in the first waves of a sweep's first pass and in the last waves of its last pass.
//
// A pass moves four words a node (two fields in and out), single steps three a step. These are parallelograms in y and
// t with a wavefront along z; after L. Lamport's hyperplanes and D. Wonnacott, "Using time skewing to eliminate idle
// time due to memory bandwidth and network limitations", IPDPS 2000. T. Malas et al., "Multicore-optimized wavefront
// diamond blocking for optimizing stencil updates", SIAM J. Sci. Comput. 37, 2015, use diamonds, whose edges are read
// twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cpu/schedule/tile_order.hpp"

namespace fdtd::cpu {

struct TimeSkewing {
  // Columns [begin + t begin_moves, end + t end_moves) in step t, clipped to the grid.
  struct Block {
    int begin = 0, end = 0, begin_moves = 0, end_moves = 0;
    int behind = 0;  // the last block of a pass that writes or reads what this block processes in the next pass
  };
  std::vector<Block> blocks;  // along y
  int columns = 0, layers = 0;
  int steps = 1;        // of a pass
  int band_layers = 1;  // of a wave, in each step
  int bands = 0, lag = 1;
  int waves = 0;  // of a block in a pass

  // May a block run a wave of a pass when done(pass, block) waves of each block are complete?
  template <class Done>
  bool may_run(int pass, int block, int wave, const Done& done) const {
    if (block > 0 && done(pass, block - 1) <= wave) return false;
    const int behind = blocks[static_cast<std::size_t>(block)].behind;
    return pass == 0 || done(pass - 1, behind) >= std::min(waves, wave + steps * lag + 1);
  }

  // Calls visit(step, column_begin, column_end, layer_begin, layer_end) for every rectangle of a block's wave, in
  // order.
  template <class Visit>
  void visit_wave(int block, int wave, const Visit& visit) const {
    const Block& b = blocks[static_cast<std::size_t>(block)];
    for (int step = 0; step < steps; ++step) {
      const int band = wave - step * lag;
      const int begin = std::clamp(b.begin + step * b.begin_moves, 0, columns);
      const int end = std::clamp(b.end + step * b.end_moves, 0, columns);
      if (band < 0 || band >= bands || begin >= end) continue;
      visit(step, begin, end, band * band_layers, std::min((band + 1) * band_layers, layers));
    }
  }
};

// Passes between two barriers. More passes for many threads, which would otherwise wait often for the first and last
// blocks of a sweep.
constexpr int max_passes(int threads) { return threads > 4 ? 8 : 4; }

// Passes of order.steps steps in blocks of about order.columns columns, of nearly equal cost, chosen so that threads
// are evenly busy. `costs`: of each tile, in any unit.
TimeSkewing time_skewing_of(const Layout& layout, const TileOrder& order, int threads, int memory_nodes,
                            const std::vector<double>& costs);

}  // namespace fdtd::cpu
