// Parses a scene file into a Scene and collects all problems.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct ParseOptions {
  std::vector<std::string> overrides;  // "room.box=[5, 4, 3]": applied in order by apply_override() of document.hpp
  bool allow_outside = false;          // paths may lead out of the scene's folder
};

struct ParsedScene {
  Scene scene;                    // meaningful only without problems
  std::vector<Problem> problems;  // in order of place, those of --set last; beyond 50 they are only counted
};

// Reads and validates a scene file. Never throws for the content of the file; a file that cannot be read, or is larger
// than 4 MiB, is a Problem as well.
ParsedScene load_scene(const std::filesystem::path& file, const ParseOptions& options = {});
// The same for a text; messages name `file`, and relative paths start at its folder.
ParsedScene parse_scene(std::string text, const std::filesystem::path& file, const ParseOptions& options = {});

}  // namespace fdtd
