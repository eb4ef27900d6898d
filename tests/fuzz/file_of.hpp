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

inline std::filesystem::path file_of(const void* data, std::size_t size) {
  static const int file = memfd_create("fuzz", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

// The same under a name that ends as a reader wants it; always the same ending in a process.
inline std::filesystem::path file_of(const void* data, std::size_t size, const std::string& ending) {
  struct Link {
    std::filesystem::path folder, name;
    explicit Link(const std::string& end) {
      std::string made = (std::filesystem::temp_directory_path() / "fdtd-fuzz-XXXXXX").string();
      if (mkdtemp(made.data()) == nullptr) std::abort();
      folder = made;
      name = folder / ("fuzz." + end);
    }
    ~Link() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  };
  static const Link link(ending);
  const std::filesystem::path file = file_of(data, size);
  std::error_code error;
  if (!std::filesystem::is_symlink(link.name, error)) std::filesystem::create_symlink(file, link.name);
  return link.name;
}

}  // namespace fdtd::test
