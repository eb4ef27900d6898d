// Parts of a scene that are seldom meant: each noted with its place, and none in a scene that is meant.
#include "scenes/input_remarks.hpp"

#include <string>
#include <vector>

#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/sample_rate.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// The small scene's band ends in the middle of an octave, which has a remark of its own.
std::vector<std::string> remarks_on(std::string text, const std::filesystem::path& file = "hall.toml") {
  if (text.find("max_frequency = 500\n") != text.npos)
    text = replaced(text, "max_frequency = 500\n", "max_frequency = 400\n");
  const ParsedScene parsed = parse_scene(text, file);
  INFO(all_messages(parsed, text));
  REQUIRE(parsed.problems.empty());
  return input_remarks(parsed.scene);
}

bool says(const std::vector<std::string>& remarks, const std::string& part) {
  return remarks.size() == 1 && remarks[0].find(part) != std::string::npos;
}

std::string at(const std::string& place) { return replaced(small, "position = [2, 2, 2]", "position = " + place); }

}  // namespace

TEST_CASE("input_remarks: a plain scene has none, a material that no wall has is named with its line") {
  CHECK(remarks_on(small).empty());
  CHECK(remarks_on(replaced(small, "default = \"wall\"", "default = \"wall\"\nfloor = \"carpet-heavy\"")).empty());
  const std::string more = small + "[materials.spare]\nrigid = true\n";
  CHECK(says(remarks_on(more), "no wall has the material \"spare\" (line 17)"));
  CHECK(says(remarks_on(more + "[materials.second]\nrigid = true\n"), "materials \"second\" (line 19), \"spare\""));
  CHECK(remarks_on(replaced(more, "default = \"wall\"", "default = \"wall\"\nfloor = \"spare\"")).empty());
}

TEST_CASE("input_remarks: sources and receivers within a millimetre of a wall lie on it") {
  CHECK(says(remarks_on(at("[5, 2, 2]")), "receiver on walls: R1 on x_max (wall)"));
  CHECK(says(remarks_on(at("[2, 2, 0.0005]")), "R1 on z_min (wall)"));
  CHECK(remarks_on(at("[2, 2, 0.002]")).empty());
  CHECK(says(remarks_on(replaced(small, "[1, 1, 1]", "[1, 0, 1]")), "source on walls: S1 on y_min (wall)"));
  const std::vector<std::string> both =
      remarks_on(at("[0, 2, 2]") + "[[receiver]]\nname = \"R2\"\nposition = [2, 4, 2]\n");
  CHECK(says(both, "receivers on walls: R1 on x_min (wall), R2 on y_max (wall)"));
  CHECK(says(both, "up to +6 dB; for"));
}

TEST_CASE("input_remarks: a place at an edge or in a corner names all its walls, and what they add") {
  const std::vector<std::string> edge = remarks_on(at("[0, 4, 2]")), corner = remarks_on(at("[0, 0, 3]"));
  CHECK(says(edge, "R1 on x_min (wall) and y_max (wall); "));
  CHECK(says(edge, "at an edge +12 dB; "));
  CHECK(says(corner, "R1 on x_min (wall) and y_min (wall) and z_max (wall); "));
  CHECK(says(corner, "in a corner +18 dB"));
}

TEST_CASE("input_remarks: a place on a surface of a mesh, inside the room, too") {
  const TemporaryFolder folder;
  std::string obj;
  for (int i = 0; i < 8; ++i)
    obj +=
        "v " + std::to_string(i % 2 * 5) + " " + std::to_string(i / 2 % 2 * 4) + " " + std::to_string(i / 4 * 3) + "\n";
  obj += "v 2 1 1\nv 4 1 1\nv 4 3 1\nv 2 3 1\n";
  obj += "usemtl wall\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\nusemtl table\nf 9 10 11 12\n";
  folder.write("room.obj", obj);
  const std::string scene = replaced(small, "box = [5, 4, 3]", "mesh = \"room.obj\"");
  const auto of = [&](const std::string& place) {
    return remarks_on(replaced(scene, "position = [2, 2, 2]", "position = " + place), folder / "hall.toml");
  };
  CHECK(of("[2, 2, 2]").empty());
  CHECK(says(of("[3, 2, 1]"), "R1 on table (wall)"));
  CHECK(says(of("[3.5, 2.5, 1.0009]"), "R1 on table (wall)"));
  CHECK(of("[3, 3.1, 1]").empty());  // beside its edge
  CHECK(says(of("[3, 4, 1.5]"), "R1 on wall;"));
  CHECK(says(of("[3, 4, 1.5]"), "up to +6 dB; "));
  CHECK(says(of("[3, 4, 0]"), "at an edge +12 dB; "));
  CHECK(says(of("[5, 4, 0]"), "in a corner +18 dB"));
}

