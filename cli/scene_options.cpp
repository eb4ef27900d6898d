#include "cli/scene_options.hpp"

#include <CLI/App.hpp>

#include "cli/terminal/threads.hpp"

namespace fdtd::cli {

void add_scene_options(CLI::App& app, SceneOptions& options) {
  app.add_option("scene", options.scene, "scene file (TOML)")->required();
  app.add_option("--set", options.overrides, "replace a key of the scene: a.b=value; repeatable")
      ->allow_extra_args(false);
  app.add_option(
      "--device", options.device,
      "device instead of that of the scene: auto, cpu, cuda, cuda:N, or cuda:all (all GPUs of this machine)");
  add_threads_option(app, options.threads);
  app.add_flag("--allow-outside", options.allow_outside, "allow the scene to name files outside its folder");
  app.add_flag("--json", options.json, "print one JSON document");
}

}  // namespace fdtd::cli
