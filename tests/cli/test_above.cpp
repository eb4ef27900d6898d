// Black box: responses to 20 kHz by [above].
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
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

TEST_CASE("the simplest scene gives responses to 20 kHz, which render makes again", "[above]") {
  const TemporaryFolder folder;
  folder.write("box.toml", scene);
  const Outcome run = run_fdtd({"run", "box.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(holds(run.out, "agreement, 141 to 283 Hz: G "));
  CHECK(holds(run.out, "\n    8000 "));  // figures of the octave
  const Outcome figures = run_fdtd({"metrics", "out/ir_R.wav", "--json"}, folder.path());
  REQUIRE(figures.status == 0);
  const auto bands = nlohmann::json::parse(figures.out).at("bands");
  std::map<double, std::string> from;
  for (const auto& band : bands) from[band.at("centre")] = band.at("from");
  CHECK(from.at(125.0) == "wave");  // waves to 283 Hz, geometry from 400 Hz
  CHECK(from.at(250.0) == "both");
  CHECK(from.at(500.0) == "both");
  CHECK(from.at(1000.0) == "geometry");
  CHECK(from.at(8000.0) == "geometry");
  for (const std::string& text : {run.out, run_fdtd({"metrics", "out/ir_R.wav"}, folder.path()).out}) {
    CHECK(holds(text, "C %     from\n"));
    CHECK(holds(text, " wave\n"));
    CHECK(holds(text, " geometry\n"));
  }
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
  CHECK_FALSE(holds(run.out, "rays: "));  // a smooth box is all image sources

  // Waves alone are those of a run without.
  REQUIRE(run_fdtd({"render", "out/result.h5", "-o", "waves", "--wave-only"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"run", "box.toml", "-o", "none", "--set", "above.method=none", "--set", "air.absorption=true"},
                   folder.path())
              .status == 0);
  CHECK(read_file(folder.path() / "waves/ir_R.wav") == read_file(folder.path() / "none/ir_R.wav"));
  CHECK(read_file(folder.path() / "waves/ir_R.wav") != whole);
}

TEST_CASE("a run says how far its figures depend on the draw of rays", "[above]") {
  const TemporaryFolder folder;
  folder.write("box.toml", scene);
  const auto run = [&](const char* out, std::vector<std::string> options) {
    options.insert(options.begin(), {"run", "box.toml", "-o", out, "--set", "materials.plaster.scattering=0.5", "--set",
                                     "output.sample_rate=8000"});
    return run_fdtd(options, folder.path());
  };
  const Outcome automatic = run("auto", {});
  INFO(automatic.err);
  REQUIRE(automatic.status == 0);
  CHECK(holds(automatic.out, "rays: 20000 a source, T20 of their halves agrees within 3 %"));
  CHECK(holds(automatic.out, "T20 %    C80 dB      G dB"));
  const Outcome few = run("few", {"--set", "above.rays=1000", "--json"});
  REQUIRE(few.status == 0);
  CHECK(holds(few.out, "\"count\": 1000"));
  CHECK(holds(few.out, "\"end\": \"asked\""));
  // render makes its result from what the file holds.
  REQUIRE(run_fdtd({"render", "auto/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "again/ir_R.wav") == read_file(folder.path() / "auto/ir_R.wav"));
}

TEST_CASE("sound that rays lose through gaps of a mesh is noted from a thousandth of the reflections on", "[above]") {
  const TemporaryFolder folder;
  std::string leaking = scene;
  leaking.replace(leaking.find("box = [4.2, 3.3, 2.6]"), 21, "mesh = \"box.obj\"");
  const std::size_t walls = leaking.find("[room.walls]"), after = leaking.find("[materials.plaster]");
  leaking.erase(walls, after - walls);
  folder.write("leak.toml", leaking);
  const auto run = [&](double gap) {  // between two parts of the ceiling, m
    std::string mesh = "usemtl plaster\n";
    for (const double x : {0.0, 2.0, 2.0 + gap, 4.2})
      mesh += fmt::format("v {0} 0 0\nv {0} 3.3 0\nv {0} 3.3 2.6\nv {0} 0 2.6\n", x);
    mesh += "f 1 2 3 4\nf 16 15 14 13\nf 1 13 14 2\nf 1 4 16 13\nf 2 14 15 3\nf 4 3 7 8\nf 12 11 15 16\n";
    folder.write("box.obj", mesh);
    return run_fdtd({"run", "leak.toml", "-o", "out", "--force", "--set", "above.rays=1000"}, folder.path());
  };
  const Outcome closed = run(0.002), open = run(0.05);
  INFO(closed.err << open.err);
  REQUIRE(closed.status == 0);
  REQUIRE(open.status == 0);
  CHECK_FALSE(holds(closed.out, "of the reflections of rays"));
  CHECK(holds(open.out, "of the reflections of rays find no wall, the first beyond ("));
  CHECK(holds(open.out, "above 400 Hz sound is"));
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
  text.insert(text.find("[room]"), "[above]\nrays = 2000\nimage_order = 2\n");
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
