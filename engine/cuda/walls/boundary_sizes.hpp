// Sizes that the tables of boundary nodes, and the kernels that update such nodes, have in common.
#pragma once

#include <cstdint>

namespace fdtd::cuda {

inline constexpr int boundary_threads = 128;  // of a block; a block's nodes are of one group
inline constexpr int max_face_branches = 5;   // of a law on a face
inline constexpr int max_column = 4;          // nodes that taps read; groups of more have a launch of their own
inline constexpr int max_taps = 8;            // of a law

inline constexpr std::uint32_t no_member = 0xFFFFFFFFU;

}  // namespace fdtd::cuda
