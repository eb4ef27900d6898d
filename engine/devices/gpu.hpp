// A GPU of this machine, as far as the program reports and decides by it.
#pragma once

#include <cstdint>
#include <string>

namespace fdtd {

struct Gpu {
  int index = 0;
  std::string name;
  std::string why_not;  // empty: it can be used
  int capability = 0;   // 10 major + minor
  int multiprocessors = 0;
  int driver_version = 0, runtime_version = 0;  // of CUDA, 1000 major + 10 minor
  std::int64_t memory_bytes = 0, free_bytes = 0;
  bool takes_batches = false;  // of rooms that threads of one process compute side by side
};

}  // namespace fdtd
