#include "scenes/toml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <locale>
#include <set>

#include "scenes/toml/keys.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

// Every key of scene version 1; no value is its default.
const std::string full = R"(schema = 1
[simulation]
duration = 0.7
max_frequency = 900.0
dispersion_error = 0.01
wall_error = 0.05
courant = 0.4
stencil = "leggy-3"
precision = "f64"
remove_time_dispersion = true
device = "cuda:1"
[air]
temperature = 15
relative_humidity = 40.0
pressure = 95.0
absorption = false
sound_speed = 340.0
[room]
box = [6, 5.5, 3.25]
[room.walls]
default = "plaster"
x_min = "carpet"
x_max = "panel"
y_min = "rigid"
y_max = "plaster"
z_min = "carpet"
z_max = "panel"
[materials.plaster]
absorption = { bands = [125, 250, 500], alpha = [0.1, 0.06, 0] }
[materials.carpet]
admittance = 0.05
[materials.panel]
branches = [{ D = 1e-3, E = 0.8, F = 120.0 }, { E = 2 }]
[materials.rigid]
rigid = true
[[source]]
name = "S1"
position = [2.0, 3.0, 1.5]
signal = "speech.wav"
[[receiver]]
name = "R1"
position = [5.5, 5.0, 1.2]
[[receiver]]
name = "Sitz \u00e4"
position = [0, 0, 0]
[output]
sample_rate = 44100
format = "pcm24"
low_cut = 0
raw = true
snapshots = [{ plane = "z", position = 1, every = 0.25, begin = 0.125 }, { plane = "volume", every = 0.5 }]
)";

void close_to_default(const Scene& scene) {
  CHECK(scene.simulation.dispersion_error == 0.02);
  CHECK(scene.simulation.wall_error == 0.1);
  CHECK_FALSE(scene.simulation.courant);
  CHECK_FALSE(scene.simulation.grid_spacing);
  CHECK_FALSE(scene.simulation.remove_time_dispersion);
  CHECK(scene.simulation.stencil == "auto");
  CHECK(scene.simulation.precision == Precision::f32);
  CHECK(scene.simulation.device == "auto");
  CHECK(scene.air.speed() == Approx(343.2).margin(0.05));
  CHECK(scene.output.sample_rate == 48000);
  CHECK(scene.output.format == "float");
  CHECK(scene.output.low_cut == 20.0);
  CHECK_FALSE(scene.output.raw);
  CHECK(scene.sources.at(0).signal == "impulse");
}

}  // namespace

TEST_CASE("every key reaches the scene") {
  const test::TemporaryFolder folder;
  const fs::path wav = folder.write("speech.wav", "RIFF");
  const ParsedScene parsed = load_scene(folder.write("hall.toml", full));
  INFO(all_messages(parsed, full));
  REQUIRE(parsed.problems.empty());
  const Scene& scene = parsed.scene;
  CHECK(scene.file == folder.path() / "hall.toml");
  CHECK(scene.text == full);
  const Simulation& simulation = scene.simulation;
  CHECK(simulation.duration == 0.7);
  CHECK(simulation.max_frequency == 900.0);
  CHECK(simulation.dispersion_error == 0.01);
  CHECK(simulation.wall_error == 0.05);
  CHECK(simulation.courant == 0.4);
  CHECK(simulation.stencil == "leggy-3");
  CHECK(simulation.stencil_place.line == 8);
  CHECK(simulation.stencil_place.column == 11);
  CHECK(simulation.courant_place.line == 7);
  CHECK(simulation.precision == Precision::f64);
  CHECK(simulation.remove_time_dispersion == true);
  CHECK(simulation.device == "cuda:1");
  CHECK(simulation.device_place.line == 11);
  CHECK(scene.air.temperature == 15);
  CHECK(scene.air.relative_humidity == 40);
  CHECK(scene.air.pressure == 95);
  CHECK_FALSE(scene.air.absorption);
  CHECK(scene.air.speed() == 340);
  CHECK(scene.room.box == std::array{6.0, 5.5, 3.25});
  CHECK(scene.room.walls == std::array<std::string, 6>{"carpet", "panel", "rigid", "plaster", "carpet", "panel"});
  CHECK(scene.room.wall_places[1].line == 23);
  const Material& plaster = scene.materials.at("plaster");
  CHECK(plaster.kind == Material::Kind::absorption);
  CHECK(plaster.name == "plaster");
  CHECK(plaster.bands == std::vector{125.0, 250.0, 500.0});
  CHECK(plaster.alpha == std::vector{0.1, 0.06, 0.0});
  CHECK(plaster.place.line == 28);
  CHECK(scene.materials.at("carpet").kind == Material::Kind::admittance);
  CHECK(scene.materials.at("carpet").admittance == 0.05);
  CHECK(scene.materials.at("panel").kind == Material::Kind::branches);
  CHECK(scene.materials.at("panel").branches == std::vector<Branch>{{1e-3, 0.8, 120}, {0, 2, 0}});
  CHECK(scene.materials.at("rigid").kind == Material::Kind::rigid);
  REQUIRE(scene.sources.size() == 1);
  CHECK(scene.sources[0].name == "S1");
  CHECK(scene.sources[0].position == std::array{2.0, 3.0, 1.5});
  CHECK(scene.sources[0].signal == "speech.wav");
  CHECK(fs::equivalent(scene.sources[0].signal_path, wav));
  REQUIRE(scene.receivers.size() == 2);
  CHECK(scene.receivers[1].name == "Sitz \xC3\xA4");
  CHECK(scene.receivers[1].position == std::array{0.0, 0.0, 0.0});
  CHECK(scene.receivers[1].position_place.line == 45);
  CHECK(scene.output.sample_rate == 44100);
  CHECK(scene.output.format == "pcm24");
  CHECK(scene.output.low_cut == 0);
  CHECK(scene.output.raw);
  REQUIRE(scene.output.snapshots.size() == 2);
  const SnapshotSpec &plane = scene.output.snapshots[0], &volume = scene.output.snapshots[1];
  CHECK(plane.plane == "z");
  CHECK(plane.has_position);
  CHECK(plane.position == 1.0);
  CHECK(plane.every == 0.25);
  CHECK(plane.begin == 0.125);
  CHECK_FALSE(plane.end);
  CHECK(volume.plane == "volume");
  CHECK_FALSE(volume.has_position);
}

