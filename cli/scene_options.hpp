// What `run` and `plan` share: the scene argument, --set, the device, and how a scene's problems are told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/make_plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd::cli {

struct SceneOptions {
  std::string scene;
  std::vector<std::string> overrides;
  std::string device;  // empty: the scene's
  int threads = 0;     // 0: all
  bool allow_outside = false;
  bool json = false;
};

void add_scene_options(CLI::App& app, SceneOptions& options);

// Reads and judges the scene; throws Error(scene) with every problem in its text.
Scene load(const SceneOptions& options);
// "cpu": what the run will use. Throws Error(resource) for a device that this build or machine does not have.
std::string choose_device(const Scene& scene, const SceneOptions& options);
// The stencil the scene names, or for "auto" the one whose plan costs least. Throws Error(scene) for unknown names.
struct StencilChoice {
  Stencil stencil;
  std::vector<std::string> remarks;  // for "auto": what was taken and what the runners-up would cost
};
StencilChoice choose_stencil(const Scene& scene);

}  // namespace fdtd::cli
