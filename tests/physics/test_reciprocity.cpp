// Reciprocity from the scene to the responses: receivers that send and sources that record give what sources that send
// give, in rooms whose walls depend on frequency, cut voxels and have no thickness.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/responses/render.hpp"
#include "engine/run/exchanged_recording.hpp"
#include "engine/run/run.hpp"
#include "engine/transducers/exchange.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string materials = R"([materials.soft]
absorption = { bands = [125, 250, 500, 1000], alpha = [0.08, 0.24, 0.57, 0.69] }
[materials.hard]
absorption = { bands = [125, 250, 500, 1000], alpha = [0.3, 0.1, 0.05, 0.04] }
)";
const std::string walls = "default = \"hard\"\nz_min = \"soft\"\nscreen = \"soft\"\n";

enum class Pattern { none, source, source_and_receiver };

struct Asked {
  std::string stencil, precision;
  Pattern pattern = Pattern::none;
};

struct Channels {
  Recording recording;
  Rendered rendered;
  std::size_t passes = 0;
};

// Three sources and two receivers, in a corner, beside a wall and on both sides of the screen.
std::string scene_of(const Asked& asked, const std::string& room, const Turn& turn, const std::string& reciprocity) {
  SceneText scene;
  scene.simulation =
      fmt::format("duration = 0.05\ngrid_spacing = 0.075\nstencil = \"{}\"\nprecision = \"{}\"\nreciprocity = \"{}\"\n",
                  asked.stencil, asked.precision, reciprocity);
  scene.room = room;
  scene.walls = scene.receiver = "";
  scene.materials = materials;
  scene.source = in_brackets(turn({0.25, 0.2, 0.3}));
  scene.source_keys = asked.pattern != Pattern::none ? "pattern = \"cardioid\"\ndirection = [1, 0.5, 0.2]" : "";
  scene.second_source = in_brackets(turn({0.7, 0.6, 0.2}));
  scene.more = fmt::format(
      "[[source]]\nname = \"S3\"\nposition = {}\n[[receiver]]\nname = \"R1\"\nposition = {}\n{}"
      "[[receiver]]\nname = \"R2\"\nposition = {}\n",
      in_brackets(turn({1.3, 1.1, 0.8})), in_brackets(turn({1.02, 0.65, 0.55})),
      asked.pattern == Pattern::source_and_receiver ? "pattern = \"ambisonic\"\norder = 2\n" : "",
      in_brackets(turn({0.35, 1.0, 0.85})));
  return text_of(scene);
}

Channels hear(const std::string& text, const TemporaryFolder& folder, const std::string& stencil) {
  const ParsedScene parsed = parse_scene(text, folder.path() / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  PlanResult planned = make_plan(parsed.scene, *find_stencil(stencil));
  // Records of parts that send together are no others' (test_directivity.cpp), and longer.
  std::int64_t lead = 0;
  for (const JointPass& one : planned.plan.joint) lead = std::max(lead, one.lead);
  planned.plan.steps -= lead;
  planned.plan.joint.clear();
  Channels heard;
  heard.passes = planned.passes();
  {
    const WhileExchanged computed(planned.plan, planned.exchanged);
    heard.recording = run(planned.plan, *make_cpu_backend({1, ""}));
  }
  REQUIRE(heard.recording.energy.size() == heard.passes);
  if (planned.exchanged) exchange_recording(heard.recording);
  heard.rendered = render(heard.recording, render_options(parsed.scene, planned.plan, planned.bandwidth()));
  return heard;
}

// By channel, relative to its largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t channels) {
  REQUIRE(a.size() == b.size());
  const std::size_t samples = a.size() / channels;
  double largest = 0.0;
  for (std::size_t c = 0; c < channels; ++c) {
    double apart = 0.0, scale = 0.0;
    for (std::size_t n = c * samples; n < (c + 1) * samples; ++n) {
      apart = std::max(apart, std::abs(a[n] - b[n]));
      scale = std::max(scale, std::abs(b[n]));
    }
    REQUIRE(scale > 0.0);
    largest = std::max(largest, apart / scale);
  }
  return largest;
}

