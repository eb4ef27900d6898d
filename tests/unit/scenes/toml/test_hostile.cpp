// Every hostile scene gets one clear message, at the right place, quickly.
#include <fmt/format.h>

#include <ctime>

#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hostile.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;

namespace {

void check(const test::HostileScene& hostile) {
  INFO(hostile.name);
  const std::clock_t start = std::clock();  // of this process: what others do does not count
  const ParsedScene parsed =
      parse_scene(hostile.text, std::filesystem::path(FDTD_SOURCE_DIR "/tests/cli/hostile") / hostile.name);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(seconds < 1.0 * test::times_seconds);
  if (hostile.status != 2) {
    CHECK(parsed.problems.empty());
    return;
  }
  REQUIRE(parsed.problems.size() == 1);
  const Problem& problem = parsed.problems.front();
  const std::string messages = problem_text(problem, hostile.name, parsed.scene.text);
  INFO(messages);
  CHECK(messages.find(hostile.expect) != messages.npos);
  CHECK(messages.size() < 2000);
  if (!hostile.place.empty()) CHECK(fmt::format("{}:{}", problem.place.line, problem.place.column) == hostile.place);
  for (const char c : messages) CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
}

}  // namespace

TEST_CASE("every hostile scene on file is refused with one message at its place") {
  const auto scenes = test::hostile_files();
  CHECK(scenes.size() >= 100);
  for (const auto& scene : scenes) check(scene);
}

TEST_CASE("scenes of millions of brackets, values or wrong bytes are refused with one message") {
  for (const auto& scene : test::hostile_giants()) check(scene);
}
