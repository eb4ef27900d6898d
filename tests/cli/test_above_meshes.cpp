// Black box: meshes that models have, and that they should not have, above the waves' band.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string scene = R"(schema = 1
[simulation]
duration = 0.1
max_frequency = 400
stencil = "leggy-2"
[above]
rays = 1000
image_order = 2
[room]
mesh = "room.obj"
units = "m"
up = "z"
[materials.plaster]
absorption = { bands = [125, 500, 2000], alpha = [0.3, 0.3, 0.3] }
[materials.felt]
absorption = { bands = [125, 500, 2000], alpha = [0.1, 0.5, 0.9] }
[[source]]
name = "S"
position = [0.8, 0.7, 1.1]
[[receiver]]
name = "R"
position = [2.2, 1.4, 0.9]
)";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string with_places(const std::string& source, const std::string& receiver) {
  std::string text = scene;
  text.replace(text.find("[0.8, 0.7, 1.1]"), 15, source);
  text.replace(text.find("[2.2, 1.4, 0.9]"), 15, receiver);
  return text;
}

// Faces by material, in the order in which they are added.
class Model {
 public:
  void box(const Place& low, const Place& high, bool inwards = true) {
    const auto& [x0, y0, z0] = low;
    const auto& [x1, y1, z1] = high;
    const std::array<std::array<Place, 4>, 6> walls = {{{{{x0, y0, z0}, {x0, y1, z0}, {x0, y1, z1}, {x0, y0, z1}}},
                                                        {{{x1, y0, z0}, {x1, y0, z1}, {x1, y1, z1}, {x1, y1, z0}}},
                                                        {{{x0, y0, z0}, {x0, y0, z1}, {x1, y0, z1}, {x1, y0, z0}}},
                                                        {{{x0, y1, z0}, {x1, y1, z0}, {x1, y1, z1}, {x0, y1, z1}}},
                                                        {{{x0, y0, z0}, {x1, y0, z0}, {x1, y1, z0}, {x0, y1, z0}}},
                                                        {{{x0, y0, z1}, {x0, y1, z1}, {x1, y1, z1}, {x1, y0, z1}}}}};
    for (const auto& [a, b, c, d] : walls) {
      face("plaster", inwards ? std::vector<Place>{a, b, c} : std::vector<Place>{c, b, a});
      face("plaster", inwards ? std::vector<Place>{a, c, d} : std::vector<Place>{d, c, a});
    }
  }
  void face(const std::string& material, const std::vector<Place>& corners) {
    faces_ += fmt::format("usemtl {}\nf", material);
    for (const Place& p : corners) {
      vertices_ += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p[0], p[1], p[2]);
      faces_ += fmt::format(" {}", ++count_);
    }
    faces_ += '\n';
  }
  std::string obj() const { return vertices_ + faces_; }

 private:
  std::string vertices_, faces_;
  int count_ = 0;
};

const Place far_corner = {3.0, 2.0, 2.2};

Model plain_room() {
  Model model;
  model.box({}, far_corner);
  return model;
}

struct Ran {
  Outcome outcome;
  std::string bytes;  // of the response
};

Ran run_model(const TemporaryFolder& folder, const Model& model, const std::string& text = scene) {
  folder.write("room.obj", model.obj());
  folder.write("room.toml", text);
  Ran ran{run_fdtd({"run", "room.toml", "-o", "out", "--force"}, folder.path()), ""};
  if (ran.outcome.status == 0) ran.bytes = read_file(folder.path() / "out/ir_R.wav");
  return ran;
}

// G in the octave of 4 kHz, dB.
double strength_of(const TemporaryFolder& folder) {
  const auto figures = json_of(run_fdtd({"metrics", "out/ir_R.wav", "--json"}, folder.path()));
  for (const auto& band : figures.at("bands"))
    if (band.at("centre") == 4000.0) return band.at("G").get<double>();
  FAIL("no octave of 4 kHz");
  return 0.0;
}

}  // namespace

