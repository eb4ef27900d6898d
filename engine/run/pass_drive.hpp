// The drive of a pass, block by block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/backend/backend.hpp"

namespace fdtd {

// The drive of steps [first, first + steps) of the pass that `source` begins: it sends (1, -1, 0, ...), or with the next
// ones the signals of their joint pass; all other sources are silent.
Drive drive_of_block(const Plan& plan, std::size_t source, std::int64_t first, std::int64_t steps);

}  // namespace fdtd
