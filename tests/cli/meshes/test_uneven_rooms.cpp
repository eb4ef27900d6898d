// Rooms whose pairs of walls absorb unlike: what `estimate` marks, that `plan` expects the same, and that duration =
// "auto" holds T30.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
using nlohmann::json;

namespace {

struct UnevenRoom {
  std::array<double, 3> sides;
  std::array<double, 3> alpha;  // of the pairs of walls along x, y and z
};

std::string scene_of(const UnevenRoom& room, const std::string& simulation) {
  std::string text = fmt::format("schema = 1\n[simulation]\n{}\n[room]\nbox = [{}, {}, {}]\n[room.walls]\n", simulation,
                                 room.sides[0], room.sides[1], room.sides[2]);
  for (std::size_t d = 0; d < 3; ++d) text += fmt::format("{0}_min = \"m{0}\"\n{0}_max = \"m{0}\"\n", "xyz"[d]);
  for (std::size_t d = 0; d < 3; ++d)
    text +=
        fmt::format("[materials.m{0}]\nabsorption = {{ bands = [63, 125, 250, 500], alpha = [{1}, {1}, {1}, {1}] }}\n",
                    "xyz"[d], room.alpha[d]);
  text += fmt::format("[[source]]\nname = \"S\"\nposition = [{}, {}, {}]\n", 0.21 * room.sides[0], 0.3 * room.sides[1],
                      0.37 * room.sides[2]);
  const std::vector<std::array<double, 3>> places = {{0.8, 0.7, 0.6}, {0.45, 0.2, 0.8}, {0.6, 0.9, 0.3}};
  for (std::size_t r = 0; r < places.size(); ++r)
    text += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", r, places[r][0] * room.sides[0],
                        places[r][1] * room.sides[1], places[r][2] * room.sides[2]);
  return text;
}

bool marked(const json& band) {
  const auto& limits = band["limits"];
  return std::find(limits.begin(), limits.end(), "uneven") != limits.end();
}

// An OBJ text of a prism over a polygon; floor, ceiling and walls are materials.
std::string prism(const std::vector<std::array<double, 2>>& corners, double height,
                  const std::vector<std::vector<std::size_t>>& floor) {
  std::string text;
  const std::size_t n = corners.size();
  for (const double z : {0.0, height})
    for (const auto& [x, y] : corners) text += fmt::format("v {} {} {}\n", x, y, z);
  for (const bool top : {false, true}) {
    text += top ? "usemtl ceiling\n" : "usemtl floor\n";
    for (const auto& face : floor) {
      text += "f";
      for (const std::size_t i : face) text += fmt::format(" {}", i + 1 + (top ? n : 0));
      text += "\n";
    }
  }
  text += "usemtl side\n";
  for (std::size_t i = 0; i < n; ++i)
    text += fmt::format("f {} {} {} {}\n", i + 1, (i + 1) % n + 1, (i + 1) % n + 1 + n, i + 1 + n);
  return text;
}

const std::string mesh_scene = R"(schema = 1
[simulation]
duration = "auto"
max_frequency = 420
stencil = "leggy-2"
[room]
mesh = "room.obj"
[materials.floor]
absorption = { bands = [63, 125, 250, 500], alpha = [0.3, 0.3, 0.3, 0.3] }
[materials.ceiling]
absorption = { bands = [63, 125, 250, 500], alpha = [0.45, 0.45, 0.45, 0.45] }
[materials.side]
absorption = { bands = [63, 125, 250, 500], alpha = [0.04, 0.04, 0.04, 0.04] }
[[source]]
name = "S"
position = [1.1, 1.2, 1.5]
[[receiver]]
name = "R"
position = [3.7, 1.4, 1.2]
)";

}  // namespace

