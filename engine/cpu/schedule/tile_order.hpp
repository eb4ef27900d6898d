// The order in which threads process the tiles in single steps: geometry alone, without fields and threads. Several
// steps a sweep: time_skewing.hpp.
//
// A step is one phase, or two beside neighbouring ranks; all threads wait between phases. A phase consists of jobs that
// may run concurrently. A job processes its columns layer by layer along z, so that data that neighbouring planes share
// stay in its thread's cache; where the planes of whole rows do not fit, it processes a piece of the rows at a time.
// Threads lie side by side along y and advance along z together: the rows that two of them read meet in the shared
// cache.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/field/layout.hpp"

namespace fdtd::cpu {

// The variables of the search. Every order gives the same bytes.
struct TileOrder {
  int steps = 1;    // a sweep
  int columns = 8;  // of a block, as requested: rows / tile_edge
  int layers = 1;   // per call of the kernel
  int width = 0;    // of a block along x, in nodes, whole cache lines; 0: whole rows (several steps a sweep always)
  bool whole_rows = false;  // RowFunctions::leap_whole_rows instead of leap
  bool operator==(const TileOrder&) const = default;
};
// "4 steps a sweep, blocks of 32 rows", "blocks of 32 rows of 256 nodes", "blocks of 16 rows, whole rows"
std::string to_string(const TileOrder& order);

// Columns [begin, end), layers [layer_begin, layer_end).
struct Job {
  int begin = 0, end = 0;
  int layer_begin = 0, layer_end = 0;
};

struct Phase {
  std::vector<Job> jobs;
  std::vector<std::size_t> first;  // job of each thread, and the end
};

// How threads divide the tiles in single steps: first along z by NUMA nodes, so that each reads its own memory, then
// along y unless blocks become too narrow. Blocks have equal cost: beside walls they are smaller.
struct Division {
  int along_y = 1, along_z = 1;
};
Division divide(const Layout& layout, int threads, int memory_nodes);

// A single step of a slab with neighbours: first the layers [0, below) and [above, layers), whose planes the neighbours
// read, then the others.
std::vector<Phase> edges_first(const Layout& layout, const TileOrder& order, Division division,
                               const std::vector<double>& costs, int below, int above);

// All layers in one step. `costs`: of each tile, in any unit.
Phase single_step(const Layout& layout, const TileOrder& order, Division division, const std::vector<double>& costs);

}  // namespace fdtd::cpu
