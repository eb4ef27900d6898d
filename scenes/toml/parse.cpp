#include "scenes/toml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <tuple>

#include "base/shell_word.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/python_models.hpp"
#include "scenes/toml/document.hpp"
#include "scenes/toml/keys.hpp"
#include "scenes/toml/validate.hpp"

namespace fdtd {
namespace {

constexpr std::size_t max_problems = 50;  // reported; the rest are counted

ParsedScene refused(Scene scene, Problem problem) { return {std::move(scene), {std::move(problem)}}; }

// Sorts the problems by place, those of --set last, and keeps the first max_problems of them.
void put_in_order(std::vector<Problem>& problems, std::size_t uncounted, const std::vector<std::string>& overrides) {
  for (Problem& problem : problems) {
    if (problem.place.set > 0) problem.set = overrides[static_cast<std::size_t>(problem.place.set - 1)];
  }
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.set, a.place.line, a.place.column) < std::tie(b.place.set, b.place.line, b.place.column);
  });
  if (problems.size() <= max_problems) return;
  const std::size_t more = problems.size() - max_problems + uncounted;
  problems.resize(max_problems);
  Problem rest;
  rest.others = more;
  rest.message = fmt::format("and {} more problems", more);
  problems.push_back(std::move(rest));
}

}  // namespace

ParsedScene parse_scene(std::string text, const std::filesystem::path& file, const ParseOptions& options) {
  Scene scene;
  scene.file = file;
  scene.text = std::move(text);
  scene.overrides = options.overrides;
  if (auto problem = check_text(scene.text)) return refused(std::move(scene), *problem);
  Problem broken;
  std::optional<Value> root = read_toml(scene.text, broken);
  if (!root) return refused(std::move(scene), broken);

  Reading reading{file.parent_path(), options.allow_outside, {}};
  reading.all_keys = &known_keys();
  for (int i = 1; i <= static_cast<int>(options.overrides.size()); ++i) {
    apply_override(*root, options.overrides, i, reading.problems);
  }
  read_scene(scene, *root, reading);
  validate(scene, reading.problems);
  put_in_order(reading.problems, reading.uncounted, options.overrides);
  return {std::move(scene), std::move(reading.problems)};
}

ParsedScene load_scene(const std::filesystem::path& file, const ParseOptions& options) {
  std::string why, hint;
  std::error_code unknown;
  const bool exists = std::filesystem::is_regular_file(file, unknown);
  if (exists && is_named_as_mesh(file)) {
    why = "is a mesh, where a scene (.toml) is expected";
    hint = fmt::format("`fdtd import {}` writes a scene to begin from", shell_word(file.string()));
  } else if (exists && suffix_of_python_model(file)) {
    why = "is a model, where a scene (.toml) is expected";
    hint = python_model_command(file) + ", writes a scene to begin from";
  } else if (auto text = read_small_file(file, why)) {
    return parse_scene(std::move(*text), file, options);
  }
  Scene scene;
  scene.file = file;
  scene.overrides = options.overrides;
  return refused(std::move(scene), {{}, 0, {}, std::move(why), std::move(hint), {}});
}

}  // namespace fdtd
