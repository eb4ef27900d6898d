// Limits of memory by Linux control groups, versions 1 and 2: a process that exceeds one is killed.
#pragma once

#include <cstdint>
#include <filesystem>

namespace fdtd {

// Bytes that this process may still allocate in its own group and in every group above it that is mounted here; the
// largest integer without a limit. `root` stands before /proc and the mount points.
std::int64_t control_group_memory_left(const std::filesystem::path& root = "/");

}  // namespace fdtd
