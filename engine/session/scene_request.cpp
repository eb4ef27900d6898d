#include "engine/session/scene_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "engine/directivity/read_balloons.hpp"
#include "scenes/toml/parse.hpp"

namespace fdtd {
namespace {

// As many problems as one message holds, the first of them always, and the number of the others.
std::string problems_text(const std::vector<Problem>& problems, const std::string& file, const std::string& text) {
  constexpr std::size_t for_the_rest = 100;
  std::size_t count = 0;
  for (const Problem& problem : problems) count += std::max<std::size_t>(problem.others, 1);
  std::string all = fmt::format("{} problem{} in {}\n", count, count == 1 ? "" : "s", shortened(printable(file), 150));
  for (const Problem& problem : problems) {
    const std::string one = problem_text(problem, file, text);
    const bool fits = all.size() + one.size() + for_the_rest <= longest_message;
    if (problem.others > 0 || (!fits && &problem != &problems.front())) break;
    all += one;
    --count;
  }
  return count == 0 ? all : all + fmt::format("and {} more problem{}\n", count, count == 1 ? "" : "s");
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
  if (parsed.problems.empty()) parsed.problems = read_balloons(parsed.scene);
  if (parsed.problems.empty()) return std::move(parsed.scene);
  throw SceneError(std::move(parsed.problems), request.scene, parsed.scene.text);
}

}  // namespace fdtd
