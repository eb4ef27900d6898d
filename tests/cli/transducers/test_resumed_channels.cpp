// Channels of sources and receivers that checkpoints hold by name: a resumed run knows the kind and number of each.
#include <string>
#include <vector>

#include "base/math/directions.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Receivers of every kind of channel; tests of measured sources resume those of sources.
std::string scene_of_channels() {
  SceneText scene;
  scene.simulation = "duration = 0.05\nmax_frequency = 600\nstencil = \"leggy-3\"\nprecision = \"f64\"\n";
  scene.box = "[2.4, 2.0, 1.6]";
  scene.materials = "[materials.panel]\nadmittance = 0.1\n";
  scene.source_keys = "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n";
  scene.receiver = "";
  const auto add = [&](const std::string& name, const std::string& keys) {
    scene.more += "[[receiver]]\nname = \"" + name + "\"\n" + keys;
  };
  const std::string place = "position = [1.3, 1.1, 0.8]\n";
  add("plain", place);
  add("card", place + "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n");
  add("turning", "path = \"walk.csv\"\npattern = \"cardioid\"\ndirection = [1, 0, 0]\n");
  add("sphere", place + "pattern = \"ambisonic\"\norder = 2\n");
  add("head",
      place + "pattern = \"binaural\"\norder = 1\nhrtf = \"head.sofa\"\ndirection = [1, 0, 0]\nrotations = [0, 90]\n");
  add("numbered", place + "array = \"numbered.csv\"\n");
  add("named", place + "array = \"named.csv\"\n");
  return text_of(scene);
}

}  // namespace

TEST_CASE("receivers of several channels resume to the files of an undisturbed run", "[cli]") {
  const TemporaryFolder folder;
  write_head_file(folder / "head.sofa", rigid_sphere_head(spiral(120), 44100.0, 128, 40.0));
  folder.write("walk.csv", "t,x,y,z,yaw\n0,1.3,1.1,0.8,0\n0.05,1.4,1.1,0.8,90\n");
  folder.write("numbered.csv", "x,y,z\n0.05,0,0\n-0.05,0.02,0.01\n");
  folder.write("named.csv", "name,x,y,z\nfront,0.05,0,0\n10,-0.05,0.02,0.01\n");
  folder.write("room.toml", scene_of_channels());
  std::vector<std::string> command = {"run", "room.toml", "-o", "gold", "--quiet"};
  const Outcome gold = run_fdtd(command, folder.path());
  INFO(gold.err);
  REQUIRE(gold.status == 0);
  command[3] = "made";
  std::vector<std::string> first = command;
  first.insert(first.end(), {"--checkpoint-every", "20steps", "--max-time", "0.001s"});
  const Outcome stopped = run_fdtd(first, folder.path());
  INFO(stopped.err);
  REQUIRE(stopped.status == 130);
  command.emplace_back("--resume");
  const Outcome resumed = run_fdtd(command, folder.path());
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  const auto made = outputs_of(folder.path() / "made"), whole = outputs_of(folder.path() / "gold");
  CHECK(made.size() == whole.size());
  for (const auto& [name, bytes] : whole) {
    INFO(name);
    CHECK((made.count(name) == 1 && made.at(name) == bytes));
  }
}
