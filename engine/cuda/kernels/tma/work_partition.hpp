// How the work of a marching launch is divided among blocks that take one piece after another.
#pragma once

#include <cstdint>
#include <vector>

namespace fdtd::cuda {

// Columns are cut into chunks of so many planes, and so many blocks take them as they come.
struct WorkPartition {
  int chunk = 0, blocks = 0;
  bool operator==(const WorkPartition&) const = default;
};

// The candidates, the best guess first: not empty, at most five. columns and planes from 1 on; pieces: chunks of a
// column at least, where it has so many planes; R: the stencil's radius; resident: how many blocks can run at once.
std::vector<WorkPartition> worthy_partitions(std::int64_t columns, int planes, int pieces, int R, int resident);

// Rows of a tile that are worth a try, of `most` at most and in `ny`: so many that whole rounds of columns, `across` of
// them side by side, are as full as can be, and `most`. Two at most, what fills places first.
std::vector<int> worthy_rows(int across, int ny, int most, int resident);

}  // namespace fdtd::cuda
