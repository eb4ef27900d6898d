// HDF5 files too large for memory: the HDF5 library writes the layout, this program the values, at the offsets of the
// layout.
//
// Every array is contiguous, so the offset of each value is known; frames are written as bytes at an offset, in any
// order, and repeatedly if needed. The same layout gives the same bytes; values that are never written read as zero.
#pragma once

#include <filesystem>

#include "engine/files/h5_index.hpp"

namespace fdtd {

// Creates the file in its full length but without values, and replaces an existing one. `layout` holds its groups,
// arrays and attributes; the offsets of the arrays are filled in. Every array has at least one element. Throws Error
// (status file), which names the file `name`.
void make_frame_file(const std::filesystem::path& path, const std::filesystem::path& name, H5Index& layout);

}  // namespace fdtd
