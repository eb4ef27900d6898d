#pragma once

#include <cstddef>

namespace fdtd {

// More responses than this, sources times receivers, are stored, measured and written together: in arrays and shared
// sound files. Many thousand groups and files serve nobody, and take minutes to write.
inline constexpr std::size_t max_single_responses = 1000;

}  // namespace fdtd
