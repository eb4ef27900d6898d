// The fuzzer's bytes as a file: readers take names. It is in memory, and one a process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace fdtd::test {

inline std::filesystem::path file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace fdtd::test
