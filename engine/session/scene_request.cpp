#include "engine/session/scene_request.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenes/parse.hpp"

namespace fdtd {
namespace {

std::string problems_text(const std::vector<Problem>& problems, const std::string& file, const std::string& text) {
  std::string all = fmt::format("{} problem{} in {}\n", problems.size(), problems.size() == 1 ? "" : "s", file);
  for (const Problem& problem : problems) all += format(problem, file, text);
  return all;
}

}  // namespace

SceneError::SceneError(std::vector<Problem> problems_, const std::string& file, const std::string& text)
    : Error(Status::scene, problems_text(problems_, file, text)), problems(std::move(problems_)) {}

Scene load(const SceneRequest& request) {
  ParseOptions parse;
  parse.overrides = request.overrides;
  parse.allow_outside = request.allow_outside;
  ParsedScene parsed =
      request.text ? parse_scene(*request.text, request.scene, parse) : load_scene(request.scene, parse);
  if (parsed.problems.empty()) return std::move(parsed.scene);
  throw SceneError(std::move(parsed.problems), request.scene, parsed.scene.text);
}

}  // namespace fdtd
