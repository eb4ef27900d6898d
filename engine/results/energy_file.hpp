// The energy over time, one group per source, as stored in result.h5 and checkpoint.h5.
#pragma once

#include <filesystem>

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

void write_energy(H5File& file, const Recording& recording);  // "/energy"
// Into recording.energy, for recording.sources. Throws Error (status file), which names `path`.
void read_energy(const SealedFile& file, const std::filesystem::path& path, Recording& recording);

}  // namespace fdtd
