// Mesh files as a user meets them: far from the origin, with another axis up, with walls drawn twice.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;

namespace {

// A cube of 2 m.
const std::string cube_corners = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n";
const std::string six_faces =
    "usemtl floor\nf 1 4 3 2\nusemtl Wall\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n";

Outcome command_on(const TemporaryFolder& folder, const std::string& obj, const std::string& text,
                   const std::vector<std::string>& arguments = {"plan", "scene.toml"}) {
  folder.write("room.obj", obj);
  folder.write("scene.toml", text);
  return run_fdtd(arguments, folder.path());
}

bool tells(const Outcome& outcome, const std::string& what) {
  UNSCOPED_INFO(outcome.err);
  return outcome.err.find(what) != std::string::npos;
}

std::string notes_of(const nlohmann::json& plan) {
  std::string notes;
  for (const auto& warning : plan["warnings"]) notes += warning.get<std::string>() + "\n";
  return notes;
}

SceneText scene_with(const std::string& room, const std::string& source, const std::string& receiver) {
  SceneText text;
  text.simulation = "duration = 0.02\nmax_frequency = 250\nstencil = \"leggy-2\"\n";
  text.room = "mesh = \"room.obj\"\n" + room;
  text.walls = "";
  text.materials = "[materials.floor]\nadmittance = 0.1\n[materials.wall]\nadmittance = 0.02\n";
  text.source = source;
  text.receiver = receiver;
  return text;
}

// A room of 5.371 x 4.213 x 2.897 m that begins at `corner`, in the order of the mesh's axes.
std::string georeferenced(const std::array<double, 3>& corner, double unit, const std::string& faces) {
  std::string text;
  const std::array<double, 3> sides = {5.371, 4.213, 2.897};
  for (int i = 0; i < 8; ++i) {
    // In the order of `cube_corners`: (0 0) (1 0) (1 1) (0 1), below and above.
    const std::array<bool, 3> far = {i % 4 == 1 || i % 4 == 2, i % 4 >= 2, i >= 4};
    text += "v";
    for (std::size_t d = 0; d < 3; ++d) text += fmt::format(" {:.6f}", (corner[d] + (far[d] ? sides[d] : 0.0)) / unit);
    text += "\n";
  }
  return text + faces;
}

nlohmann::json plan_of_room(const TemporaryFolder& folder, const std::string& obj, const std::string& text) {
  const Outcome plan = command_on(folder, obj, text, {"plan", "scene.toml", "--json"});
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  return nlohmann::json::parse(plan.out);
}

}  // namespace

TEST_CASE("a room at map coordinates is the room that it is at the origin", "[cli]") {
  const TemporaryFolder folder;
  for (const auto& [corner, units, unit] : {std::tuple{std::array{333455.0, 6251234.5, 40.25}, "m", 1.0},
                                            {std::array{-4e6, 7.5e6, -300.0}, "mm", 1e-3},
                                            {std::array{9.9e8, -9.9e8, 1e8}, "mm", 1e-3}}) {
    CAPTURE(corner[0], units);
    const auto at = [&corner = corner](double x, double y, double z) {
      return fmt::format("[{:.7f}, {:.7f}, {:.7f}]", corner[0] + x, corner[1] + y, corner[2] + z);
    };
    const SceneText text = scene_with(fmt::format("units = \"{}\"\nwalls = {{ Wall = \"wall\" }}\n", units),
                                      at(2.1, 1.3, 0.9), at(4.2, 2.9, 1.4));
    const auto json = plan_of_room(folder, georeferenced(corner, unit, six_faces), text_of(text));
    CHECK(json["mesh"]["volume"].get<double>() == Approx(5.371 * 4.213 * 2.897).epsilon(2e-6));
    CHECK(json["mesh"]["materials"][0]["area"].get<double>() == Approx(5.371 * 4.213).epsilon(1e-6));
    CHECK(json["mesh"]["materials"][0]["area_in_room"].get<double>() == Approx(5.371 * 4.213).epsilon(1e-5));
    CHECK(notes_of(json).find("far from the origin") == std::string::npos);
  }
}