TEST_CASE("the known keys are those of the scene format, version 1") {
  const std::vector<std::string> format = {"schema",
                                           "simulation",
                                           "air",
                                           "room",
                                           "materials",
                                           "source",
                                           "receiver",
                                           "output",
                                           "simulation.duration",
                                           "simulation.max_frequency",
                                           "simulation.dispersion_error",
                                           "simulation.wall_error",
                                           "simulation.geometry_error",
                                           "simulation.grid_spacing",
                                           "simulation.courant",
                                           "simulation.stencil",
                                           "simulation.stop",
                                           "simulation.stop.decay_db",
                                           "simulation.precision",
                                           "simulation.reciprocity",
                                           "simulation.remove_time_dispersion",
                                           "simulation.device",
                                           "air.temperature",
                                           "air.relative_humidity",
                                           "air.pressure",
                                           "air.absorption",
                                           "air.sound_speed",
                                           "above",
                                           "above.method",
                                           "above.rays",
                                           "above.image_order",
                                           "above.crossover",
                                           "above.seed",
                                           "room.box",
                                           "room.mesh",
                                           "room.seal",
                                           "room.units",
                                           "room.up",
                                           "room.walls",
                                           "room.walls.default",
                                           "room.walls.floor",
                                           "room.walls.ceiling",
                                           "room.walls.walls",
                                           "room.walls.x_min",
                                           "room.walls.x_max",
                                           "room.walls.y_min",
                                           "room.walls.y_max",
                                           "room.walls.z_min",
                                           "room.walls.z_max",
                                           "materials.*.absorption",
                                           "materials.*.absorption.bands",
                                           "materials.*.absorption.alpha",
                                           "materials.*.admittance",
                                           "materials.*.scattering",
                                           "materials.*.scattering.bands",
                                           "materials.*.scattering.s",
                                           "materials.*.law",
                                           "materials.*.branches",
                                           "materials.*.branches.*.D",
                                           "materials.*.branches.*.E",
                                           "materials.*.branches.*.F",
                                           "materials.*.rigid",
                                           "materials.*.file",
                                           "materials.*.impedance",
                                           "materials.*.impedance.frequencies",
                                           "materials.*.impedance.imaginary",
                                           "materials.*.impedance.real",
                                           "materials.*.library",
                                           "materials.*.porous",
                                           "materials.*.porous.air_gap",
                                           "materials.*.porous.flow_resistivity",
                                           "materials.*.porous.thickness",
                                           "receiver.*.direction",
                                           "receiver.*.array",
                                           "receiver.*.up",
                                           "source.*.directivity",
                                           "source.*.up",
                                           "source.*.on_axis",
                                           "source.*.measurement",
                                           "source.*.order",
                                           "receiver.*.hrtf",
                                           "receiver.*.rotations",
                                           "receiver.*.grid",
                                           "receiver.*.grid.from",
                                           "receiver.*.grid.to",
                                           "receiver.*.grid.count",
                                           "receiver.*.line",
                                           "receiver.*.line.from",
                                           "receiver.*.line.to",
                                           "receiver.*.line.count",
                                           "receiver.*.arc",
                                           "receiver.*.arc.centre",
                                           "receiver.*.arc.from",
                                           "receiver.*.arc.axis",
                                           "receiver.*.arc.angle",
                                           "receiver.*.arc.count",
                                           "receiver.*.path",
                                           "receiver.*.order",
                                           "receiver.*.pattern",
                                           "source.*.direction",
                                           "source.*.pattern",
                                           "source.*.name",
                                           "source.*.position",
                                           "source.*.signal",
                                           "receiver.*.name",
                                           "receiver.*.position",
                                           "output.sample_rate",
                                           "output.format",
                                           "output.low_cut",
                                           "output.raw",
                                           "output.snapshots",
                                           "output.snapshots.*.plane",
                                           "output.snapshots.*.position",
                                           "output.snapshots.*.every",
                                           "output.snapshots.*.begin",
                                           "output.snapshots.*.end"};
  const auto& known = known_keys();
  CHECK(std::set(known.begin(), known.end()) == std::set(format.begin(), format.end()));
  CHECK(known.size() == format.size());
}

