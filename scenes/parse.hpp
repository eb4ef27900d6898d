// TOML text -> Scene, with every problem in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct ParseOptions {
  std::vector<std::string>
      overrides;               // "room.box=[5, 4, 3]": applied in turn, as apply_override() of document.hpp says
  bool allow_outside = false;  // paths may leave the scene's folder
};

struct ParsedScene {
  Scene scene;                    // meaningful only without problems
  std::vector<Problem> problems;  // in order of place, the file's before --set's; from 50 on they are only counted
};

// Reads and judges a scene file. Never throws for what the file holds; throws FileError (engine status 5) never: a file
// that can't be read is a Problem as well. Files above 4 MiB are refused unread.
ParsedScene load_scene(const std::filesystem::path& file, const ParseOptions& options = {});
// The same for a text; `file` names it in messages, relative paths are taken from its folder.
ParsedScene parse_scene(std::string text, const std::filesystem::path& file, const ParseOptions& options = {});

}  // namespace fdtd
