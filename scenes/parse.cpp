#include "scenes/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <tuple>

#include "scenes/document.hpp"
#include "scenes/keys.hpp"
#include "scenes/validate.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_problems = 50;  // told; of the rest only the number

ParsedScene refused(Scene scene, Problem problem) { return {std::move(scene), {std::move(problem)}}; }

// In order of place, --set last; every problem of a --set with its text; no more than can be read.
void put_in_order(std::vector<Problem>& problems, std::size_t untold, const std::vector<std::string>& overrides) {
  for (Problem& problem : problems) {
    if (problem.place.set > 0) problem.set = overrides[static_cast<std::size_t>(problem.place.set - 1)];
  }
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.set, a.place.line, a.place.column) < std::tie(b.place.set, b.place.line, b.place.column);
  });
  if (problems.size() <= most_problems) return;
  const std::size_t more = problems.size() - most_problems + untold;
  problems.resize(most_problems);
  Problem rest;
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
  for (int i = 1; i <= static_cast<int>(options.overrides.size()); ++i) {
    apply_override(*root, options.overrides, i, reading.problems);
  }
  read_scene(scene, *root, reading);
  validate(scene, reading.problems);
  put_in_order(reading.problems, reading.untold, options.overrides);
  return {std::move(scene), std::move(reading.problems)};
}

ParsedScene load_scene(const std::filesystem::path& file, const ParseOptions& options) {
  namespace fs = std::filesystem;
  const auto refuse = [&](std::string message, std::string hint = {}) {
    Scene scene;
    scene.file = file;
    scene.overrides = options.overrides;
    return refused(std::move(scene), {{}, 0, {}, std::move(message), std::move(hint), {}});
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return refuse("no such file");
  if (fs::is_directory(status)) return refuse("is a folder, not a scene file");
  if (!fs::is_regular_file(status)) return refuse("is not a regular file");
  const auto bytes = fs::file_size(file, error);
  if (!error && bytes > largest_scene_bytes) {
    return refuse(fmt::format("{} bytes are too many for a scene: at most {} MiB", bytes, largest_scene_bytes >> 20));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse("can't be opened for reading");
  std::string text(largest_scene_bytes + 1, '\0');  // one more than may be: a file can grow, or hide its size
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return refuse("can't be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_scene(std::move(text), file, options);
}

}  // namespace fdtd
