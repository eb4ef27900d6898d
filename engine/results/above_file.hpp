// The group /above of result.h5 (result.hpp has its layout).
#pragma once

#include <filesystem>
#include <optional>

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

void write_above(H5File& file, const AboveRecord& above);
// Nothing where the file has none. Throws Error (status file) for values that a run does not write.
std::optional<AboveRecord> read_above(const SealedFile& file, const std::filesystem::path& path,
                                      const Recording& recording);

}  // namespace fdtd
