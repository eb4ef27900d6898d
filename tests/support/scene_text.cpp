#include "tests/support/scene_text.hpp"

#include <fmt/format.h>

namespace fdtd::test {
namespace {

std::string table(const char* name, const std::string& keys) {
  return keys.empty() ? std::string() : fmt::format("[{}]\n{}", name, keys);
}

std::string point(const char* kind, const char* name, const std::string& position, const std::string& keys) {
  if (position.empty()) return {};
  return fmt::format("[[{}]]\nname = \"{}\"\nposition = {}\n{}{}", kind, name, position, keys,
                     keys.empty() ? "" : "\n");
}

}  // namespace

std::string text_of(const SceneText& scene) {
  const std::string room = scene.room.empty() ? fmt::format("box = {}\n", scene.box) : scene.room;
  std::string text = fmt::format("schema = 1\n{}{}{}{}{}{}{}{}{}", table("simulation", scene.simulation),
                                 table("air", scene.air), table("room", room), table("room.walls", scene.walls),
                                 scene.materials, point("source", "S1", scene.source, scene.source_keys),
                                 point("source", "S2", scene.second_source, ""),
                                 point("receiver", "R1", scene.receiver, scene.receiver_keys), scene.more);
  if (!text.ends_with('\n')) text += '\n';
  return text + table("above", scene.above);  // last: places in the text are those of the tables that a test sets
}

}  // namespace fdtd::test
