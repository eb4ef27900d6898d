// The grid of a plan reaches max_frequency: in boxes and meshes, with any stencil, and the spacings that it states as
// needed are those of the grid that it made. Where no grid can, that is a note with the key to change, or an error.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/session/choices.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

// A room as text: what comes after `room = ` in the scene, and where a source and a receiver stand.
struct RoomOfSweep {
  std::string name, room, source, receiver;
  SceneText text(const std::string& simulation, const std::string& material) const {
    SceneText scene;
    scene.simulation = "duration = 0.05\n" + simulation + "\n";
    scene.room = room + "\n[room.walls]\ndefault = \"panel\"\n";
    scene.walls = "";
    scene.materials = "[materials.panel]\n" + material + "\n";
    scene.source = source;
    scene.receiver = receiver;
    return scene;
  }
};

// Boxes of several proportions, flat and long ones too, each as `box` and as a mesh; and a turned one.
std::vector<RoomOfSweep> rooms_of_sweep(const TemporaryFolder& folder) {
  const std::vector<std::array<double, 3>> boxes = {
      {5.0, 4.0, 3.0}, {3.1, 2.3, 2.2}, {12.0, 9.0, 4.5}, {14.0, 2.0, 2.6}, {7.3, 6.1, 1.9}};
  std::vector<RoomOfSweep> rooms;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto& [x, y, z] = boxes[i];
    const std::string source = in_brackets({0.31 * x, 0.27 * y, 0.4 * z}),
                      receiver = in_brackets({0.63 * x, 0.57 * y, 0.52 * z});
    rooms.push_back({fmt::format("box {}", i), "box = " + in_brackets(boxes[i]), source, receiver});
    folder.write(fmt::format("{}.obj", i), as_bare_obj(box_mesh({0, 0, 0}, boxes[i])));
    rooms.push_back({fmt::format("mesh {}", i), fmt::format("mesh = \"{}.obj\"", i), source, receiver});
  }
  const Turn turn = turned(17.0, 0.0);
  folder.write("turned.obj", as_bare_obj(box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turn)));
  rooms.push_back(
      {"turned", "mesh = \"turned.obj\"", in_brackets(turn({1.2, 1.0, 1.1})), in_brackets(turn({3.3, 2.4, 1.5}))});
  return rooms;
}

// A hall of 10 x 8 m under a pitched roof, 9 m at the eaves and 10 at the ridge, beside one of 9.1 x 8 x 3 m, with a
// stage that stands across the grid.
std::string pitched_hall() {
  std::string text;
  int vertices = 0;
  const auto face = [&](const std::vector<std::array<double, 3>>& corners) {
    for (const auto& v : corners) text += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
    text += "f";
    for (std::size_t i = 1; i <= corners.size(); ++i) text += fmt::format(" {}", vertices + static_cast<int>(i));
    text += "\n";
    vertices += static_cast<int>(corners.size());
  };
  face({{0, 0, 0}, {10, 0, 0}, {10, 8, 0}, {0, 8, 0}});
  face({{0, 0, 0}, {0, 0, 9}, {10, 0, 9}, {10, 0, 0}});
  face({{0, 8, 0}, {10, 8, 0}, {10, 8, 9}, {0, 8, 9}});
  face({{0, 0, 9}, {0, 4, 10}, {10, 4, 10}, {10, 0, 9}});
  face({{0, 4, 10}, {0, 8, 9}, {10, 8, 9}, {10, 4, 10}});
  face({{0, 0, 0}, {0, 8, 0}, {0, 8, 9}, {0, 4, 10}, {0, 0, 9}});
  face({{10, 0, 3}, {10, 0, 9}, {10, 4, 10}, {10, 8, 9}, {10, 8, 3}});
  face({{10, 0, 0}, {19.1, 0, 0}, {19.1, 8, 0}, {10, 8, 0}});
  face({{10, 0, 3}, {10, 8, 3}, {19.1, 8, 3}, {19.1, 0, 3}});
  face({{10, 0, 0}, {10, 0, 3}, {19.1, 0, 3}, {19.1, 0, 0}});
  face({{10, 8, 0}, {19.1, 8, 0}, {19.1, 8, 3}, {10, 8, 3}});
  face({{19.1, 0, 0}, {19.1, 0, 3}, {19.1, 8, 3}, {19.1, 8, 0}});
  const std::vector<std::array<double, 2>> stage = {{4.65, 3.95}, {5.47, 2.53}, {3.17, 1.2}, {2.35, 2.62}};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto &a = stage[i], &b = stage[(i + 1) % 4];
    face({{a[0], a[1], 0}, {a[0], a[1], 1}, {b[0], b[1], 1}, {b[0], b[1], 0}});
  }
  face({{4.65, 3.95, 1}, {5.47, 2.53, 1}, {3.17, 1.2, 1}, {2.35, 2.62, 1}});
  return text;
}

