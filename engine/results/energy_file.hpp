// The energy over time, one group per source, as stored in result.h5 and checkpoint.h5; in result.h5 of a run whose
// receivers sent (Recording::exchanged) those groups are empty, and one group per receiver follows.
#pragma once

#include <filesystem>

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

void write_energy(H5File& file, const Recording& recording);  // "/energy", "/exchanged"
// Into recording.energy and recording.exchanged, for recording.sources and receivers. Throws Error (status file), which names `path`.
void read_energy(const SealedFile& file, const std::filesystem::path& path, Recording& recording);

}  // namespace fdtd
