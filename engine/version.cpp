#include "engine/version.hpp"

#include <fmt/format.h>

#include "engine/commit.hpp"  // made by commit.cmake

namespace fdtd {

std::string version() { return FDTD_VERSION; }

std::string commit() { return FDTD_COMMIT; }

std::string build_description() {
  return fmt::format("{}, {} ({}){}", FDTD_COMPILER, FDTD_BUILD_TYPE, FDTD_FLAGS,
                     commit().empty() ? "" : ", commit " + commit());
}

std::string version_line() { return fmt::format("fdtd {} ({})", version(), build_description()); }

}  // namespace fdtd
