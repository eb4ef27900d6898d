#include "cli/scene_options.hpp"

#include <fmt/format.h>

#include "cli/profile_options.hpp"
#include "engine/auto_stencil.hpp"
#include "engine/error.hpp"
#include "scenes/parse.hpp"
#include "scenes/stencil_file.hpp"

namespace fdtd::cli {

void add_scene_options(CLI::App& app, SceneOptions& options) {
  app.add_option("scene", options.scene, "scene file (TOML)")->required();
  app.add_option("--set", options.overrides, "replace a key: a.b=value, any number of times")->allow_extra_args(false);
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N; instead of the scene's");
  app.add_option("--threads", options.threads, "CPU threads; 0: all")->check(CLI::Range(0, 4096));
  app.add_flag("--allow-outside", options.allow_outside, "let the scene name files outside its own folder");
  app.add_flag("--json", options.json, "print one JSON document");
}

namespace {

std::string problems_text(const std::vector<Problem>& problems, const std::string& file, const std::string& text) {
  std::string all = fmt::format("{} problem{} in {}\n", problems.size(), problems.size() == 1 ? "" : "s", file);
  for (const Problem& problem : problems) all += format(problem, file, text);
  return all;
}

Stencil user_weights(const std::filesystem::path& path) {
  StencilFile file = load_stencil(path);
  if (!file.problems.empty()) throw Error(Status::scene, problems_text(file.problems, path.string(), file.text));
  return std::move(file.stencil);
}

}  // namespace

Scene load(const SceneOptions& options) {
  ParseOptions parse;
  parse.overrides = options.overrides;
  parse.allow_outside = options.allow_outside;
  ParsedScene parsed = load_scene(options.scene, parse);
  if (parsed.problems.empty()) return std::move(parsed.scene);
  throw Error(Status::scene, problems_text(parsed.problems, options.scene, parsed.scene.text));
}

std::string choose_device(const Scene& scene, const SceneOptions& options) {
  const std::string& device = options.device.empty() ? scene.simulation.device : options.device;
  if (device == "auto" || device == "cpu") return "cpu";
  if (device.rfind("cuda", 0) == 0)
    throw Error(Status::resource, fmt::format("device {}: this program has no GPU kernels", device),
                "use --device cpu");
  throw Error(Status::scene, fmt::format("device {} is unknown", device), "use auto or cpu");
}

StencilChoice choose_stencil(const Scene& scene) {
  const std::string& name = scene.simulation.stencil;
  if (name == "auto") {
    CtpnCache cache;
    AutoStencil best = cheapest_stencil(scene, cache);
    return {best.stencil, best.remarks};
  }
  if (!scene.simulation.stencil_path.empty()) return {user_weights(scene.simulation.stencil_path), {}};
  return {known_stencil(name), {}};
}

}  // namespace fdtd::cli