TEST_CASE("what is not given has its default") {
  const ParsedScene parsed = parse_scene(small, "hall.toml");
  INFO(all_messages(parsed, small));
  REQUIRE(parsed.problems.empty());
  close_to_default(parsed.scene);
}

TEST_CASE("the same scene is read with any line ends, with a byte order mark, and in dotted or inline form") {
  std::string windows;
  for (const char c : small) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& text : {windows, "\xEF\xBB\xBF" + small}) {
    const ParsedScene parsed = parse_scene(text, "hall.toml");
    INFO(all_messages(parsed, text));
    REQUIRE(parsed.problems.empty());
    CHECK(parsed.scene.room.box == std::array{5.0, 4.0, 3.0});
  }
  const std::string terse = R"(schema = 1
simulation.duration = 0.1
simulation.max_frequency = 500
room = { box = [5, 4, 3], walls = { default = "wall" } }
materials.wall.rigid = true
source = [{ name = "S1", position = [1, 1, 1] }]
receiver = [{ name = "R1", position = [2, 2, 2] }]
)";
  const ParsedScene parsed = parse_scene(terse, "hall.toml");
  INFO(all_messages(parsed, terse));
  REQUIRE(parsed.problems.empty());
  close_to_default(parsed.scene);
}

TEST_CASE("all problems of a scene are reported at once, in the order of the file") {
  const std::string text = R"(schema = 1
[simulation]
max_frequency = "500"
stencil = "leggy-four"
[air]
temperature = -400
[room]
box = [5, 4, 3]
[room.walls]
default = "wal"
z_min = 3
[materials.wall]
absorption = { bands = [125, 250], alpha = [0.1, 2.0] }
[[source]]
name = "S/1"
position = [1, 1, 9]
[[receiver]]
position = [2, nan, 2]
[output]
format = "flac"
loudness = 3
)";
  const ParsedScene parsed = parse_scene(text, "hall.toml");
  INFO(all_messages(parsed, text));
  std::vector<std::array<int, 2>> places;
  for (const Problem& problem : parsed.problems) places.push_back({problem.place.line, problem.place.column});
  CHECK(places == std::vector<std::array<int, 2>>{{2, 1},
                                                  {3, 17},
                                                  {4, 11},
                                                  {6, 15},
                                                  {10, 11},
                                                  {11, 9},
                                                  {13, 50},
                                                  {15, 8},
                                                  {16, 12},
                                                  {17, 1},
                                                  {18, 16},
                                                  {20, 10},
                                                  {21, 1}});
}

TEST_CASE("of very many problems the first fifty are reported and the rest counted") {
  std::string text = small + "[output]\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("k{} = 1\n", i);
  const ParsedScene parsed = parse_scene(text, "hall.toml");
  REQUIRE(parsed.problems.size() == 51);
  CHECK(parsed.problems[0].place.line == 18);
  CHECK(parsed.problems[49].place.line == 67);
  CHECK(parsed.problems[50].message == "and 4950 more problems");
}

TEST_CASE("a wrong list of sources or receivers is no reason to call it missing") {
  const ParsedScene parsed = parse_scene(replaced(small, "[[receiver]]", "[receiver]"), "hall.toml");
  REQUIRE(parsed.problems.size() == 1);
  CHECK(parsed.problems[0].hint == "write [[receiver]], with two brackets");
}

TEST_CASE("devices are named auto, cpu, cuda or cuda:N") {
  const auto fine = [](const std::string& device) {
    return parse_scene(replaced(small, "duration = 0.1", "duration = 0.1\ndevice = '" + device + "'"), "h.toml")
        .problems.empty();
  };
  for (const char* device : {"auto", "cpu", "cuda", "cuda:0", "cuda:15"}) CHECK(fine(device));
  for (const char* device : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:1234", "CPU"}) CHECK_FALSE(fine(device));
}

TEST_CASE("numbers are read and shown with a point under any locale") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const ParsedScene good = parse_scene(replaced(small, "0.1", "1234.5"), "h.toml");
  const std::string text = replaced(small, "0.1", "123456.5");
  const std::string messages = all_messages(parse_scene(text, "h.toml"), text);
  std::locale::global(before);
  CHECK(good.scene.simulation.duration == 1234.5);
  CHECK(messages.find("must be above 0 and up to 3600 s, not 123456.5\n") != messages.npos);
}
