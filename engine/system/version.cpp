#include "engine/system/version.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>

#include "engine/files/checksum.hpp"
#include "engine/system/commit.hpp"  // made by commit.cmake

namespace fdtd {

std::string version() { return FDTD_VERSION; }

std::string commit() { return FDTD_COMMIT; }

std::string build_description() {
  return fmt::format("{}, {} ({}){}", FDTD_COMPILER, FDTD_BUILD_TYPE, FDTD_FLAGS,
                     commit().empty() ? "" : ", commit " + commit());
}

std::string program_print() {
  const bool named = !commit().empty() && !commit().ends_with("-dirty");
  std::uint64_t hash = 0;
  std::ifstream own(named ? "" : "/proc/self/exe", std::ios::binary);
  for (std::string block(1U << 20U, '\0'); own;
       hash = seal_hash({block.data(), static_cast<std::size_t>(own.gcount())}, hash))
    own.read(block.data(), static_cast<std::streamsize>(block.size()));
  return fmt::format("{}, {}{}", version(), build_description(), named ? "" : fmt::format(", {:016x}", hash));
}

std::string citation() {
  return fmt::format(
      "@software{{fdtd,\n"
      "  author = {{{{The fdtd developers}}}},\n"
      "  title = {{fdtd: room acoustics by finite differences in the time domain}},\n"
      "  version = {{{}}},\n"
      "  year = {{{}}}\n"
      "}}",
      version(), FDTD_YEAR);
}

std::string version_line() { return fmt::format("fdtd {} ({})", version(), build_description()); }

}  // namespace fdtd
