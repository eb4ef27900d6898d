// HDF5 files too large for memory: their layout is made by the HDF5 library, their values are written by us where it says.
//
// Every array is contiguous, so it is known where each of its values lies; whoever writes a frame writes bytes at an offset, in
// any order, again if need be. The same layout gives the same bytes; what is never written reads as zero.
#pragma once

#include <filesystem>

#include "engine/files/h5_index.hpp"

namespace fdtd {

// Makes the file, replacing what is there, as long as it will be but without values. `layout` tells its groups, arrays and
// attributes; the offsets of its arrays are filled in. Every array has at least one element. Throws Error (status file), which
// calls the file `name`.
void make_frame_file(const std::filesystem::path& path, const std::filesystem::path& name, H5Index& layout);

}  // namespace fdtd
