#include "scenes/mesh/python_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lower_case.hpp"
#include "base/shell_word.hpp"

namespace fdtd {
namespace {

// roomfdtd/models/_import.py has the same list.
constexpr std::array<std::string_view, 11> suffixes = {".ifc",   ".ifczip", ".skp", ".msh", ".geo", ".xml",
                                                       ".gbxml", ".3ds",    ".fbx", ".ac",  ".off"};

}  // namespace

std::optional<std::string> suffix_of_python_model(const std::filesystem::path& file) {
  const std::string suffix = lower_case(file.extension().string());
  if (std::ranges::find(suffixes, suffix) == suffixes.end()) return std::nullopt;
  return suffix;
}

std::string python_model_command(const std::filesystem::path& file) {
  return fmt::format("python -m roomfdtd.models {} -o room.toml, after pip install '.[models]' in a checkout",
                     shell_word(file.string()));
}

}  // namespace fdtd
