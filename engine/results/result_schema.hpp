// The attributes that state the layout of result.h5 (result.hpp).
#pragma once

#include <cstdint>

namespace fdtd {

inline constexpr std::int64_t schema_of_groups = 1, schema_of_arrays = 2;
inline constexpr const char* result_format_name = "fdtd result";

}  // namespace fdtd
