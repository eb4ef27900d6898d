#include "scenes/mesh/mesh_groups.hpp"

#include <algorithm>

#include "scenes/mesh/mesh_bytes.hpp"

namespace fdtd {
namespace {

std::string name_after_key(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
  return begin == line.npos ? std::string() : std::string(line.substr(begin, end - begin + 1));
}

// The key whose lines name the groups: "g", or "o" where there is no "g"; "" where a material is named.
std::string_view key_of_groups(std::string_view bytes) {
  std::string_view found;
  Lines lines(bytes);
  for (std::string_view line; lines.next(line);) {
    const std::string_view key = take_word(line);
    if (key == "usemtl") return {};
    if (key == "g" && !name_after_key(line).empty()) found = "g";
    if (key == "o" && found.empty()) found = "o";
  }
  return found;
}

}  // namespace

std::vector<std::string> obj_groups(std::string_view bytes) {
  std::vector<std::string> names;
  const std::string_view group = key_of_groups(bytes);
  if (group.empty()) return names;
  std::string name;
  Lines lines(bytes);
  for (std::string_view line; lines.next(line);) {
    const std::string_view key = take_word(line);
    if (key == group) name = name_after_key(line);
    if (key == "f" && !name.empty() && std::ranges::find(names, name) == names.end() &&
        names.size() < max_mesh_materials)
      names.push_back(name);
  }
  return names;
}

std::vector<std::string> groups_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string(), why;
  std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  if (ending != ".obj") return {};
  const auto bytes = read_bytes(file, max_mesh_bytes, why);
  return bytes ? obj_groups(*bytes) : std::vector<std::string>();
}

std::string groups_as_materials(std::string_view bytes) {
  const std::string_view group = key_of_groups(bytes);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  Lines lines(bytes);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    if (const std::string_view key = take_word(rest); !group.empty() && key == group) {
      const std::string name = name_after_key(rest);
      text.append("usemtl ").append(name.empty() ? "default" : name);
    } else {
      text.append(line);
    }
    text += '\n';
  }
  return text;
}

}  // namespace fdtd
