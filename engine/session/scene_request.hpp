// A scene as a caller names it, read and checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Every problem of a scene or of a file of weights. what(): all of them, as a compiler shows them.
struct SceneError : Error {
  SceneError(std::vector<Problem> problems_, const std::string& file, const std::string& text);
  std::vector<Problem> problems;
};

struct SceneRequest {
  std::string scene;                // the scene file; with `text` only its name, and the folder that paths start from
  std::optional<std::string> text;  // instead of the file's content
  std::vector<std::string> overrides;  // a.b=value, applied in order
  std::string device;                  // empty: that of the scene
  int threads = 0;                     // 0: all
  bool allow_outside = false;          // paths may lead out of the scene's folder
};

// Reads and checks the scene; throws SceneError.
Scene load(const SceneRequest& request);

}  // namespace fdtd