Scene scene_of(const SceneText& text, const TemporaryFolder& folder) {
  const ParsedScene parsed = parse_scene(text_of(text), folder.path() / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

bool has_band_note(const PlanResult& planned) {
  return std::ranges::any_of(planned.choice.warnings, [](const Note& note) { return note.weight == NoteWeight::band; });
}

// The promises of every plan for a max_frequency. True: it reaches it.
bool check_plan(const PlanResult& planned) {
  const GridChoice& choice = planned.choice;
  const double coarsest = *std::ranges::max_element(choice.grid.spacing);
  bool all_obeyed = choice.walls_hold;
  for (const SpacingNeed& need : choice.needs) {
    CAPTURE(need.what, need.spacing, coarsest);
    all_obeyed = all_obeyed && need.obeyed;
    if (need.obeyed) CHECK(coarsest <= need.spacing * (1.0 + 1e-9));
  }
  const bool reaches = planned.valid.frequency >= choice.max_frequency * (1.0 - 1e-6);
  CAPTURE(planned.valid.frequency, planned.valid.limited_by);
  if (all_obeyed) CHECK(reaches);
  if (!reaches) CHECK(has_band_note(planned));
  return reaches;
}

}  // namespace

TEST_CASE("a plan's band reaches max_frequency in boxes and meshes, and its grid is no coarser than what it states") {
  const TemporaryFolder folder;
  const std::vector<std::string> stencils = {"leggy-1/taylor",    "leggy-2/opt1",   "leggy-4/warp1", "compact-3/opt1",
                                             "compact-4/radial1", "compact-5/opt1", "box-222/opt1"};
  const std::vector<double> frequencies = {125.0, 180.0, 355.0};
  const std::vector<std::string> materials = {"admittance = 0.02", "library = \"carpet-heavy\"", "admittance = 0.4"};
  std::size_t turn = 0, reached = 0, plans = 0;
  for (const RoomOfSweep& room : rooms_of_sweep(folder))
    for (const double frequency : frequencies) {
      // Every stencil in every room, at frequencies and with materials in turn.
      for (std::size_t s = turn % 4; s < stencils.size(); s += 4) {
        const std::string& material = materials[(turn + s) % materials.size()];
        INFO(room.name << ", " << frequency << " Hz, " << stencils[s] << ", " << material);
        const std::string simulation = fmt::format("max_frequency = {}\nstencil = \"{}\"", frequency, stencils[s]);
        const Scene scene = scene_of(room.text(simulation, material), folder);
        ++plans;
        reached += check_plan(make_plan(scene, *find_stencil(stencils[s]))) ? 1 : 0;
      }
      ++turn;
    }
  CAPTURE(reached, plans);
  CHECK(reached == plans);
}

TEST_CASE("auto plans a band that reaches max_frequency") {
  const TemporaryFolder folder;
  const std::vector<RoomOfSweep> rooms = rooms_of_sweep(folder);
  for (const auto& [number, frequency] : {std::pair{1, 355.0}, {3, 125.0}, {10, 250.0}}) {
    const RoomOfSweep& room = rooms[static_cast<std::size_t>(number)];
    INFO(room.name << ", " << frequency << " Hz");
    Scene scene = scene_of(
        room.text(fmt::format("max_frequency = {}\nstencil = \"auto\"", frequency), "admittance = 0.02"), folder);
    StencilChoice chosen = choose_stencil(scene, DeviceClass::cpu_avx2);
    CHECK(check_plan(plan_for({}, DeviceClass::cpu_avx2, scene, chosen)));
  }
}

TEST_CASE(
    "where the grid that was made shows that the cheapest stencil falls short, \"auto\" takes another and says so") {
  // A pitched roof: whole voxels of a metre have far more wall than was estimated on finer ones.
  const TemporaryFolder folder;
  folder.write("hall.obj", pitched_hall());
  const RoomOfSweep hall{"hall", "mesh = \"hall.obj\"", "[4.1, 5.2, 1.5]", "[8, 6, 1.5]"};
  Scene scene = scene_of(hall.text("max_frequency = 125.0\nstencil = \"auto\"", "admittance = 0.02"), folder);
  StencilChoice chosen = choose_stencil(scene, DeviceClass::cpu_avx512);
  const std::string first = chosen.stencil.name;
  const PlanResult planned = plan_for({}, DeviceClass::cpu_avx512, scene, chosen);
  CHECK(planned.valid.frequency == 125.0);
  const bool stated = std::ranges::any_of(
      chosen.remarks, [&](const std::string& one) { return one.find("left out " + first) != one.npos; });
  CHECK(stated == (chosen.stencil.name != first));
}

TEST_CASE("a grid that is given, and leaves no octave, is refused with the key to change") {
  const TemporaryFolder folder;
  const RoomOfSweep room = rooms_of_sweep(folder).back();
  const Scene coarse = scene_of(room.text("grid_spacing = 1.6", "admittance = 0.02"), folder);
  try {
    (void)make_plan(coarse, *find_stencil("compact-9/radial1"));
    FAIL("a plan without a band");
  } catch (const Error& error) {
    CHECK(error.status == Status::scene);
    CHECK(std::string(error.what()).find("the band is empty") != std::string::npos);
    CHECK(error.remedy.find("simulation.grid_spacing") != std::string::npos);
  }
}

}  // namespace fdtd::test
