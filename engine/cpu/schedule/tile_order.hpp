// In what order threads go through the tiles in single steps. Geometry alone: no fields, no threads here. Several steps a sweep:
// relay.hpp.
//
// A step is one phase, or two beside neighbours, between which all threads wait; a phase is jobs, which may run side by
// side. A job goes through its columns layer by layer along z, so that what neighbouring planes share stays in its thread's
// cache; where the planes of whole rows do not fit, it does so a piece of the rows at a time. Threads stand side by side
// along y and march along z together: the rows that two of them read meet in the shared cache.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/field/layout.hpp"

namespace fdtd::cpu {

// What the tuner chooses. Any choice gives the same bytes.
struct March {
  int steps = 1;       // a sweep
  int columns = 8;     // of a block, as wanted: rows / tile_edge
  int layers = 1;      // that a kernel takes at once
  int width = 0;       // of a block along x, in nodes, whole cache lines; 0: whole rows (several steps a sweep always)
  bool uncut = false;  // rows worked the other way (RowFunctions::leap_uncut)
  bool operator==(const March&) const = default;
};
// "4 steps a sweep, blocks of 32 rows", "blocks of 32 rows of 256 nodes", "blocks of 16 rows, uncut"
std::string to_string(const March& march);

// Columns [begin, end), layers [layer_begin, layer_end).
struct Job {
  int begin = 0, end = 0;
  int layer_begin = 0, layer_end = 0;
};

struct Phase {
  std::vector<Job> jobs;
  std::vector<std::size_t> first;  // of the jobs of each thread; one more than threads
};

// How threads divide the tiles in single steps: along z by memory nodes first, whose memory is then their own, else along y
// as long as blocks do not become too narrow. Shares cost the same: beside walls they are smaller.
struct Division {
  int along_y = 1, along_z = 1;
};
Division divide(const Layout& layout, int threads, int memory_nodes);

// A single step of a slab with neighbours: first the layers [0, below) and [above, layers), whose planes they wait for, then
// the others.
std::vector<Phase> edges_first(const Layout& layout, const March& march, Division division,
                               const std::vector<double>& costs, int below, int above);

// All layers in one step. `costs`: of each tile, in any unit.
Phase single_step(const Layout& layout, const March& march, Division division, const std::vector<double>& costs);

// Costs where there are no walls: nodes of each tile.
std::vector<double> tile_sizes(const Layout& layout);

}  // namespace fdtd::cpu
