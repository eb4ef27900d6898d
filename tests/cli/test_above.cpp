// Black box: responses to 20 kHz by [above].
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string scene = R"(schema = 1
[simulation]
duration = 0.3
max_frequency = 400
stencil = "leggy-4"
[above]
method = "rays"
[room]
box = [4.2, 3.3, 2.6]
[room.walls]
default = "plaster"
[materials.plaster]
absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3] }
[[source]]
name = "S"
position = [1.0, 1.2, 1.3]
[[receiver]]
name = "R"
position = [3.1, 2.2, 1.1]
)";

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a scene with [above] gives responses to 20 kHz, which render makes again", "[above]") {
  const TemporaryFolder folder;
  folder.write("box.toml", scene);
  const Outcome run = run_fdtd({"run", "box.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(holds(run.out, "agreement, 141 to 283 Hz: G "));
  CHECK(holds(run.out, "\n    8000 "));  // figures of the octave
  const Outcome again = run_fdtd({"render", "out/result.h5", "-o", "again"}, folder.path());
  REQUIRE(again.status == 0);
  const std::string whole = read_file(folder.path() / "out/ir_R.wav");
  CHECK(read_file(folder.path() / "again/ir_R.wav") == whole);
  CHECK(holds(read_audio(folder.path() / "out/ir_R.wav").comment, "waves to Hz: 282.8"));
  const Outcome threads = run_fdtd({"run", "box.toml", "-o", "one", "--threads", "1"}, folder.path());
  REQUIRE(threads.status == 0);
  CHECK(read_file(folder.path() / "one/ir_R.wav") == whole);

  const Outcome aimed = run_fdtd({"run", "box.toml", "-o", "aimed", "--set", "receiver.R.pattern=cardioid", "--set",
                                  "receiver.R.direction=[1,0,0]"},
                                 folder.path());
  REQUIRE(aimed.status == 0);
  CHECK_FALSE(holds(aimed.out, "agreement"));

  // Waves alone are those of a run without.
  REQUIRE(run_fdtd({"render", "out/result.h5", "-o", "waves", "--wave-only"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"run", "box.toml", "-o", "none", "--set", "above.method=none", "--set", "air.absorption=true"},
                   folder.path())
              .status == 0);
  CHECK(read_file(folder.path() / "waves/ir_R.wav") == read_file(folder.path() / "none/ir_R.wav"));
  CHECK(read_file(folder.path() / "waves/ir_R.wav") != whole);
}

TEST_CASE("bad values of [above] and scattering are refused with place and remedy", "[above]") {
  const TemporaryFolder folder;
  folder.write("box.toml", scene);
  const auto fails = [&](const std::string& set, const std::string& message) {
    const Outcome outcome = run_fdtd({"plan", "box.toml", "--set", set}, folder.path());
    INFO(set + "\n" + outcome.err);
    CHECK(outcome.status == 2);
    CHECK(holds(outcome.err, message));
  };
  fails("above.crossover=1400", "above.crossover: 1400 Hz is above the 400 Hz to which waves are valid");
  fails("above.rays=10", "above.rays");
  fails("above.method=beams", "above.method");
  fails("materials.plaster.scattering=1.2", "materials.plaster.scattering");
  fails("materials.plaster.scattering={bands=[500,1000],s=[0.1]}", "has 1 values for 2 bands");
  fails("above.raays=3", "did you mean");
}

TEST_CASE("plan says what is above the waves' band", "[above]") {
  const TemporaryFolder folder;
  folder.write("box.toml", scene);
  const Outcome plan = run_fdtd({"plan", "box.toml"}, folder.path());
  REQUIRE(plan.status == 0);
  CHECK(holds(plan.out, "400 to 20000 Hz by geometry: 20000 rays"));
  CHECK(holds(plan.out, "absorption is held above the data of plaster from 5657 Hz"));
  const Outcome none = run_fdtd({"plan", "box.toml", "--set", "above.method=none"}, folder.path());
  CHECK_FALSE(holds(none.out, "by geometry"));
}

TEST_CASE("plan and run count the pairs without line of sight, and render makes the sound of edges again", "[above]") {
  const TemporaryFolder folder;
  Mesh mesh;  // a closet of 3 x 2 x 2 m with a wall across half of it
  add_box(mesh, {0, 0, 0}, {3, 2, 2}, {"w", "w", "w", "w", "w", "w"});
  add_quad(mesh, {{{1.5, 0, 0}, {1.5, 1.2, 0}, {1.5, 1.2, 2}, {1.5, 0, 2}}}, "w", unturned);
  folder.write("room.obj", as_bare_obj(mesh));
  std::string text = scene;
  text.replace(text.find("box = [4.2, 3.3, 2.6]"), 21, "mesh = \"room.obj\"");
  text.replace(text.find("duration = 0.3"), 14, "duration = 0.1");
  text.replace(text.find("method = \"rays\""), 15, "method = \"rays\"\nrays = 2000\nimage_order = 2");
  text.replace(text.find("[1.0, 1.2, 1.3]"), 15, "[0.6, 0.5, 0.9]");
  text.replace(text.find("[3.1, 2.2, 1.1]"), 15, "[2.3, 0.6, 1.1]");
  folder.write("closet.toml", text);
  const Outcome run = run_fdtd({"run", "closet.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(holds(run.out, "direct sound is blocked for 1 of 1 pair; 1 bends around one edge"));
  REQUIRE(run_fdtd({"render", "out/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "again/ir_R.wav") == read_file(folder.path() / "out/ir_R.wav"));
  const Outcome plan = run_fdtd({"plan", "closet.toml"}, folder.path());
  CHECK(holds(plan.out, "direct sound is blocked for 1 of 1 pair; 1 bends around one edge"));
  const Outcome json =
      run_fdtd({"plan", "closet.toml", "--json", "--set", "receiver.R.position=[0.7,1.7,1]"}, folder.path());
  CHECK(holds(json.out, "\"blocked\": 0"));
  CHECK_FALSE(holds(json.out, "\"blocked\": 1"));
}
