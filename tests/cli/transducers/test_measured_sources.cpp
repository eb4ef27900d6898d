// Scenes with a measured source: the same bytes from its result, and files that cannot be used.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

std::string scene_of(const std::string& source) {
  return R"(schema = 1
simulation = { duration = 0.03, max_frequency = 500.0, stencil = "leggy-2" }
room = { box = [2.6, 2.2, 1.9], walls = { default = "panel" } }
materials.panel = { admittance = 0.1 }
above.method = "none"
[[source]]
name = "S"
position = [0.9, 0.8, 0.7]
)" + source +
         R"([[receiver]]
name = "R"
position = [1.7, 1.5, 1.2]
)";
}

// Of a source that is louder to its front by 6 dB than to its back.
std::string table() {
  std::string text = "# distance = 1.5\nazimuth, elevation, 125, 250, 500\n";
  for (int azimuth = -180; azimuth < 180; azimuth += 30)
    for (int elevation = -60; elevation <= 60; elevation += 30)
      text +=
          fmt::format("{}, {}, {}, {}, {}\n", azimuth, elevation, 0, 3.0 * std::cos(azimuth * std::numbers::pi / 180),
                      3.0 * std::cos(azimuth * std::numbers::pi / 180));
  return text;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string aimed = "directivity = \"speaker.csv\"\ndirection = [1, 0, 0]\n";

}  // namespace

TEST_CASE("a measured source is rendered again from its result to the same bytes, and aims where it points", "[cli]") {
  const TemporaryFolder folder;
  folder.write("speaker.csv", table());
  folder.write("front.toml", scene_of(aimed));
  folder.write("back.toml", scene_of("directivity = \"speaker.csv\"\ndirection = [-1, 0, 0]\n"));
  const Outcome front = run_fdtd({"run", "front.toml", "-o", "front"}, folder.path());
  INFO(front.err);
  REQUIRE(front.status == 0);
  CHECK_THAT(front.err, Contains("spherical harmonics to order"));
  REQUIRE(run_fdtd({"run", "back.toml", "-o", "back", "--quiet"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"render", "front/result.h5", "-o", "again"}, folder.path()).status == 0);
  const bool same = bytes_of(folder / "front/ir_R.wav") == bytes_of(folder / "again/ir_R.wav"),
             alike = bytes_of(folder / "front/ir_R.wav") == bytes_of(folder / "back/ir_R.wav");
  CHECK(same);
  CHECK_FALSE(alike);
}

TEST_CASE("files of a measured source that cannot be used are refused with the place and what to do", "[cli]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& source, const std::string& why) {
    folder.write("scene.toml", scene_of(source));
    const Outcome outcome = run_fdtd({"run", "scene.toml", "-o", "out"}, folder.path());
    INFO(source);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(why));
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
  };
  folder.write("speaker.csv", table());
  refused("directivity = \"speaker.csv\"\n", "a measured directivity needs a direction");
  refused(aimed + "pattern = \"cardioid\"\n", "has a pattern and a measured directivity");
  refused(aimed + "up = [2, 0, 0]\n", "up is along the direction");
  refused(aimed + "measurement = 2\n", "a table has one measurement");
  refused("on_axis = \"flat\"\n", "on_axis belongs to a measured directivity");
  folder.write("speaker.csv", "azimuth, elevation, 125\n0, 0, 1\n30, nan, 1\n");
  refused(aimed, "speaker.csv:3: elevation:");
  folder.write("speaker.csv", "azimuth, elevation, 125\n90, 0, 1\n-90, 0, 1\n180, 0, 0\n");
  refused(aimed, "the direction nearest to the source's axis is 90 degrees away");
  folder.write("speaker.sofa", "no HDF5");
  refused("directivity = \"speaker.sofa\"\ndirection = [1, 0, 0]\n", "no HDF5 file, as files of SOFA are");
}