TEST_CASE("absorption on one or two of three pairs of walls is marked, equal absorption of a cube is not", "[cli]") {
  const TemporaryFolder folder;
  struct Row {
    UnevenRoom room;
    bool uneven;
  };
  for (const auto& [room, uneven] :
       {Row{{{7.2, 8.1, 3.8}, {0.03, 0.03, 0.4}}, true}, Row{{{5.0, 6.0, 3.5}, {0.4, 0.03, 0.03}}, true},
        Row{{{12.0, 11.0, 2.4}, {0.1, 0.1, 0.4}}, true}, Row{{{25.0, 2.5, 2.5}, {0.1, 0.3, 0.05}}, true},
        Row{{{8.0, 8.4, 7.7}, {0.02, 0.02, 0.02}}, false}}) {
    folder.write("room.toml", scene_of(room, "duration = 1.0\nmax_frequency = 400.0"));
    const json found = json_of(run_fdtd({"estimate", "room.toml", "--cells", "1000", "--json"}, folder.path()));
    for (const json& band : found["bands"]) {
      if (band["centre"] < 200.0 || band["centre"] > 600.0) continue;
      CAPTURE(room.sides[0], double(band["centre"]), double(band["T30_smooth"]), double(band["T30_scatter"]));
      CHECK(marked(band) == uneven);
    }
    const Outcome text = run_fdtd({"estimate", "room.toml", "--cells", "1000"}, folder.path());
    if (uneven) CHECK(text.out.find("uneven (") != text.out.npos);
    CHECK(text.out.find("mx, my, mz is stated from 63 to 500 Hz: 1000, 2000, 4000, 8000 Hz repeat") != text.out.npos);
  }
}

TEST_CASE("plan expects what estimate says, at 63 Hz too", "[cli]") {
  const TemporaryFolder folder;
  std::string below = scene_of({{7.2, 8.1, 3.8}, {0.02, 0.02, 0.4}}, "duration = 1.0\nmax_frequency = 355");
  for (std::string::size_type at; (at = below.find("[63, 125, 250, 500]")) != below.npos;)
    below.replace(at, 19, "[125, 250, 500, 1000]");  // 63 Hz lies below the tables
  // A law that is fitted to rising coefficients may fall below the lowest.
  const std::string flat = "[0.4, 0.4, 0.4, 0.4]";
  below.replace(below.find(flat), flat.size(), "[0.16, 0.24, 0.56, 0.69]");
  folder.write("room.toml", below);
  folder.write("mesh.toml", mesh_scene);
  folder.write("room.obj", prism({{0, 0}, {6, 0}, {6, 3}, {3, 3}, {3, 5}, {0, 5}}, 2.8, {{0, 1, 2, 3}, {0, 3, 4, 5}}));
  for (const char* scene : {"room.toml", "mesh.toml"}) {
    const json estimated = json_of(run_fdtd({"estimate", scene, "--cells", "8000", "--json"}, folder.path()));
    const json planned = json_of(run_fdtd({"plan", scene, "--json"}, folder.path()));
    REQUIRE(planned["reverberation"].size() == 8);
    for (std::size_t b = 0; b < 8; ++b) {
      CAPTURE(scene, b);
      CHECK(double(planned["reverberation"][b]["seconds"]) ==
            Approx(double(estimated["bands"][b]["T30"])).epsilon(0.02));
      CHECK(double(planned["reverberation"][b]["eyring"]) ==
            Approx(double(estimated["bands"][b]["eyring"])).epsilon(0.06));
    }
  }
}

