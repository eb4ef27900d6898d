// --set: values that replace, add or remove those of the file, and problems reported at the override.
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

const std::string base = R"(schema = 1
simulation = { duration = 0.1, max_frequency = 500 }
[room]
box = [5, 4, 3]
walls.default = "wall"
[materials.wall]
branches = [{ E = 1 }, { E = 2 }]
[[source]]
name = "S1"
position = [1, 1, 1]
[[receiver]]
name = "R1"
position = [2, 2, 2]
[[receiver]]
name = "R2"
position = [2, 2, 1]
)";

ParsedScene with(std::vector<std::string> overrides) {
  return parse_scene(base, "hall.toml", {std::move(overrides), false});
}

Scene good(std::vector<std::string> overrides) {
  const ParsedScene parsed = with(std::move(overrides));
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem_text(problem, "hall.toml", base));
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

std::string message(std::vector<std::string> overrides) {
  const ParsedScene parsed = with(std::move(overrides));
  REQUIRE(parsed.problems.size() == 1);
  return problem_text(parsed.problems[0], "hall.toml", base);
}

bool begins(const std::string& text, const std::string& with) {
  UNSCOPED_INFO(text);
  return text.rfind(with, 0) == 0;
}

}  // namespace

TEST_CASE("an override replaces a value, adds a key, adds a table") {
  CHECK(good({"simulation.duration=0.25"}).simulation.duration == 0.25);
  CHECK(good({"room.box = [6, 5, 2.5]"}).room.box == std::array{6.0, 5.0, 2.5});
  CHECK(good({"simulation.courant=0.5"}).simulation.courant == 0.5);
  CHECK(good({"output.sample_rate=44100"}).output.sample_rate == 44100);
  CHECK(good({"materials.new.admittance=0.3", "room.walls.z_min='new'"}).room.walls[4] == "new");
  CHECK(good({"air={temperature=10, pressure=90}"}).air.pressure == 90);
}

TEST_CASE("overrides apply in turn and are kept with the scene") {
  const Scene scene = good({"simulation.duration=0.25", "simulation.duration=0.5"});
  CHECK(scene.simulation.duration == 0.5);
  CHECK(scene.overrides == std::vector<std::string>{"simulation.duration=0.25", "simulation.duration=0.5"});
}

TEST_CASE("elements of lists are addressed by number, points by name as well") {
  CHECK(good({"receiver.1.position=[1, 2, 3]"}).receivers[1].position == std::array{1.0, 2.0, 3.0});
  CHECK(good({"receiver.R2.position=[1, 2, 3]"}).receivers[1].position == std::array{1.0, 2.0, 3.0});
  CHECK(good({"room.box.2=2.5"}).room.box[2] == 2.5);
  CHECK(good({"materials.wall.branches.1.E=7"}).materials.at("wall").branches[1].E == 7);
  CHECK(good({"source.S1.name='main hall'", "source.\"main hall\".position.0=2"}).sources[0].position[0] == 2);
}

TEST_CASE("a name that is also another element's number is refused") {
  CHECK(begins(message({"receiver.R2.name='0'", "receiver.0.position=[1, 1, 1]"}),
               "--set receiver.0.position=[1, 1, 1]: \"0\" is both the name of element 1 and the number of another"));
}

TEST_CASE("a plain word needs no quotes") {
  CHECK(good({"simulation.stencil=leggy-2"}).simulation.stencil == "leggy-2");
  CHECK(good({"simulation.device=cuda:3"}).simulation.device == "cuda:3");
  CHECK(good({"output.format=pcm24"}).output.format == "pcm24");
  CHECK(good({"output.raw=true"}).output.raw);
}

TEST_CASE("an empty value takes the key away") {
  const Scene scene = good({"simulation.max_frequency=", "simulation.grid_spacing=0.1"});
  CHECK_FALSE(scene.simulation.max_frequency);
  CHECK(scene.simulation.grid_spacing == 0.1);
  CHECK(good({"receiver.R1="}).receivers.size() == 1);
  CHECK(begins(message({"simulation.courant="}), "--set simulation.courant=: there is no such key to remove"));
}

TEST_CASE("problems in overrides are reported at the override") {
  CHECK(message({"simulation.duration=-1"}) ==
        "--set simulation.duration=-1: simulation.duration: must be above 0 and up to 3600 s, not -1\n"
        "      | simulation.duration=-1\n"
        "      |                     ^~\n");
  CHECK(message({"receiver.R1.position=[9, 2, 1]"}) ==
        "--set receiver.R1.position=[9, 2, 1]: receiver.R1: position (9, 2, 1) is outside the room (5 x 4 x 3 m)\n"
        "      | receiver.R1.position=[9, 2, 1]\n"
        "      |                      ^~~~~~~~~\n"
        "  hint: the nearest point inside is (5, 2, 1), 4 m away\n");
  CHECK(begins(message({"simulation.duraton=1"}), "--set simulation.duraton=1: simulation: unknown key \"duraton\""));
  CHECK(begins(message({"room.walls.x_min=brick"}),
               "--set room.walls.x_min=brick: room.walls: there is no material \"brick\""));
  CHECK(begins(message({"room.box=[1, 2"}), "--set room.box=[1, 2: not TOML, in array"));
  CHECK(begins(message({"duration"}), "--set duration: needs a dotted key"));
  CHECK(begins(message({"=1"}), "--set =1: needs a dotted key"));
  CHECK(begins(message({""}), "--set : needs a dotted key"));
  CHECK(begins(message({"air.pressure=1\nair.temperature=2"}),
               "--set air.pressure=1\\nair.temperature=2: must be one line"));
  CHECK(begins(message({"receiver.R9.name='x'"}), "--set receiver.R9.name='x': receiver has no element \"R9\""));
  CHECK(begins(message({"receiver.2.name='x'"}), "--set receiver.2.name='x': receiver has no element \"2\""));
  CHECK(begins(message({"simulation.duration.x=1"}),
               "--set simulation.duration.x=1: simulation.duration is 0.1 and holds no keys"));
  CHECK(begins(message({"a=" + std::string(100000, '[')}), "--set a=[[["));
}

TEST_CASE("a value the file has wrong can be put right by an override") {
  const ParsedScene parsed =
      parse_scene(base + "[output]\nsample_rate = 1\n", "hall.toml", {{"output.sample_rate=48000"}, false});
  CHECK(parsed.problems.empty());
}

TEST_CASE("the file's problems come before those of overrides") {
  const ParsedScene parsed = parse_scene(base + "[outputs]\n", "hall.toml", {{"air.presure=1"}, false});
  REQUIRE(parsed.problems.size() == 2);
  CHECK(parsed.problems[0].place.line == 17);
  CHECK(parsed.problems[1].set == "air.presure=1");
}
