// How a marching kernel's work is shared out among blocks that take one piece after another.
#pragma once

#include <cstdint>
#include <vector>

namespace fdtd::cuda {

// Columns are cut into chunks of so many planes, and so many blocks take them as they come.
struct Share {
  int chunk = 0, blocks = 0;
  bool operator==(const Share&) const = default;
};

// What is worth a try, the best guess first: not empty, at most five. columns and planes from 1 on; pieces: chunks of a column
// at least, where it has so many planes; R: the stencil's radius; resident: how many blocks can run at once.
std::vector<Share> worthy_shares(std::int64_t columns, int planes, int pieces, int R, int resident);

}  // namespace fdtd::cuda
