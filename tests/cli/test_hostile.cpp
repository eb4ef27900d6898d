// Scenes that cannot be run: refused in a moment, in little memory, with one message, and nothing written.
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/hostile.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd::test;

namespace {

void check_refused(const HostileScene& scene) {
  const TemporaryFolder folder;
  folder.write(scene.name, scene.text);
  constexpr double moment = 3.0 * times_seconds;  // on a busy machine; half a second otherwise
  Outcome outcome = run_fdtd({"run", scene.name, "-o", "made"}, folder.path());
  // The first scene on a machine that has to choose a stencil times the stencils.
  if (outcome.seconds >= moment) outcome = run_fdtd({"run", scene.name, "-o", "made"}, folder.path());
  INFO(scene.name << ": status " << outcome.status << "\n" << outcome.err.substr(0, 2000));
  CHECK(outcome.status == scene.status);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(scene.expect) != std::string::npos);
  if (!scene.place.empty()) CHECK(outcome.err.find(scene.name + ":" + scene.place + ":") != std::string::npos);
  if (outcome.status == 2) CHECK(outcome.err.find("1 problem in") != std::string::npos);
  CHECK(outcome.err.size() < 4000);
  CHECK(outcome.seconds < moment);
  CHECK(outcome.peak_bytes < std::int64_t{200} * 1024 * 1024 * times_memory);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().filename() == scene.name);
}

}  // namespace

TEST_CASE("hostile scenes are refused with one message and nothing written", "[cli]") {
  const auto scenes = hostile_files();
  REQUIRE(scenes.size() >= 50);
  for (const HostileScene& scene : scenes) check_refused(scene);
}

TEST_CASE("scenes too large, too deep or no text at all are refused as quickly", "[cli]") {
  const auto scenes = hostile_giants();
  REQUIRE(scenes.size() >= 4);
  for (const HostileScene& scene : scenes) check_refused(scene);
}
