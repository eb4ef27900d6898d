// The options that `run` and `plan` share: the scene, --set and the device.
#pragma once

#include "engine/session/scene_request.hpp"

namespace CLI {
class App;
}

namespace fdtd::cli {

struct SceneOptions : SceneRequest {
  bool json = false;
};

void add_scene_options(CLI::App& app, SceneOptions& options);

}  // namespace fdtd::cli