TEST_CASE("input_remarks: two of one pattern at one place") {
  const std::string twice = small + "[[receiver]]\nname = \"R2\"\nposition = [2, 2, 2]\n";
  CHECK(says(remarks_on(twice), "receivers at one place: R2 at R1"));
  CHECK(remarks_on(twice + "pattern = \"figure-eight\"\ndirection = [1, 0, 0]\n").empty());
  const auto cardioids = [](const std::string& direction) {
    const std::string pattern = "pattern = \"cardioid\"\ndirection = ";
    return pattern + "[1, 0, 0]\n[[source]]\nname = \"S2\"\nposition = [1, 1, 1]\n" + pattern + direction + "\n";
  };
  const auto two_sources = [&](const std::string& direction) {
    return remarks_on(replaced(small, "position = [1, 1, 1]\n", "position = [1, 1, 1]\n" + cardioids(direction)));
  };
  CHECK(says(two_sources("[1, 0, 0]"), "sources at one place: S2 at S1"));
  CHECK(two_sources("[0, 1, 0]").empty());
  CHECK(
      says(remarks_on(small + "[[source]]\nname = \"S2\"\nposition = [1, 1, 1]\n"), "sources at one place: S2 at S1"));
}

TEST_CASE("input_remarks: a band beyond that of the files, and a box in millimetres") {
  const std::string slow = small + "[output]\nsample_rate = 8000\n";
  CHECK(remarks_on(replaced(slow, "max_frequency = 500", "max_frequency = 3800")).empty());
  const std::vector<std::string> beyond = remarks_on(replaced(slow, "max_frequency = 500", "max_frequency = 5000"));
  CHECK(says(beyond, "8000 Hz, holds sound up to 3810 Hz"));
  CHECK(says(beyond, "raise the one to 10500"));
  CHECK_FALSE(remarks_on(replaced(slow, "max_frequency = 500", "max_frequency = 3820")).empty());
  CHECK(highest_held(10500) >= 5000.0);

  CHECK(says(remarks_on(replaced(small, "box = [5, 4, 3]", "box = [5000, 4000, 3000]")),
             "are its numbers millimetres? They are metres: box = [5, 4, 3]"));
  CHECK(doubt_of_box({500, 400, 300}).find("centimetres") != std::string::npos);
  for (const std::array<double, 3>& sides :
       {std::array{5.0, 4.0, 3.0}, {299.0, 200.0, 250.0}, {1000.0, 4.0, 3.0}, {0.05, 0.05, 1.0}, {400.0, 20.0, 10.0}})
    CHECK(doubt_of_box(sides).empty());
}

TEST_CASE("input_remarks: a band that ends in the middle of an octave, with the octave's upper edge") {
  const auto to = [](const std::string& frequency) {
    return remarks_on(replaced(small, "max_frequency = 500", "max_frequency = " + frequency));
  };
  CHECK(says(to("1000"),
             "max_frequency, 1000 Hz, is the centre of the octave of 1 kHz: waves make its lower half; write 1420"));
  CHECK(says(to("500.0"), "octave of 500 Hz: waves make its lower half; write 710,"));
  CHECK(says(to("63"), "octave of 63 Hz: waves make its lower half; write 90,"));
  CHECK(says(to("62.5"), "octave of 63 Hz: waves make its lower half; write 90,"));
  CHECK(says(to("8000"), "octave of 8 kHz: waves make its lower half; write 11360,"));
  for (const char* meant : {"1420", "710", "999", "1001", "400", "1500"}) CHECK(to(meant).empty());
}
