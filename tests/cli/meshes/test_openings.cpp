// Openings narrower than a grid as a user meets them: what plans say of them, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"
#include "tests/support/rooms/room_with_trap.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;

namespace {

const CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, 0.3, {0.63, 0.52}, {0.73, 0.62}};

Outcome plan(const std::string& stencil, double spacing, bool receiver_behind) {
  const TemporaryFolder folder;
  SceneText text;
  text.simulation = fmt::format(
      "duration = 0.05\ngrid_spacing = {}\ngeometry_error = 10.0\ndispersion_error = 0.2\nstencil = \"{}\"\n", spacing,
      stencil);
  text.room = "mesh = \"room.obj\"\n";
  text.walls = "wall = \"w\"\n";
  text.materials = "[materials.w]\nadmittance = 0.02\n";
  text.source = "[0.6, 0.5, 0.4]";
  text.receiver = receiver_behind ? "[2.6, 0.9, 0.6]" : "[0.9, 1.1, 0.8]";
  folder.write("room.obj", as_obj(coupled_rooms(rooms)));
  folder.write("scene.toml", text_of(text));
  return run_fdtd({"plan", "scene.toml", "--json"}, folder.path());
}

std::string warnings(const Outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["warnings"].dump();
}

}  // namespace

TEST_CASE("where walls cut voxels an opening of a third of a voxel is open on every grid, and plans say to where",
          "[cli]") {
  for (const char* stencil : {"leggy-2", "compact-3", "box-222"}) {
    for (const double spacing : {0.37, 0.26}) {
      CAPTURE(stencil, spacing);
      const Outcome outcome = plan(stencil, spacing, true);
      const std::string said = warnings(outcome);
      const auto json = nlohmann::json::parse(outcome.out);
      const auto& mesh = json["mesh"];
      CHECK(mesh["openings_searched"] == true);
      REQUIRE(mesh["openings"].size() == 1);
      const auto& one = mesh["openings"][0];
      CHECK(std::abs(one["error"].get<double>()) < 1.0);
      CHECK(one["volume_behind"].get<double>() == Approx(1.4 * 1.5 * 1.3).epsilon(0.1));
      CHECK(one["position"][0].get<double>() == Approx(1.75).margin(0.15));
      const double limit = one["frequency"].get<double>();
      CHECK(limit > 40.0);
      CHECK(said.find("is closed") == std::string::npos);
      CHECK((said.find("holds up to") != std::string::npos) == (limit < json["max_frequency"].get<double>()));
    }
  }
}

TEST_CASE("a Helmholtz trap of about a voxel is kept, or its resonance is named as off or not simulated", "[cli]") {
  const RoomWithTrap large{{3.0, 2.4, 2.5}, {0.5, 0.45, 0.4}, {0.1, 0.1}, 0.1, {1.2, 1.1}},
      small{{3.0, 2.4, 2.5}, {0.25, 0.25, 0.25}, {0.08, 0.08}, 0.1, {1.2, 1.1}};
  int off = 0, closed = 0;
  for (const auto& [trap, spacing] :
       {std::pair{large, 0.24}, std::pair{large, 0.42}, std::pair{small, 0.24}, std::pair{small, 0.42}}) {
    CAPTURE(trap.cavity[0], spacing);
    const TemporaryFolder folder;
    SceneText text;
    text.simulation = fmt::format(
        "duration = 0.05\ngrid_spacing = {}\ngeometry_error = 10.0\n"
        "dispersion_error = 0.2\nstencil = \"leggy-2\"\n",
        spacing);
    text.room = "mesh = \"room.obj\"\n";
    text.walls = "wall = \"w\"\n";
    text.materials = "[materials.w]\nadmittance = 0.02\n";
    text.source = "[0.6, 0.5, 0.4]";
    text.receiver = "[0.9, 1.1, 0.8]";
    folder.write("room.obj", as_obj(room_with_trap(trap)));
    folder.write("scene.toml", text_of(text));
    const Outcome outcome = run_fdtd({"plan", "scene.toml", "--json"}, folder.path());
    const std::string said = warnings(outcome);
    const auto openings = nlohmann::json::parse(outcome.out)["mesh"]["openings"];
    REQUIRE(openings.size() == 1);
    const double formula = helmholtz_wave_number(trap) * 343.2 / (2.0 * std::acos(-1.0));
    CHECK(openings[0]["resonance"].get<double>() == Approx(formula).epsilon(0.15));
    CHECK(openings[0]["position"][0].get<double>() == Approx(3.05).margin(0.06));
    const auto& grid = openings[0]["resonance_on_grid"];
    const bool is_closed = grid.is_null();
    const bool is_off =
        !is_closed && std::abs(grid.get<double>() / openings[0]["resonance"].get<double>() - 1.0) > 0.05;
    CHECK((said.find("resonance near") != std::string::npos && said.find("is not simulated") != std::string::npos) ==
          is_closed);
    CHECK((said.find("behind it resonates near") != std::string::npos) == is_off);
    closed += is_closed ? 1 : 0;
    off += is_off ? 1 : 0;
  }
  CHECK(off > 0);
  CHECK(closed > 0);
}

