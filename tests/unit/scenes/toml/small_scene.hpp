// A minimal scene and the messages about its problems, for tests of the parser.
#pragma once

#include <string>

#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {

inline const std::string small = R"(schema = 1
[simulation]
duration = 0.1
max_frequency = 500
[room]
box = [5, 4, 3]
[room.walls]
default = "wall"
[materials.wall]
rigid = true
[[source]]
name = "S1"
position = [1, 1, 1]
[[receiver]]
name = "R1"
position = [2, 2, 2]
)";

inline std::string all_messages(const ParsedScene& parsed, const std::string& text) {
  std::string messages;
  for (const Problem& problem : parsed.problems) messages += problem_text(problem, "hall.toml", text);
  return messages;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace fdtd::test
