// Every example of scenes/examples/ can be planned as it is and run, coarsely and shortly; each has its picture.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> examples() {
  std::vector<fs::path> scenes;
  for (const auto& entry : fs::directory_iterator(FDTD_SOURCE_DIR "/scenes/examples"))
    if (entry.path().extension() == ".toml") scenes.push_back(entry.path());
  std::sort(scenes.begin(), scenes.end());
  return scenes;
}

}  // namespace

TEST_CASE("every example can be planned, and has its picture in the docs", "[cli]") {
  const TemporaryFolder folder;
  const std::string page = read_file(FDTD_SOURCE_DIR "/docs/tutorials/examples.md");
  REQUIRE(examples().size() >= 5);
  for (const fs::path& scene : examples()) {
    const Outcome outcome = run_fdtd({"plan", scene.string(), "--json", "--device", "cpu"}, folder.path());
    INFO(scene.string() << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    const auto plan = nlohmann::json::parse(outcome.out);
    CHECK(plan["nodes"].get<double>() * plan["steps"].get<double>() < 2e10);  // under a minute on two cores
    const fs::path picture = fs::path(scene).replace_extension(".png");
    CHECK(fs::exists(picture));
    CHECK(fs::file_size(picture) < 150'000);
    CHECK(page.find("(../../scenes/examples/" + picture.filename().string() + ")") != std::string::npos);
  }
}

TEST_CASE("every example runs, coarsely", "[cli]") {
  const TemporaryFolder folder;
  for (const fs::path& scene : examples()) {
    const Outcome outcome = run_fdtd({"run", scene.string(), "-o", scene.stem().string(), "--quiet", "--device", "cpu",
                                      "--set", "simulation.duration=0.12", "--set", "simulation.max_frequency=200"},
                                     folder.path());
    INFO(scene.string() << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(fs::exists(folder.path() / scene.stem() / "report.html"));
  }
}