TEST_CASE("two voxels behind a narrow opening levels are those of a fine grid up to the frequency that the plan states",
          "[cli]") {
  // R1 is on the line through the opening, whose nodes would reach into the other room, and nearer to it.
  const CoupledRooms large{2.6, 1.2, 2.2, 1.9, 0.3, {1.05, 0.95}, {1.15, 1.05}};
  const TemporaryFolder folder;
  folder.write("room.obj", as_obj(coupled_rooms(large)));
  const auto levels = [&](double spacing) {
    SceneText text;
    text.simulation = fmt::format("duration = 0.6\ngrid_spacing = {}\nstencil = \"leggy-2\"\n", spacing);
    text.room = "mesh = \"room.obj\"\n";
    text.walls = "wall = \"w\"\n";
    text.materials = "[materials.w]\nadmittance = 0.02\n";
    text.source = "[0.7, 0.6, 0.5]";
    text.receiver = "[3.4, 1.12, 1.02]";
    text.more = "[[receiver]]\nname = \"R2\"\nposition = [3.8, 0.4, 1.5]\n";
    folder.write("scene.toml", text_of(text));
    const Outcome outcome = run_fdtd({"run", "scene.toml", "--json", "--force", "-o", "out"}, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto fine = levels(0.05);
  int compared = 0;
  for (const double spacing : {0.19, 0.26, 0.34, 0.43}) {
    const auto coarse = levels(spacing);
    double limit = 1e9;
    for (const auto& one : coarse["plan"]["mesh"]["openings"]) limit = std::min(limit, one["frequency"].get<double>());
    for (const auto& [r, distance] : {std::pair{0, 0.5}, std::pair{1, 1.2}}) {
      if (distance < 2.0 * spacing) continue;
      const auto& bands = coarse["receivers"][r]["metrics"]["bands"];
      for (std::size_t i = 0; i < bands.size(); ++i) {
        const double centre = bands[i]["centre"];
        if (centre * std::sqrt(2.0) > limit || centre > 70.0) continue;
        CAPTURE(spacing, r, centre, limit);
        CHECK(std::abs(bands[i]["G"].get<double>() - fine["receivers"][r]["metrics"]["bands"][i]["G"].get<double>()) <
              2.0);
        ++compared;
      }
    }
  }
  CHECK(compared >= 6);
}

TEST_CASE("where voxels are whole a narrow opening is named, or the receiver behind it is refused with its place",
          "[cli]") {
  int refused = 0, named = 0;
  for (const double spacing : {0.3, 0.2, 0.07}) {
    CAPTURE(spacing);
    const Outcome outcome = plan("compact-3/iwb", spacing, true);
    INFO(outcome.err);
    if (outcome.status != 0) {
      ++refused;
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find("receiver.R1: position (2.6, 0.9, 0.6) is in") != std::string::npos);
      CHECK(outcome.err.find("behind an opening about") != std::string::npos);
      CHECK(outcome.err.find("near (1.7") != std::string::npos);
      CHECK(outcome.err.find("a grid_spacing of") != std::string::npos);
      const std::string said = warnings(plan("compact-3/iwb", spacing, false));
      CHECK(said.find("is closed on this grid") != std::string::npos);
    } else {
      ++named;
      const std::string said = warnings(outcome);
      CHECK(said.find("opening about") != std::string::npos);
      CHECK((said.find("through on this grid than in the mesh") != std::string::npos ||
             said.find("holds up to") != std::string::npos));
    }
  }
  CHECK(refused > 0);
  CHECK(named > 0);
}
