// Measured files that are not in the repository, where they are.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.hpp"

namespace fdtd::test {

// In the folder of the environment variable FDTD_SOFA_FILES, or beside the sources; empty: nowhere.
inline std::filesystem::path sofa_file(const std::string& name) {
  const char* const folder = std::getenv("FDTD_SOFA_FILES");
  for (const std::filesystem::path& path : {std::filesystem::path(folder != nullptr ? folder : ""),
                                            std::filesystem::path(FDTD_SOURCE_DIR) / "../shared/data/sofa",
                                            std::filesystem::path(FDTD_SOURCE_DIR) / "shared/data/sofa"})
    if (std::filesystem::exists(path / name)) return path / name;
  return {};
}

}  // namespace fdtd::test