void check_both_ways(const Asked& asked, const std::string& room, const Turn& turn, const TemporaryFolder& folder) {
  CAPTURE(asked.stencil, asked.precision, room);
  const Channels sent = hear(scene_of(asked, room, turn, "off"), folder, asked.stencil);
  const Channels exchanged = hear(scene_of(asked, room, turn, "on"), folder, asked.stencil);
  CHECK(sent.passes == (asked.pattern == Pattern::none ? 3U : 4U));
  CHECK(exchanged.passes == (asked.pattern == Pattern::none ? 2U : 10U));
  CHECK(exchanged.recording.exchanged);
  CHECK(exchanged.recording.sources == sent.recording.sources);
  CHECK(exchanged.recording.receivers == sent.recording.receivers);
  const std::size_t channels = sent.recording.sources.size() * sent.recording.receivers.size();
  const bool exact = asked.precision == "f64";
  CHECK(difference(exchanged.recording.pressure, sent.recording.pressure, channels) < (exact ? 1e-11 : 5e-5));
  CHECK(difference(exchanged.rendered.ir, sent.rendered.ir, channels) < (exact ? 1e-8 : 1e-3));
}

std::string write_room(const TemporaryFolder& folder, const Turn& turn) {
  Mesh mesh = box_mesh({0, 0, 0}, {1.6, 1.4, 1.1}, turn);
  add_quad(mesh, {Place{0.93, 0.0, 0.0}, {0.93, 0.9, 0.0}, {0.93, 0.9, 0.8}, {0.93, 0.0, 0.8}}, "screen", turn);
  std::string text;
  for (const auto& v : mesh.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    text += fmt::format("usemtl {}\nf {} {} {}\n", mesh.materials[mesh.material[t]], a + 1, b + 1, c + 1);
  }
  folder.write("room.obj", text);
  return "mesh = \"room.obj\"\n[room.walls]\n" + walls;
}

}  // namespace

TEST_CASE("reciprocity: a box with walls that depend on frequency has one record for both ways", "[physics]") {
  const TemporaryFolder folder;
  const std::string room = "box = [1.6, 1.4, 1.1]\n[room.walls]\ndefault = \"hard\"\nz_min = \"soft\"\n";
  for (const char* precision : {"f64", "f32"})
    for (const char* stencil : {"leggy-4", "compact-5/opt1", "box-222/opt1", "compact-3/radial1"})
      check_both_ways({stencil, precision}, room, unturned, folder);
}

TEST_CASE("reciprocity: an oblique room with a screen without thickness has one record for both ways", "[physics]") {
  const TemporaryFolder folder;
  const Turn turn = turned(27.0, 16.0, {2.0, 1.0, 1.0});
  const std::string room = write_room(folder, turn);
  for (const char* stencil : {"leggy-4", "compact-2/opt1", "compact-5/opt1"})
    check_both_ways({stencil, "f64"}, room, turn, folder);
  check_both_ways({"leggy-4", "f32"}, room, turn, folder);
}

TEST_CASE("reciprocity: cardioid sources and ambisonic receivers have one response for both ways", "[physics]") {
  const TemporaryFolder folder;
  const Turn turn = turned(27.0, 16.0, {2.0, 1.0, 1.0});
  check_both_ways({"leggy-4", "f64", Pattern::source_and_receiver}, write_room(folder, turn), turn, folder);
}

// A derivative that is read of a field suffers less from rounding than one that is sent.
TEST_CASE("reciprocity: cardioid sources that record in single precision are nearer to double than such that send",
          "[physics]") {
  const TemporaryFolder folder;
  const Turn turn = turned(27.0, 16.0, {2.0, 1.0, 1.0});
  const std::string room = write_room(folder, turn);
  const auto response = [&](const std::string& precision, const std::string& reciprocity) {
    const Asked asked{"leggy-4", precision, Pattern::source};
    return hear(scene_of(asked, room, turn, reciprocity), folder, "leggy-4").rendered.ir;
  };
  const std::vector<double> truth = response("f64", "off");
  const double sent = difference(response("f32", "off"), truth, 8),
               recorded = difference(response("f32", "auto"), truth, 8);
  INFO("sent " << sent << ", recorded " << recorded);
  CHECK(recorded < sent);
  CHECK(recorded < 1e-3);
}
