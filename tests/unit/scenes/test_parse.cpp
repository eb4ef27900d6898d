#include "scenes/parse.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <locale>
#include <set>

#include "scenes/keys.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
namespace fs = std::filesystem;

namespace {

const std::string small = R"(schema = 1
[simulation]
duration = 0.1
max_frequency = 500
[room]
box = [5, 4, 3]
[room.walls]
default = "wall"
[materials.wall]
rigid = true
[[source]]
name = "S1"
position = [1, 1, 1]
[[receiver]]
name = "R1"
position = [2, 2, 2]
)";

// Every key of scene version 1; no value is its default.
const std::string full = R"(schema = 1
[simulation]
duration = 0.7
max_frequency = 900.0
dispersion_error = 0.01
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

std::string all_told(const ParsedScene& parsed, const std::string& text) {
  std::string told;
  for (const Problem& problem : parsed.problems) told += format(problem, "hall.toml", text);
  return told;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

void close_to_default(const Scene& scene) {
  CHECK(scene.simulation.dispersion_error == 0.02);
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
  INFO(all_told(parsed, full));
  REQUIRE(parsed.problems.empty());
  const Scene& scene = parsed.scene;
  CHECK(scene.file == folder.path() / "hall.toml");
  CHECK(scene.text == full);
  const Simulation& simulation = scene.simulation;
  CHECK(simulation.duration == 0.7);
  CHECK(simulation.max_frequency == 900.0);
  CHECK(simulation.dispersion_error == 0.01);
  CHECK(simulation.courant == 0.4);
  CHECK(simulation.stencil == "leggy-3");
  CHECK(simulation.stencil_place.line == 7);
  CHECK(simulation.stencil_place.column == 11);
  CHECK(simulation.courant_place.line == 6);
  CHECK(simulation.precision == Precision::f64);
  CHECK(simulation.remove_time_dispersion == true);
  CHECK(simulation.device == "cuda:1");
  CHECK(simulation.device_place.line == 10);
  CHECK(scene.air.temperature == 15);
  CHECK(scene.air.relative_humidity == 40);
  CHECK(scene.air.pressure == 95);
  CHECK_FALSE(scene.air.absorption);
  CHECK(scene.air.speed() == 340);
  CHECK(scene.room.box == std::array{6.0, 5.5, 3.25});
  CHECK(scene.room.walls == std::array<std::string, 6>{"carpet", "panel", "rigid", "plaster", "carpet", "panel"});
  CHECK(scene.room.wall_places[1].line == 22);
  const Material& plaster = scene.materials.at("plaster");
  CHECK(plaster.kind == Material::Kind::absorption);
  CHECK(plaster.name == "plaster");
  CHECK(plaster.bands == std::vector{125.0, 250.0, 500.0});
  CHECK(plaster.alpha == std::vector{0.1, 0.06, 0.0});
  CHECK(plaster.place.line == 27);
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
  CHECK(scene.receivers[1].position_place.line == 44);
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
                                           "simulation.grid_spacing",
                                           "simulation.courant",
                                           "simulation.stencil",
                                           "simulation.stop",
                                           "simulation.stop.decay_db",
                                           "simulation.precision",
                                           "simulation.remove_time_dispersion",
                                           "simulation.device",
                                           "air.temperature",
                                           "air.relative_humidity",
                                           "air.pressure",
                                           "air.absorption",
                                           "air.sound_speed",
                                           "room.box",
                                           "room.mesh",
                                           "room.units",
                                           "room.up",
                                           "room.walls",
                                           "room.walls.default",
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
  INFO(all_told(parsed, small));
  REQUIRE(parsed.problems.empty());
  close_to_default(parsed.scene);
}

TEST_CASE("the same scene is read with any line ends, with a byte order mark, and in dotted or inline form") {
  std::string windows;
  for (const char c : small) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& text : {windows, "\xEF\xBB\xBF" + small}) {
    const ParsedScene parsed = parse_scene(text, "hall.toml");
    INFO(all_told(parsed, text));
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
  INFO(all_told(parsed, terse));
  REQUIRE(parsed.problems.empty());
  close_to_default(parsed.scene);
}

TEST_CASE("all problems of a scene are told at once, in the order of the file") {
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
  INFO(all_told(parsed, text));
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

TEST_CASE("of very many problems the first fifty are told and the rest counted") {
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

TEST_CASE("a file that can't be a scene is refused before it is read") {
  const test::TemporaryFolder folder;
  const auto told = [&](const fs::path& file) {
    const ParsedScene parsed = load_scene(file);
    REQUIRE(parsed.problems.size() == 1);
    return format(parsed.problems[0], "x.toml", parsed.scene.text);
  };
  CHECK(told(folder.path() / "none.toml") == "x.toml: no such file\n");
  CHECK(told(folder.path()) == "x.toml: is a folder, not a file\n");
  CHECK(told("/dev/zero") == "x.toml: is not a regular file\n");
  const fs::path fifo = folder.path() / "fifo.toml";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(told(fifo) == "x.toml: is not a regular file\n");
  const fs::path large = folder.write("large.toml", small);
  fs::resize_file(large, 50'000'000);
  CHECK(told(large) == "x.toml: 50000000 bytes are too many: at most 4 MiB\n");
  CHECK(told(folder.path() / std::string(5000, 'a')) == "x.toml: no such file\n");
}

TEST_CASE("a file of 4 MiB with a scene in it is read") {
  const std::string text = small + "#" + std::string((4u << 20) - small.size() - 1, 'x');
  CHECK(parse_scene(text, "hall.toml").problems.empty());
  CHECK(parse_scene(text + "x", "hall.toml").problems.size() == 1);
}

TEST_CASE("no path leaves the scene's folder unless that is allowed") {
  const test::TemporaryFolder folder;
  const fs::path inner = folder.path() / "scenes", hall = inner / "hall.toml";
  fs::create_directories(inner / "sub");
  folder.write("outside.wav", "RIFF");
  std::ofstream(inner / "inside.wav") << "RIFF";
  fs::create_symlink("../outside.wav", inner / "link.wav");
  fs::create_symlink("..", inner / "up");
  fs::create_symlink("inside.wav", inner / "fine.wav");
  fs::create_symlink("loop.wav", inner / "loop.wav");
  const auto problems = [&](const std::string& signal, bool allow) {
    const std::string text = replaced(small, "position = [1, 1, 1]", "position = [1, 1, 1]\nsignal = '" + signal + "'");
    const ParsedScene parsed = parse_scene(text, hall, {{}, allow});
    if (parsed.problems.empty()) CHECK(fs::is_regular_file(parsed.scene.sources.at(0).signal_path));
    return all_told(parsed, text);
  };
  std::ofstream(inner / "impulse.wav") << "RIFF";
  for (const char* signal : {"impulse.wav", "inside.wav", "./inside.wav", "sub/../inside.wav", "fine.wav"})
    CHECK(problems(signal, false).empty());
  CHECK(problems((inner / "inside.wav").string(), false).empty());
  for (const std::string& signal : {std::string("../outside.wav"), std::string("link.wav"),
                                    std::string("up/outside.wav"), (folder.path() / "outside.wav").string()}) {
    INFO(signal);
    CHECK(problems(signal, false).find("leaves the scene's folder") != std::string::npos);
    CHECK(problems(signal, true).empty());
  }
  CHECK(problems("../secret.wav", false).find("leaves the scene's folder") != std::string::npos);  // there or not
  CHECK(problems("../secret.wav", true).find("does not exist") != std::string::npos);
  CHECK_FALSE(problems("loop.wav", false).empty());
  CHECK(problems(std::string(300, 'a') + ".wav", false).find("can't be looked up") != std::string::npos);
  CHECK(problems("sub", false).find("is a folder, not a file") != std::string::npos);
  // A folder whose name only begins like the scene's is outside.
  fs::create_directories(folder.path() / "scenes2");
  std::ofstream(folder.path() / "scenes2/a.wav") << "RIFF";
  CHECK(problems("../scenes2/a.wav", false).find("leaves the scene's folder") != std::string::npos);
}

TEST_CASE("a stencil of the user's own is a file beside the scene") {
  const test::TemporaryFolder folder;
  folder.write("mine.toml", "");
  const std::string text = replaced(small, "duration = 0.1", "duration = 0.1\nstencil = \"mine.toml\"");
  const ParsedScene parsed = parse_scene(text, folder.path() / "hall.toml");
  CHECK(parsed.problems.empty());
  CHECK(fs::equivalent(parsed.scene.simulation.stencil_path, folder.path() / "mine.toml"));
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
  const std::string told = all_told(parse_scene(text, "h.toml"), text);
  std::locale::global(before);
  CHECK(good.scene.simulation.duration == 1234.5);
  CHECK(told.find("must be above 0 and up to 3600 s, not 123456.5\n") != told.npos);
}

TEST_CASE("the example scenes are scenes") {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(FDTD_SOURCE_DIR "/scenes/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const ParsedScene parsed = load_scene(entry.path());
    INFO(entry.path() << "\n" << all_told(parsed, parsed.scene.text));
    CHECK(parsed.problems.empty());
    ++count;
  }
  CHECK(count >= 1);
}
