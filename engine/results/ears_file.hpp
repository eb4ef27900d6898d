// The part /ears of result.h5: binaural receivers, the filters of their heads, their responses.
#pragma once

#include <filesystem>

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

void write_ears(H5File& file, const Result& result);
// Into result.binaural; its names and its rendered samples are known. Throws Error (status file) for a damaged part.
void read_ears(const SealedFile& file, const std::filesystem::path& path, Result& result);

}  // namespace fdtd