TEST_CASE("faces without area, turned facets and walls drawn twice change no byte of a response", "[above][meshes]") {
  const TemporaryFolder folder;
  const Ran plain = run_model(folder, plain_room());
  INFO(plain.outcome.err);
  REQUIRE(plain.outcome.status == 0);
  CHECK(has(plain.outcome.out, " geometry\n"));

  Model flat = plain_room();
  flat.face("plaster", {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}});
  flat.face("plaster", {{0, 0, 0}, {1.5, 0, 0}, {3, 0, 0}});
  flat.face("plaster", {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  flat.face("plaster", {{1, 1, 1}, {1.5, 1, 1}, {2, 1, 1}});  // in the air
  CHECK(run_model(folder, flat).bytes == plain.bytes);

  Model outwards;
  outwards.box({}, far_corner, false);
  CHECK(run_model(folder, outwards).bytes == plain.bytes);

  Model twice = plain_room();
  twice.face("plaster", {{0, 0, 0}, {0, 2, 0}, {0, 2, 2.2}});
  twice.face("plaster", {{0, 2, 2.2}, {0, 0, 2.2}, {0, 0, 0}});
  twice.face("plaster", {{3, 0, 0}, {3, 2, 0}, {3, 0, 2.2}});  // divided by the other diagonal
  twice.face("plaster", {{3, 2, 0}, {3, 2, 2.2}, {3, 0, 2.2}});
  const Ran drawn = run_model(folder, twice);
  CHECK(drawn.bytes == plain.bytes);
  CHECK(has(drawn.outcome.err, "are drawn twice"));
}

TEST_CASE("where two materials lie on each other waves and rays have the first that faces the air", "[above][meshes]") {
  const TemporaryFolder folder;
  const Ran plain = run_model(folder, plain_room());
  REQUIRE(plain.outcome.status == 0);
  const std::vector<Place> one = {{0, 0, 0}, {0, 2, 0}, {0, 0, 2.2}}, two = {{0, 2, 0}, {0, 2, 2.2}, {0, 0, 2.2}};
  Model behind = plain_room();
  behind.face("felt", one);
  behind.face("felt", two);
  const Ran hidden = run_model(folder, behind);
  INFO(hidden.outcome.err);
  CHECK(hidden.bytes == plain.bytes);

  Model before;
  before.face("felt", one);
  before.face("felt", two);
  before.box({}, far_corner);
  const Ran seen = run_model(folder, before);
  REQUIRE(seen.outcome.status == 0);
  CHECK(seen.bytes != plain.bytes);
  const double felt_first = strength_of(folder);
  std::string felt = plain_room().obj();  // whose first wall, two faces, is of felt
  for (int i = 0; i < 2; ++i) felt.replace(felt.find("usemtl plaster"), 14, "usemtl felt");
  folder.write("room.obj", felt);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "out", "--force"}, folder.path()).status == 0);
  CHECK(strength_of(folder) == Approx(felt_first).margin(0.1));
}

TEST_CASE("sources and receivers on facets, and within a millimetre of them, have their sound", "[above][meshes]") {
  const TemporaryFolder folder;
  const auto strength = [&](const std::string& source, const std::string& receiver) {
    const Ran ran = run_model(folder, plain_room(), with_places(source, receiver));
    INFO(ran.outcome.err);
    REQUIRE(ran.outcome.status == 0);
    return strength_of(folder);
  };
  const double beside = strength("[0.002, 0.7, 1.1]", "[2.2, 1.4, 0.9]");
  for (const char* const source : {"[0.0, 0.7, 1.1]", "[0.0004, 0.7, 1.1]"})
    CHECK(strength(source, "[2.2, 1.4, 0.9]") == Approx(beside).margin(0.5));
  const double above = strength("[0.8, 0.7, 1.1]", "[2.2, 1.4, 0.002]");
  for (const char* const receiver : {"[2.2, 1.4, 0.0]", "[2.2, 1.4, 0.0006]"})
    CHECK(strength("[0.8, 0.7, 1.1]", receiver) == Approx(above).margin(0.5));
  const Ran corners = run_model(folder, plain_room(), with_places("[0.0, 0.0, 0.0]", "[3.0, 2.0, 2.2]"));
  CHECK(corners.outcome.status == 0);
  CHECK(has(corners.outcome.out, "rays: 1000 a source"));
}

TEST_CASE("places that no sound connects, and rooms that are open, are refused by name", "[above][meshes]") {
  const TemporaryFolder folder;
  Model two = plain_room();
  two.box({3.0, 0.0, 0.0}, {6.0, 2.0, 2.2});  // wall to wall
  const auto refused = [&](const Model& model, const std::string& source, const std::string& receiver,
                           const std::vector<std::string>& parts) {
    const Ran ran = run_model(folder, model, with_places(source, receiver));
    INFO(ran.outcome.err);
    CHECK(ran.outcome.status == 2);
    for (const std::string& part : parts) CHECK(has(ran.outcome.err, part));
  };
  refused(two, "[0.8, 0.7, 1.1]", "[5.0, 1.0, 1.0]", {"receiver.R: position (5, 1, 1) is in a closed part of space"});
  Model inner = plain_room();
  inner.box({1.4, 0.9, 1.0}, {1.43, 0.93, 1.03});
  refused(inner, "[1.415, 0.915, 1.015]", "[2.2, 1.4, 0.9]",
          {"source.S: position (1.415, 0.915, 1.015) is between surfaces too close for"});
  Model open;
  for (const auto& corners : std::vector<std::vector<Place>>{{{0, 0, 0}, {3, 0, 0}, {3, 2, 0}, {0, 2, 0}},
                                                             {{0, 0, 0}, {0, 0, 2.2}, {3, 0, 2.2}, {3, 0, 0}},
                                                             {{0, 2, 0}, {3, 2, 0}, {3, 2, 2.2}, {0, 2, 2.2}},
                                                             {{0, 0, 0}, {0, 2, 0}, {0, 2, 2.2}, {0, 0, 2.2}},
                                                             {{3, 0, 0}, {3, 0, 2.2}, {3, 2, 2.2}, {3, 2, 0}}})
    open.face("plaster", corners);
  refused(open, "[0.8, 0.7, 1.1]", "[2.2, 1.4, 0.9]",
          {"the room leaks: from source S", "near (", "close it in the mesh"});
}

