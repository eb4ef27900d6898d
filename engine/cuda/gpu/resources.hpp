// The resources of a multiprocessor that a compiled kernel needs.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fdtd::cuda {

// As the driver reports of the compiled kernel.
struct Resources {
  int threads = 0, registers = 0, local_bytes = 0;  // a thread; local bytes: spills, a bug
  std::size_t shared_bytes = 0;                     // a block, static and dynamic
  int blocks_per_multiprocessor = 0;
  int nodes = 0;  // of a plane that a block's threads compute, where a tile may have fewer; 0: the tile's
};

// The driver keeps one limit of dynamic shared memory for each kernel, whatever tiles are prepared from that kernel. A
// tile raises the limit and never lowers it, because a tile that was prepared before may need more.
constexpr std::size_t raised_shared_limit(std::size_t limit, std::size_t needed) { return std::max(limit, needed); }

}  // namespace fdtd::cuda
