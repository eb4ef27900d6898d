#include "engine/version.hpp"

#include <fmt/format.h>

namespace fdtd {

std::string version() { return FDTD_VERSION; }

std::string build_description() {
  std::string commit = FDTD_COMMIT;
  return fmt::format("{} {}, {}{}", FDTD_COMPILER, FDTD_COMPILER_VERSION, FDTD_BUILD_TYPE, commit.empty() ? "" : ", commit " + commit);
}

std::string version_line() { return fmt::format("fdtd {} ({})", version(), build_description()); }

}  // namespace fdtd
