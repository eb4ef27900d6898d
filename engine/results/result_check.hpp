// A result as its file holds it: every number against the others, or against the range in which a scene may have it.
#pragma once

#include <filesystem>

#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// Throws Error (file) with the value that cannot be; `result` has been read from `file`.
void check_result(const std::filesystem::path& path, const SealedFile& file, const Result& result);

}  // namespace fdtd
