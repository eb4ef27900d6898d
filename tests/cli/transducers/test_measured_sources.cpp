// Scenes with a measured source: the same bytes from its result, and files that cannot be used.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>

#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
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
  CHECK_THAT(run_fdtd({"plan", "front.toml"}, folder.path()).out,
             Contains("passes") && Contains("1, one for each source"));
  const bool same = bytes_of(folder / "front/ir_R.wav") == bytes_of(folder / "again/ir_R.wav"),
             alike = bytes_of(folder / "front/ir_R.wav") == bytes_of(folder / "back/ir_R.wav");
  CHECK(same);
  CHECK_FALSE(alike);
}

TEST_CASE("a measured source is one pass among others, with the same bytes resumed and on two threads", "[cli]") {
  const TemporaryFolder folder;
  folder.write("speaker.csv", table());
  const std::string others =
      "[[source]]\nname = \"M\"\nposition = [0.7, 1.4, 1.0]\n[[source]]\nname = \"C\"\nposition = [1.2, 1.4, 1.1]\n"
      "pattern = \"cardioid\"\ndirection = [0, 1, 0]\n";
  const std::string more =
      "[[receiver]]\nname = \"A\"\nposition = [1.9, 0.6, 1.3]\npattern = \"ambisonic\"\norder = 1\n";
  folder.write("scene.toml", scene_of(aimed + others) + more);
  const auto made = [&](std::vector<std::string> options, int status) {
    options.insert(options.begin(), {"run", "scene.toml"});
    const Outcome outcome = run_fdtd(options, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == status);
  };
  CHECK_THAT(run_fdtd({"plan", "scene.toml", "--json"}, folder.path()).out, Contains("\"passes\": 3,"));
  made({"-o", "gold", "--threads", "1"}, 0);
  made({"-o", "threads", "--threads", "2"}, 0);
  made({"-o", "resumed", "--threads", "1", "--max-time", "0.0001s"}, 130);
  made({"-o", "resumed", "--threads", "1", "--resume"}, 0);
  const Result gold = read_result(folder / "gold/result.h5");
  for (const char* name : {"threads", "resumed"}) {
    const Result other = read_result(folder / name / "result.h5");
    const bool same = other.recording.pressure == gold.recording.pressure && other.rendered.ir == gold.rendered.ir;
    CHECK(same);
  }
  // A file with other values is another plan.
  made({"-o", "changed", "--threads", "1", "--max-time", "0.0001s"}, 130);
  std::string louder = table();
  louder.replace(louder.rfind(", -"), 3, ", -1");
  folder.write("speaker.csv", louder);
  const Outcome changed = run_fdtd({"run", "scene.toml", "-o", "changed", "--resume"}, folder.path());
  INFO(changed.err);
  CHECK(changed.status == 5);
  CHECK_THAT(changed.err, Contains("checkpoint.h5"));
}

TEST_CASE("a plan states one pass for a measured source of order 4, and where its orders hold", "[cli]") {
  const TemporaryFolder folder;
  folder.write("speaker.csv", table());
  folder.write("scene.toml", scene_of(aimed + "order = 4\n"));
  const std::vector<std::string> larger = {"--set", "room.box=[5.0, 4.6, 4.4]",
                                           "--set", "source.S.position=[2.5, 2.3, 2.2]",
                                           "--set", "receiver.R.position=[4.6, 4.2, 4.0]"};
  std::vector<std::string> command = {"plan", "scene.toml", "--json"};
  command.insert(command.end(), larger.begin(), larger.end());
  const Outcome plan = run_fdtd(command, folder.path());
  INFO(plan.out << plan.err);
  REQUIRE(plan.status == 0);
  CHECK_THAT(plan.out, Contains("\"passes\": 1,") &&
                           Contains("orders above 3 of measured sources are sent by a ball") &&
                           Contains("order 4 holds from 0 to"));
  const Outcome near = run_fdtd({"plan", "scene.toml", "--set", "source.S.position=[0.3, 0.8, 0.7]"}, folder.path());
  CHECK(near.status == 2);
  CHECK_THAT(near.err, Contains("S: order 4 takes a ball of nodes and needs"));
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
  folder.write("speaker.csv", "azimuth, elevation, 125, 250\n0, 0, 1, 1\n90, 0, 1, inf\n180, 0, 0, 0\n");
  refused(aimed, "speaker.csv:3: level:");
  folder.write("speaker.csv", "azimuth, elevation, 250, 125\n0, 0, 1, 1\n90, 0, 1, 1\n");
  refused(aimed, "speaker.csv:1: the frequencies do not increase");
  folder.write("speaker.csv", "azimuth, elevation, 125\n0, 0, 1\n90, 0, 1\n0, 0, 2\n");
  refused(aimed, "speaker.csv:4: azimuth 0, elevation 0 appears twice");
  folder.write("speaker.csv", "azimuth, elevation, 125\n0, 0, 1\n0, 95, 1\n");
  refused(aimed, "speaker.csv:3: elevation 95 is not between -90 and 90");
  folder.write("speaker.csv",
               "azimuth, elevation, frequency, level\n0, 0, 125, 1\n0, 0, 250, 1\n90, 0, 125, 1\n90, 0, 500, 1\n");
  refused(aimed, "azimuth 90, elevation 0 lacks 250 Hz");
  folder.write("speaker.csv", "angle, level\n0, 0\n");
  refused(aimed, "the columns are not those of a directivity");
  std::string many = "azimuth, elevation, 125\n";  // of a grid of 1 degree
  for (int azimuth = 0; azimuth < 360; ++azimuth)
    for (int elevation = -45; elevation <= 45; ++elevation) many += fmt::format("{}, {}, 0\n", azimuth, elevation);
  folder.write("speaker.csv", many);
  refused(aimed, "more than 16384 directions");
  folder.write("speaker.CF2", "binary");
  refused("directivity = \"speaker.CF2\"\ndirection = [1, 0, 0]\n", "a binary format without a published description");
  folder.write("speaker.sofa", "no HDF5");
  refused("directivity = \"speaker.sofa\"\ndirection = [1, 0, 0]\n", "no HDF5 file, as files of SOFA are");
}
