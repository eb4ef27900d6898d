#include "cli/scene_options.hpp"

#include <fmt/format.h>

#include <fstream>

#include "cli/profile_options.hpp"
#include "engine/auto_stencil.hpp"
#include "engine/error.hpp"
#include "scenes/parse.hpp"

namespace fdtd::cli {

void add_scene_options(CLI::App& app, SceneOptions& options) {
  app.add_option("scene", options.scene, "scene file (TOML)")->required();
  app.add_option("--set", options.overrides, "replace a key: a.b=value, any number of times")->allow_extra_args(false);
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N; instead of the scene's");
  app.add_option("--threads", options.threads, "CPU threads; 0: all")->check(CLI::Range(0, 4096));
  app.add_flag("--allow-outside", options.allow_outside, "let the scene name files outside its own folder");
  app.add_flag("--json", options.json, "print one JSON document");
}

Scene load(const SceneOptions& options) {
  ParseOptions parse;
  parse.overrides = options.overrides;
  parse.allow_outside = options.allow_outside;
  ParsedScene parsed = load_scene(options.scene, parse);
  if (parsed.problems.empty()) return std::move(parsed.scene);
  std::string text;
  for (const Problem& problem : parsed.problems) text += format(problem, options.scene, parsed.scene.text);
  const std::size_t count = parsed.problems.size();
  throw Error(Status::scene, fmt::format("{} problem{} in {}\n{}", count, count == 1 ? "" : "s", options.scene, text));
}

std::string choose_device(const Scene& scene, const SceneOptions& options) {
  const std::string& device = options.device.empty() ? scene.simulation.device : options.device;
  if (device == "auto" || device == "cpu") return "cpu";
  if (device.rfind("cuda", 0) == 0)
    throw Error(Status::resource, fmt::format("device {}: this program has no GPU kernels", device), "use --device cpu");
  throw Error(Status::scene, fmt::format("device {} is unknown", device), "use auto or cpu");
}

StencilChoice choose_stencil(const Scene& scene) {
  const std::string& name = scene.simulation.stencil;
  if (name == "auto") {
    CtpnCache cache;
    AutoStencil best = cheapest_stencil(scene, cache);
    return {best.stencil, best.remarks};
  }
  return {known_stencil(name), {}};
}

}  // namespace fdtd::cli
