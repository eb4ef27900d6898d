// A level of a mask while the next coarser one is made of it (mask_levels.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/multigrid/mask_level.hpp"

namespace fdtd::multigrid {

using Place = std::array<int, 3>;
using Corners = std::array<std::int64_t, 8>;  // nodes of an element, by |dx| + 2 |dy| + 4 |dz|

// An element with a corner that is not in the body.
struct Irregular {
  Place cell{};
  float coefficient = 0.0F;
  Corners node{};
};

struct Draft {
  MaskLevel level;
  std::vector<Irregular> irregular;  // by cell, rising
};

inline Place moved(const Place& at, unsigned corner, int step = 1) {
  return {at[0] + step * static_cast<int>(corner & 1U), at[1] + step * static_cast<int>(corner >> 1 & 1U),
          at[2] + step * static_cast<int>(corner >> 2)};
}

inline std::int64_t node_at(const NodeGrid& body, const Place& at) { return body.at(at[0], at[1], at[2]); }

// The level with `cells` elements of twice the sides, half as many rounded up, without its operator; the transfers
// between both become members of `fine.level`. The same bytes for any number of threads.
Draft coarsened(Draft& fine, const Place& cells);

struct Entry {
  std::int64_t row = 0, column = 0;
  double value = 0.0;
};
// Rows are below `nodes`. Values of entries of the same place are summed in the order in which they come.
SparseRows rows_of(std::vector<Entry> entries, std::size_t nodes);

}  // namespace fdtd::multigrid