TEST_CASE("up \"auto\" takes the only axis under which sources and receivers lie inside, and positions outside name it",
          "[cli]") {
  const TemporaryFolder folder;
  // A corridor 12 m long, 1.4 m wide and 3 m high, y up: more of it faces along z than along y.
  const std::string corridor =
      "v 0 0 0\nv 12 0 0\nv 12 0 -1.4\nv 0 0 -1.4\nv 0 3 0\nv 12 3 0\nv 12 3 -1.4\nv 0 3 -1.4\n" + six_faces;
  const auto with = [](const std::string& room, const std::string& source, const std::string& receiver) {
    return text_of(scene_with("walls = { default = \"wall\" }\n" + room, source, receiver));
  };
  const auto json = plan_of_room(folder, corridor, with("up = \"auto\"\n", "[2, 0.6, 1.6]", "[9, 0.8, 1.6]"));
  CHECK(json["mesh"]["up"] == "y");
  CHECK(json["mesh"]["volume"].get<double>() == Approx(12.0 * 1.4 * 3.0).epsilon(0.001));
  CHECK(notes_of(json).find("up = \"auto\" takes y, the axis under which all sources and receivers lie inside") !=
        std::string::npos);
  // x up: the corridor stands on its end.
  const auto end_up = plan_of_room(folder, corridor, with("up = \"auto\"\n", "[1, -0.6, 9]", "[2, -0.8, 11]"));
  CHECK(end_up["mesh"]["up"] == "x");
  // None holds both: each position is refused, with how many each axis would hold.
  const Outcome none = command_on(folder, corridor, with("up = \"auto\"\n", "[2, 0.6, 1.6]", "[9, 7, 1.6]"));
  CHECK(none.status == 2);
  CHECK(tells(none, "is outside the mesh"));
  CHECK(tells(none,
              "of 2 sources and receivers so many lie inside: 0 with up = \"z\", 1 with up = \"y\", 0 with "
              "up = \"x\""));
  // Several: a cube of 3 m around the origin.
  std::string cube;
  for (int i = 0; i < 8; ++i)
    cube += fmt::format("v {} {} {}\n", i % 4 == 1 || i % 4 == 2 ? 1.5 : -1.5, i % 4 >= 2 ? 1.5 : -1.5,
                        i >= 4 ? 1.5 : -1.5);
  const Outcome several =
      command_on(folder, cube + six_faces, with("up = \"auto\"\n", "[0.5, 0.6, 0.7]", "[1, -1, 0.4]"));
  CHECK(several.status == 2);
  CHECK(tells(several, "hint: write up = \"z\" or up = \"y\""));
  // With an axis that is given, or none, the hint names the one that would do.
  for (const char* given : {"", "up = \"x\"\n"}) {
    const Outcome lying = command_on(folder, corridor, with(given, "[2, 0.6, 1.6]", "[9, 0.8, 1.6]"));
    CHECK(lying.status == 2);
    CHECK(tells(lying, "with up = \"y\" all sources and receivers lie inside"));
  }
}

TEST_CASE("walls that are drawn twice are reported with their area, and the room is right", "[cli]") {
  const TemporaryFolder folder;
  const std::string one =
                        "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n"
                        "f 4 1 5\nf 4 5 8\n",
                    other =
                        "f 1 4 2\nf 4 3 2\nf 5 6 8\nf 6 7 8\nf 1 2 5\nf 2 6 5\nf 2 3 6\nf 3 7 6\nf 3 4 7\nf 4 8 7\n"
                        "f 4 1 8\nf 1 5 8\n",
                    turned = "f 2 3 1\nf 3 4 1\nf 7 6 5\nf 8 7 5\n";
  const std::string text =
      text_of(scene_with("walls = { default = \"floor\" }\n", "[0.6, 0.5, 0.4]", "[1.5, 1.4, 1.3]"));
  for (const auto& [faces, area, words] : {std::tuple{one + other, 24.0, "24 m2 are drawn twice, overlapping"},
                                           {one + one, 24.0, "24 m2 are drawn twice"},
                                           {one + turned, 8.0, "8 m2 are drawn twice, overlapping"},
                                           {one + other + one, 24.0, "24 m2 are drawn up to 3 times, overlapping"},
                                           {one, 0.0, ""}}) {
    const auto json = plan_of_room(folder, cube_corners + faces, text);
    CHECK(json["mesh"]["overlapping_area"].get<double>() == Approx(area).margin(1e-9));
    CHECK(json["mesh"]["materials"][0]["area"].get<double>() == Approx(24.0));
    CHECK(json["mesh"]["materials"][0]["area_in_room"].get<double>() == Approx(24.0).epsilon(0.001));
    CHECK(json["mesh"]["volume"].get<double>() == Approx(8.0).epsilon(0.001));
    const std::string notes = notes_of(json);
    CHECK(notes.find("absorb so much less") == std::string::npos);
    CHECK(notes.find(words) != std::string::npos);
    CHECK((notes.find("overlapping") != std::string::npos) == (area > 0.0));
  }
}
