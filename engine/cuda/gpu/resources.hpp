// What a compiled kernel takes of a multiprocessor.
#pragma once

#include <cstddef>

namespace fdtd::cuda {

// As the driver reports of the compiled kernel.
struct Resources {
  int threads = 0, registers = 0, local_bytes = 0;  // a thread; local bytes: spills, a bug
  std::size_t shared_bytes = 0;                     // a block, static and dynamic
  int blocks_per_multiprocessor = 0;
  int nodes = 0;  // of a plane that a block's threads compute, where a tile may have fewer; 0: the tile's
};

}  // namespace fdtd::cuda
