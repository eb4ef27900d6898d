// In what order threads go through the tiles, one step or several a sweep. Geometry alone: no fields, no threads here.
//
// A sweep is one phase or two, between which all threads wait; a phase is jobs, which may run side by side. A job goes
// through its columns layer by layer along z, so that what neighbouring planes share stays in its thread's cache. Threads
// stand side by side along y and march along z together: the rows that two of them read meet in the shared cache.
//
// Several steps a sweep (`time_slice`): step t runs `lag` layers behind step t - 1, and of a block of columns it takes
// `reach` fewer at both ends, for it must not read what step t - 1 of another block makes. Where a block ends at a wall
// it takes all. The second phase fills the gaps between blocks, which grow by `reach` a step. Every node is computed once a
// step, from the same values as in single steps. The fields are overwritten in place: what step t overwrites, u^{t-1}, was
// last read by step t - 1 of the same layers and columns around. Trapezoids in y and t with a wavefront along z, after
// T. Malas et al., "Multicore-optimized wavefront diamond blocking for optimizing stencil updates", SIAM J. Sci. Comput. 37,
// 2015. Four words a node move a sweep (two fields in and out) where single steps move three a step.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/layout.hpp"

namespace fdtd::cpu {

// What the tuner chooses. Any choice gives the same bytes.
struct March {
  int steps = 1;    // a sweep
  int columns = 8;  // of a block, as wanted: rows / tile_edge
  int layers = 1;   // that a kernel takes at once
  bool operator==(const March&) const = default;
};
std::string to_string(const March& march);  // "4 steps a sweep, blocks of 32 rows"

// Columns [begin + t * begin_moves, end + t * end_moves) in step t, layers [layer_begin, layer_end).
struct Job {
  int begin = 0, end = 0, begin_moves = 0, end_moves = 0;
  int layer_begin = 0, layer_end = 0;
};

struct Phase {
  std::vector<Job> jobs;
  std::vector<std::size_t> first;  // of the jobs of each thread; one more than threads
};

// How threads divide the tiles in single steps: along y as far as that divides evenly, along z for the rest, and along z by
// memory nodes first, whose memory is then their own.
struct Division {
  int along_y = 1, along_z = 1;
};
Division divide(const Layout& layout, int threads, int memory_nodes);

// A single step of a slab with neighbours: first the layers [0, below) and [above, layers), whose planes they wait for, then
// the others.
std::vector<Phase> edges_first(const Layout& layout, const March& march, Division division, int below, int above);

// Phases of a sweep of march.steps steps. Blocks too narrow for their steps are made wider.
std::vector<Phase> phases_of(const Layout& layout, const March& march, Division division);

// Columns of the narrowest block of so many steps.
inline int narrowest(const Layout& layout, int steps) { return steps > 1 ? 2 * layout.reach() * steps : 1; }

// Calls visit(step, column_begin, column_end, layer_begin, layer_end) for everything that a job does in `steps` steps, each
// after what it reads.
template <class Visit>
void go_through(const Layout& layout, const Job& job, int steps, int layers, const Visit& visit) {
  const int bands = (job.layer_end - job.layer_begin + layers - 1) / layers;
  const int lag = (layout.reach() + layers - 1) / layers;
  for (int wave = 0; wave < bands + (steps - 1) * lag; ++wave) {
    for (int step = 0; step < steps; ++step) {
      const int band = wave - step * lag;
      const int begin = job.begin + step * job.begin_moves, end = job.end + step * job.end_moves;
      if (band < 0 || band >= bands || begin >= end) continue;
      const int layer = job.layer_begin + band * layers;
      visit(step, begin, end, layer, std::min(layer + layers, job.layer_end));
    }
  }
}

}  // namespace fdtd::cpu
