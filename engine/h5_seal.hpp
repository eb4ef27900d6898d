// A seal at the end of every HDF5 file of this program: length and hash of all that comes before it. It is judged before the
// HDF5 library reads a byte, for that library is not made to read damaged files: some crash it. HDF5 itself, and what else
// reads such files (h5py, MATLAB), passes over what follows the file's own end.
//
// 24 bytes: "fdtdseal", the length and the hash, little-endian. The hash is for damage, not against forgers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fdtd {

std::string seal_of(std::string_view bytes);

// Throws Error (status file) when the file has no seal, or another one than its bytes make.
void check_seal(const std::filesystem::path& path);

}  // namespace fdtd
