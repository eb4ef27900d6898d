// Scenes that must be refused with one clear message: the files of tests/cli/hostile, and ones too large to keep.
//
// A file's first line states what is expected: "# status 2 at 13:12: text of the message" (the place may be absent).
// Status 2: the scene itself is refused. Status 3: it can be read, and the planner refuses it.
#pragma once

#include <string>
#include <vector>

namespace fdtd::test {

struct HostileScene {
  std::string name;  // of the file
  std::string text;
  int status = 2;
  std::string place;   // "13:12", line and column, or empty
  std::string expect;  // is part of the message or of its hint
};

std::vector<HostileScene> hostile_files();   // in the order of their names
std::vector<HostileScene> hostile_giants();  // generated: 50 MB strings, deep nesting, bytes that are no text

}  // namespace fdtd::test
