// fdtd surface: the room as it is drawn, also where it cannot be planned.
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/small_room.hpp"

using namespace fdtd::test;

namespace {

// A box of 4 x 3 x 2 m without its lid; the triangle of the floor that is drawn last is turned over.
constexpr const char* no_lid =
    "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 0 0 2\nv 4 0 2\nv 4 3 2\nv 0 3 2\nusemtl walls\nf 1 2 6 5\nf 2 3 7 6\n"
    "f 3 4 8 7\nf 4 1 5 8\nusemtl floor\nf 3 2 1\nf 1 3 4\n";
constexpr const char* scene =
    "schema = 1\n[simulation]\nduration = 0.1\nmax_frequency = 300\n[room]\nmesh = \"lid.obj\"\n[room.walls]\n"
    "default = \"brick-painted\"\nfloor = \"carpet-heavy\"\n[[source]]\nname = \"S\"\nposition = [1, 1, 1]\n"
    "[[receiver]]\nname = \"R\"\nposition = [2, 2, 1]\n";

}  // namespace

TEST_CASE("a room that leaks is not planned, and has a surface with its open edges", "[cli]") {
  const TemporaryFolder folder;
  folder.write("lid.obj", no_lid);
  folder.write("lid.toml", scene);
  CHECK(run_fdtd({"plan", "lid.toml"}, folder.path()).status == 2);
  const auto document = json_of(run_fdtd({"surface", "lid.toml", "--json"}, folder.path()));
  CHECK(document["room"] == "mesh");
  REQUIRE(document["triangles"].size() == 10);
  REQUIRE(document["surfaces"].size() == 2);
  CHECK(document["surfaces"][1]["name"] == "floor");
  CHECK(document["surfaces"][1]["material"] == "carpet-heavy");
  CHECK(document["surfaces"][1]["area"].get<double>() == Approx(12.0));
  CHECK(document["surfaces"][0]["area"].get<double>() == Approx(28.0));
  CHECK(document["surface"] == nlohmann::json({0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  const auto& defects = document["defects"];
  REQUIRE(defects["open_edge_vertices"].size() == 4);
  std::set<double> heights;
  for (const auto& edge : defects["open_edge_vertices"])
    for (const auto& vertex : edge) heights.insert(document["vertices"][vertex.get<std::size_t>()][2].get<double>());
  CHECK(heights == std::set<double>{2.0});
  CHECK(defects["flipped_edge_vertices"].size() == defects["flipped_edges"]["count"].get<std::size_t>());
  CHECK(defects["flipped_edges"]["count"].get<int>() > 0);
  CHECK(document["remarks"].size() == 2);  // the default that stands for "walls", and the hole
}

TEST_CASE("the surface of a box has its six walls by name, and no plan is made", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto document = json_of(run_fdtd({"surface", "small.toml", "--set", "room.box=[400, 300, 200]", "--set",
                                          "simulation.max_frequency=20000", "--json"},
                                         folder.path()));
  CHECK(document["room"] == "box");
  REQUIRE(document["surfaces"].size() == 6);
  CHECK(document["surfaces"][0]["name"] == "x_min");
  CHECK(document["surfaces"][0]["area"].get<double>() == Approx(60'000.0));
  CHECK(document["surfaces"][5]["area"].get<double>() == Approx(120'000.0));
  CHECK(document.count("defects") == 0);
  const Outcome text = run_fdtd({"surface", "small.toml"}, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("z_max") != std::string::npos);
}
