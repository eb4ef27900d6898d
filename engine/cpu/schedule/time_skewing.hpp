// Several steps a sweep (`time_slice`): in what order, and who waits for whom. Geometry alone: no fields, no threads here.
//
// A block of columns marches along z once, in waves, and does `steps` steps on the way: step t takes the band of layers
// that lies `lag` bands behind step t - 1's, so that what a step makes the next one finds in its thread's cache. Blocks
// lean: with every step a block moves `reach` columns down along y, by as much as a step reads. Then all that it reads it
// has made itself, or the block below it has: block b may do wave w as soon as block b - 1 has done it, and threads work
// on blocks side by side, a wave apart, without a barrier. Every node is computed once a step, from the same values as in
// single steps. Fields are overwritten in place: what step t overwrites, u^{t-1}, was last read by step t - 1, in the
// same wave at the latest, of this block and the one below.
//
// Passes follow each other without a barrier as well: the first block of a pass runs behind the last blocks of the pass
// before. So threads stand idle at the first waves of a sweep's first pass and the last ones of its last pass alone.
//
// Four words a node move a pass (two fields in and out) where single steps move three a step. Parallelograms in y and t with
// a wavefront along z; after L. Lamport's hyperplanes and D. Wonnacott, "Using time skewing to eliminate idle time due to
// memory bandwidth and network limitations", IPDPS 2000; T. Malas et al., "Multicore-optimized wavefront diamond blocking
// for optimizing stencil updates", SIAM J. Sci. Comput. 37, 2015, have diamonds, whose edges are read twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cpu/schedule/tile_order.hpp"

namespace fdtd::cpu {

struct Relay {
  // Columns [begin + t begin_moves, end + t end_moves) in step t, as far as the grid has them.
  struct Block {
    int begin = 0, end = 0, begin_moves = 0, end_moves = 0;
    int behind = 0;  // the last block that makes or reads, in a pass, what this one takes up in the next
  };
  std::vector<Block> blocks;  // along y
  int columns = 0, layers = 0;
  int steps = 1;        // of a pass
  int band_layers = 1;  // of a wave, in each step
  int bands = 0, lag = 1;
  int waves = 0;  // of a block in a pass

  // May a block do a wave of a pass, when done(pass, block) waves are done?
  template <class Done>
  bool may_go(int pass, int block, int wave, const Done& done) const {
    if (block > 0 && done(pass, block - 1) <= wave) return false;
    const int behind = blocks[static_cast<std::size_t>(block)].behind;
    return pass == 0 || done(pass - 1, behind) >= std::min(waves, wave + steps * lag + 1);
  }

  // Calls visit(step, column_begin, column_end, layer_begin, layer_end) for everything that a block does in a wave, in
  // order.
  template <class Visit>
  void go(int block, int wave, const Visit& visit) const {
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

// Passes that follow each other without a barrier: where threads are many, those that wait while the first begin and the last
// end wait the more seldom.
constexpr int most_passes(int threads) { return threads > 4 ? 8 : 4; }

// march.steps steps a pass in blocks of about march.columns columns, which cost the same and keep the threads as evenly busy
// as columns can. `costs`: of each tile, in any unit.
Relay relay_of(const Layout& layout, const March& march, int threads, int memory_nodes,
               const std::vector<double>& costs);

}  // namespace fdtd::cpu