TEST_CASE("a box as a mesh has the decay of the box, an L-shaped room is marked with both times", "[cli]") {
  const TemporaryFolder folder;
  folder.write("mesh.toml", mesh_scene);
  folder.write("room.obj", prism({{0, 0}, {5.3, 0}, {5.3, 4.1}, {0, 4.1}}, 2.8, {{0, 1, 2, 3}}));
  const auto estimate_of = [&](const char* scene) {
    return json_of(run_fdtd({"estimate", scene, "--cells", "2000", "--json"}, folder.path()));
  };
  const json mesh = estimate_of("mesh.toml");
  std::string box = mesh_scene;
  box.replace(box.find("mesh = \"room.obj\""), 17,
              "box = [5.3, 4.1, 2.8]\nwalls = { floor = \"floor\", ceiling = \"ceiling\", default = \"side\" }\n");
  folder.write("box.toml", box);
  const json same = estimate_of("box.toml");
  for (std::size_t b = 0; b < 8; ++b)
    CHECK(double(mesh["bands"][b]["T30"]) == Approx(double(same["bands"][b]["T30"])).epsilon(0.03));
  folder.write("room.obj", prism({{0, 0}, {6, 0}, {6, 3}, {3, 3}, {3, 5}, {0, 5}}, 2.8, {{0, 1, 2, 3}, {0, 3, 4, 5}}));
  const json ell = estimate_of("mesh.toml");
  CHECK(marked(ell["bands"][2]));
  CHECK(double(ell["bands"][2]["T30"]) == double(ell["bands"][2]["T30_scatter"]));
}

TEST_CASE("duration = \"auto\" holds T30 in every octave from 63 Hz on, in uneven boxes and an L-shaped room",
          "[cli]") {
  const TemporaryFolder folder;
  double T30_at_250 = 0.0;  // mean over places of the last room
  const auto check = [&](const char* scene) {
    T30_at_250 = 0.0;
    const json ran = json_of(run_fdtd({"run", scene, "-o", "made", "--force", "--json"}, folder.path()));
    // Responses as long as Eyring's formula asks for hold T30 at most places, too: the length itself is checked.
    const json found = json_of(run_fdtd({"estimate", scene, "--cells", "3000", "--json"}, folder.path()));
    for (const json& band : found["bands"])
      if (band["centre"] > 60.0 && band["centre"] < 300.0)
        CHECK(double(ran["plan"]["duration"]) > 1.2 * double(band["T30_smooth"]));
    for (const json& pair : ran["receivers"])
      for (const json& band : pair["metrics"]["bands"]) {
        if (!(band["centre"] >= 60.0)) continue;
        CAPTURE(scene, double(band["centre"]), double(ran["plan"]["duration"]));
        REQUIRE_FALSE(band["T30"].is_null());
        if (band["centre"] == 250.0) T30_at_250 += double(band["T30"]) / static_cast<double>(ran["receivers"].size());
      }
  };
  const std::string simulation = "duration = \"auto\"\nmax_frequency = 355\nstencil = \"leggy-2\"";
  for (const UnevenRoom& room :
       {UnevenRoom{{4.7, 5.9, 2.7}, {0.03, 0.04, 0.45}}, UnevenRoom{{3.6, 4.4, 3.1}, {0.5, 0.5, 0.05}},
        UnevenRoom{{7.9, 2.6, 2.5}, {0.3, 0.06, 0.1}}}) {
    folder.write("room.toml", scene_of(room, simulation));
    check("room.toml");
  }
  folder.write("mesh.toml", mesh_scene + "[above]\nmethod = \"none\"\n");  // the decay of waves is judged
  folder.write("room.obj", prism({{0, 0}, {6, 0}, {6, 3}, {3, 3}, {3, 5}, {0, 5}}, 2.8, {{0, 1, 2, 3}, {0, 3, 4, 5}}));
  check("mesh.toml");
  // The L-shaped room, empty as it is, decays as its box of mean chords does.
  const json ell = json_of(run_fdtd({"estimate", "mesh.toml", "--cells", "1000", "--json"}, folder.path()));
  CHECK(T30_at_250 == Approx(double(ell["bands"][2]["T30_smooth"])).epsilon(0.2));
  CHECK(T30_at_250 > 1.2 * double(ell["bands"][2]["T30_scatter"]));
  const json planned = json_of(run_fdtd({"plan", "mesh.toml", "--json"}, folder.path()));
  for (std::size_t b = 0; b < 3; ++b)
    CHECK(double(planned["duration"]) >= 1.25 * 0.97 * double(ell["bands"][b]["T30_smooth"]));
}