TEST_CASE("a plan says how much walls scatter above the waves' band", "[above][meshes]") {
  const TemporaryFolder folder;
  Model model = plain_room();
  model.face("felt", {{1, 0.5, 0.7}, {2.4, 0.5, 0.7}, {2.4, 1.3, 0.7}, {1, 1.3, 0.7}});  // a table of 1.4 x 0.8 m
  folder.write("room.obj", model.obj());
  folder.write("room.toml", scene);
  const std::vector<std::string> rough = {"--set", "materials.plaster.scattering=0.2"};
  const auto plan = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"plan", "room.toml"});
    return run_fdtd(words, folder.path());
  };
  CHECK(has(plan({}).out, "free edges 4.4 m; scattered at 1000 Hz: felt 90 %, others none"));
  CHECK(has(plan(rough).out, "scattered at 1000 Hz: felt 90 %, plaster 20 %"));
  const auto json = json_of(plan({"--json"}));
  REQUIRE(json.at("scattering").size() == 2);
  for (const auto& wall : json.at("scattering")) {
    const bool felt = wall.at("material") == "felt";
    CHECK(wall.at("free_edges").get<double>() == Approx(felt ? 4.4 : 0.0).margin(1e-6));
    const auto octaves = json.at("above").at("octaves").get<std::vector<double>>();
    REQUIRE(wall.at("scattered").size() == octaves.size());
    for (std::size_t i = 0; i < octaves.size(); ++i)
      CHECK(wall.at("scattered")[i].get<double>() ==
            Approx(felt ? std::min(0.9, 343.2 / octaves[i] * 4.4 / 1.12) : 0.0).margin(0.002));
  }
  CHECK_FALSE(has(plan({"--set", "above.method=none"}).out, "free edges"));
}

TEST_CASE("the memory that a plan prints has a mesh of 1e5 triangles and its receivers", "[above][meshes]") {
  if (sanitized) return;
  constexpr int along = 223;
  std::string obj;
  for (int i = 0; i <= along; ++i)
    for (int j = 0; j <= along; ++j)
      obj += fmt::format("v {:.5f} {:.5f} {:.5f}\n", 3.0 * i / along, 2.0 * j / along,
                         i % along == 0 || j % along == 0 ? 2.2 : 2.2 - 0.01 * ((7 * i + 11 * j + i * j) % 13) / 13.0);
  const auto number = [](int i, int j) { return i * (along + 1) + j + 1; };
  obj += "usemtl plaster\n";
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < along; ++j)
      obj += fmt::format("f {0} {1} {2}\nf {0} {3} {1}\n", number(i, j), number(i + 1, j + 1), number(i + 1, j),
                         number(i, j + 1));
  const int base = (along + 1) * (along + 1);
  obj += "v 0 0 0\nv 3 0 0\nv 3 2 0\nv 0 2 0\n";
  obj += fmt::format("f {} {} {} {}\n", base + 1, base + 2, base + 3, base + 4);
  obj += fmt::format("f {} {} {} {}\n", base + 1, number(0, 0), number(along, 0), base + 2);
  obj += fmt::format("f {} {} {} {}\n", base + 2, number(along, 0), number(along, along), base + 3);
  obj += fmt::format("f {} {} {} {}\n", base + 3, number(along, along), number(0, along), base + 4);
  obj += fmt::format("f {} {} {} {}\n", base + 4, number(0, along), number(0, 0), base + 1);
  const TemporaryFolder folder;
  folder.write("room.obj", obj);
  std::string text = scene;
  text.replace(text.find("duration = 0.1"), 14, "duration = 0.03");
  text.replace(text.find("position = [2.2, 1.4, 0.9]"), 26,
               "grid = { from = [0.3, 0.3, 0.4], to = [2.7, 1.7, 1.8], count = [10, 10, 5] }");
  folder.write("room.toml", text);
  const auto plan = json_of(run_fdtd({"plan", "room.toml", "--json", "--threads", "1"}, folder.path()));
  const auto predicted = plan["memory_bytes"].get<std::int64_t>();
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out", "--quiet", "--threads", "1"}, folder.path());
  INFO(run.err << predicted << " predicted, " << run.peak_bytes << " taken, " << run.seconds << " s");
  REQUIRE(run.status == 0);
  CHECK(run.peak_bytes < predicted);
  CHECK(predicted < 2 * run.peak_bytes);
  CHECK(run.seconds < 60.0);
  CHECK(plan["memory"]["mesh"].get<std::int64_t>() > 30'000'000);
}
