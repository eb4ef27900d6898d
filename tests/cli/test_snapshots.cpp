// Snapshots as a user meets them: the files that ParaView opens, runs that resume, the disk, pictures of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "engine/results/snapshot_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h5_library.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

const std::string scene = R"(schema = 1
[simulation]
duration = 0.03
max_frequency = 700.0
stencil = "leggy-3"
[room]
box = [2.3, 1.9, 1.4]
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[source]]
name = "S2"
position = [1.5, 0.6, 0.4]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
[output]
snapshots = [{ plane = "z", position = 0.6, every = 0.001 }, { plane = "y", position = 1.9, every = 0.002, begin = 0.01 },
             { plane = "volume", every = 0.01, end = 0.02 }]
)";

// Texts of an element's children of a name; attributes of elements: as much of XML as an XDMF file has.
std::vector<std::smatch> all_matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<double>(words), std::istream_iterator<double>()};
}

// Every tag is closed by its own, every attribute quoted, nothing but tags, text and the declaration.
void check_well_formed(const std::string& xml) {
  static const std::regex token(R"(<\?xml [^?]*\?>|<(/?)([A-Za-z]+)((?:\s+[A-Za-z]+="[^"<&]*")*)\s*(/?)>|[^<&]+)");
  std::vector<std::string> open;
  std::size_t at = 0;
  for (const std::smatch& match : all_matches(xml, token)) {
    REQUIRE(static_cast<std::size_t>(match.position()) == at);
    at += static_cast<std::size_t>(match.length());
    if (!match[2].matched) continue;
    if (match[1] == "/") {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == match[2]);
      open.pop_back();
    } else if (match[4] != "/") {
      open.push_back(match[2]);
    }
  }
  CHECK(at == xml.size());
  CHECK(open.empty());
}

}  // namespace

TEST_CASE("the XDMF file reports where and when every frame is, and HDF5 has it there", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  const Outcome outcome = run_fdtd({"run", "room.toml", "-o", "made", "--json"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["plan"]["snapshots"].size() == 3);
  CHECK(json["plan"]["snapshots"][0]["frames"] == 31);
  CHECK(json["plan"]["snapshots"][1]["frames"] == 11);
  CHECK(json["plan"]["snapshots"][2]["frames"] == 3);
  CHECK_THAT(outcome.out, Contains("snapshots.xdmf"));
  CHECK_FALSE(fs::exists(folder.path() / "made/snapshots.h5.part"));

  const std::string xml = read_file(folder.path() / "made/snapshots.xdmf");
  check_well_formed(xml);
  const fs::path h5 = folder.path() / "made/snapshots.h5";
  const SnapshotReader reader(h5);
  CHECK(reader.list().sources == std::vector<std::string>{"S1", "S2"});
  const std::regex frame(
      R"re(<Grid Name="(\w+) (\d+)" GridType="Uniform">\s*<Time Value="([^"]+)"/>\s*)re"
      R"re(<Topology TopologyType="3DCoRectMesh" Dimensions="([^"]+)"/>\s*<Geometry GeometryType="ORIGIN_DXDYDZ">\s*)re"
      R"re(<DataItem [^>]*>([^<]+)</DataItem>\s*<DataItem [^>]*>([^<]+)</DataItem>\s*</Geometry>\s*<Attribute [^>]*>\s*)re"
      R"re(<DataItem ItemType="HyperSlab" Type="HyperSlab" Dimensions="([^"]+)">\s*<DataItem [^>]*>([^<]+)</DataItem>\s*)re"
      R"re(<DataItem Dimensions="([^"]+)" [^>]*Format="HDF">snapshots.h5:([^<]+)</DataItem>)re");
  std::size_t seen = 0;
  for (const std::smatch& match : all_matches(xml, frame)) {
    ++seen;
    const auto set = std::ranges::find_if(reader.list().sets, [&](const auto& one) { return one.name == match[1]; });
    REQUIRE(set != reader.list().sets.end());
    const auto f = static_cast<std::size_t>(std::stoi(match[2]));
    const std::string path = match[10], group = "/" + set->name;
    CHECK(std::stod(match[3]) == set->times.at(f));
    CHECK(std::stod(match[3]) == h5_values(h5, group + "/times").at(f));
    auto origin = h5_attribute(h5, group, "origin"), spacing = h5_attribute(h5, group, "spacing");
    std::ranges::reverse(origin);
    std::ranges::reverse(spacing);
    CHECK(numbers(match[5]) == origin);
    CHECK(numbers(match[6]) == spacing);
    const auto shape = h5_shape(h5, path);
    const std::vector<double> whole(shape.begin(), shape.end());
    CHECK(numbers(match[9]) == whole);
    CHECK(numbers(match[4]) == std::vector<double>(whole.begin() + 1, whole.end()));
    CHECK(numbers(match[7]) == numbers(match[4]));  // VTK reads a frame of other dimensions wrongly
    CHECK(numbers(match[8]) ==
          std::vector<double>{static_cast<double>(f), 0, 0, 0, 1, 1, 1, 1, 1, whole[1], whole[2], whole[3]});
    CHECK(static_cast<double>(f) < whole[0]);
    CHECK(h5_shape(h5, group + "/air") == std::vector<std::int64_t>(shape.begin() + 1, shape.end()));
  }
  CHECK(seen == 2 * (31 + 11 + 3));
  // The library reads the frame that the program wrote, and it is a field.
  for (const SnapshotSet& set : reader.list().sets)
    for (const std::string& source : reader.list().sources) {
      const auto all = h5_values(h5, "/" + set.name + "/" + source + "/pressure");
      double largest = 0.0;
      for (std::size_t f = 0; f < set.times.size(); ++f) {
        const auto values = reader.frame(set, source, f);
        for (std::size_t i = 0; i < values.size(); ++i) {
          CHECK(static_cast<double>(values[i]) == all[f * values.size() + i]);
          largest = std::max(largest, std::abs(all[f * values.size() + i]));
        }
      }
      CHECK(largest > 0.1);
    }
  // The plane beside the wall is the last one of the volume.
  const auto& plane = reader.list().sets[1];
  const auto& volume = reader.list().sets[2];
  CHECK(plane.origin[1] == Approx(volume.origin[1] + static_cast<double>(volume.size[1] - 1) * volume.spacing[1]));
  const auto flat = reader.frame(plane, "S1", 0), solid = reader.frame(volume, "S1", 1);  // both at 10 ms
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const auto nx = static_cast<std::size_t>(volume.size[0]), ny = static_cast<std::size_t>(volume.size[1]);
    CHECK(flat[i] == solid[i % nx + nx * (ny - 1 + ny * (i / nx))]);
  }
}

TEST_CASE("snapshots of a run that is killed and resumed have the bytes of one left in peace", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "gold", "--quiet"}, folder.path()).status == 0);
  std::vector<std::string> command = {"run",     "room.toml",  "-o",    "made", "--quiet", "--checkpoint-every",
                                      "30steps", "--max-time", "0.001s"};
  REQUIRE(run_fdtd(command, folder.path()).status == 130);
  CHECK(fs::exists(folder.path() / "made/snapshots.h5.part"));
  CHECK_FALSE(fs::exists(folder.path() / "made/snapshots.h5"));
  command = {"run", "room.toml", "-o", "made", "--quiet", "--resume", "--threads", "2"};
  REQUIRE(run_fdtd(command, folder.path()).status == 0);
  for (const char* file : {"snapshots.h5", "snapshots.xdmf"})
    CHECK(read_file(folder.path() / "gold" / file) == read_file(folder.path() / "made" / file));
  CHECK_FALSE(fs::exists(folder.path() / "made/snapshots.h5.part"));
}

TEST_CASE("without its frames, or with another run's, a run does not resume", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  std::vector<std::string> command = {"run", "room.toml", "-o", "made", "--quiet"};
  const auto begin = [&] {
    std::vector<std::string> first = command;
    first.insert(first.end(), {"--force", "--max-time", "0.001s"});
    REQUIRE(run_fdtd(first, folder.path()).status == 130);
  };
  std::vector<std::string> again = command;
  again.emplace_back("--resume");
  begin();
  const fs::path part = folder.path() / "made/snapshots.h5.part";
  const std::string bytes = read_file(part);
  fs::remove(part);
  Outcome outcome = run_fdtd(again, folder.path());
  CHECK(outcome.status == 5);
  CHECK_THAT(outcome.err, Contains("snapshots.h5.part") && Contains("--force"));
  std::ofstream(part, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK(run_fdtd(again, folder.path()).status == 5);
  std::string other = bytes;
  other[200] = static_cast<char>(other[200] ^ 1);
  std::ofstream(part, std::ios::binary) << other;
  CHECK(run_fdtd(again, folder.path()).status == 5);
  std::ofstream(part, std::ios::binary) << bytes;
  CHECK(run_fdtd(again, folder.path()).status == 0);
  // A scene of other snapshots is another run.
  begin();
  again.insert(again.end(), {"--set", "output.snapshots=[]", "--force"});
  CHECK(run_fdtd(again, folder.path()).status == 5);
}

TEST_CASE("snapshots that exist are kept, damaged ones are refused", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  const fs::path file = folder.path() / "made/snapshots.h5";
  const std::string whole = read_file(file);
  fs::remove(folder.path() / "made/result.h5");
  CHECK(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 5);
  CHECK(read_file(file) == whole);

  std::ofstream(folder.path() / "cut.h5", std::ios::binary) << whole.substr(0, whole.size() - 1);
  CHECK(run_fdtd({"movie", "cut.h5", "-o", "cut"}, folder.path()).status == 5);
  // In HDF5's own part, and in a frame that is drawn.
  const SnapshotReader reader(file);
  const auto frame = reader.frame(reader.list().sets[0], "S1", 9);
  const std::string bytes(reinterpret_cast<const char*>(frame.data()), frame.size() * sizeof(float));
  for (const std::size_t at : {std::size_t{900}, whole.find(bytes) + bytes.size() / 2}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(folder.path() / "damaged.h5", std::ios::binary) << damaged;
    CHECK(run_fdtd({"movie", "damaged.h5", "-o", "cut"}, folder.path()).status == 5);
    CHECK_FALSE(fs::exists(folder.path() / "cut"));
  }
}

TEST_CASE("every fault of a snapshot's keys is reported with its place", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"[{ plane = \"w\", position = 0.5, every = 0.001 }]", "plane"},
      {"[{ position = 0.5, every = 0.001 }]", "plane"},
      {"[{ plane = \"z\", every = 0.001 }]", "needs a position"},
      {"[{ plane = \"z\", position = 0.5 }]", "every"},
      {"[{ plane = \"z\", position = 1.5, every = 0.001 }]", "outside the room"},
      {"[{ plane = \"volume\", position = 0.5, every = 0.001 }]", "has no position"},
      {"[{ plane = \"z\", position = 0.5, every = 0 }]", "every"},
      {"[{ plane = \"z\", position = 0.5, every = 1e-6 }]", "time step"},
      {"[{ plane = \"z\", position = 0.5, every = 0.001, end = 0.04 }]", "duration"},
      {"[{ plane = \"z\", position = 0.5, every = 0.001, begin = 0.02, end = 0.01 }]", "duration"},
      {"[{ plane = \"z\", positon = 0.5, every = 0.001 }]", "position"},
      {"[1]", "table"}};
  for (const auto& [value, message] : faults) {
    const Outcome outcome = run_fdtd({"plan", "room.toml", "--set", "output.snapshots=" + value}, folder.path());
    INFO(value << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message) && Contains("snapshots"));
  }
}

TEST_CASE("movie draws every frame of a plane or of a volume's cut with one scale, and prints that scale", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  Outcome outcome = run_fdtd({"movie", "made/result.h5", "--pixels", "64"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("z1 of S1, 31 frames") && Contains("red") && Contains("frame_00030.png"));
  const auto pictures = std::distance(fs::directory_iterator(folder.path() / "made/movie_z1"), {});
  CHECK(pictures == 31);
  for (const auto& entry : fs::directory_iterator(folder.path() / "made/movie_z1"))
    CHECK(read_file(entry.path()).substr(0, 8) == "\x89PNG\r\n\x1a\n");
  outcome = run_fdtd({"movie", "made", "-o", "across", "--plane", "x"}, folder.path());
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("z1 is a plane across z: --plane x applies to volumes"));
  CHECK_FALSE(fs::exists(folder.path() / "across"));
  // By the folder of the run, and of a run without snapshots.
  outcome = run_fdtd({"movie", "made", "-o", "by_folder", "--pixels", "64"}, folder.path());
  CHECK(outcome.status == 0);
  fs::create_directory(folder.path() / "bare");
  fs::copy_file(folder.path() / "made/result.h5", folder.path() / "bare/result.h5");
  outcome = run_fdtd({"movie", "bare"}, folder.path());
  CHECK(outcome.status == 5);
  CHECK_THAT(outcome.err, Contains("took no snapshots") && Contains("output.snapshots"));
  // The same again: kept, and with --force the same bytes.
  const std::string first = read_file(folder.path() / "made/movie_z1/frame_00010.png");
  CHECK(run_fdtd({"movie", "made/result.h5", "--pixels", "64"}, folder.path()).status == 5);
  REQUIRE(run_fdtd({"movie", "made/snapshots.h5", "--pixels", "64", "--force"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "made/movie_z1/frame_00010.png") == first);
  // Another source, another scale: other pictures.
  REQUIRE(run_fdtd({"movie", "made/snapshots.h5", "--pixels", "64", "-o", "other", "--source", "S2"}, folder.path())
              .status == 0);
  CHECK(read_file(folder.path() / "other/frame_00010.png") != first);
  outcome = run_fdtd({"movie", "made/snapshots.h5", "-o", "cut", "--snapshot", "volume3", "--plane", "x", "--position",
                      "1.1", "--scale", "0.25"},
                     folder.path());
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("3 frames") && Contains("-0.25 blue"));
  for (const auto& [option, value] : {std::pair("--source", "S3"), {"--snapshot", "w"}, {"--position", "1"}}) {
    outcome = run_fdtd({"movie", "made/snapshots.h5", "-o", "none", option, value}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_FALSE(fs::exists(folder.path() / "none"));
  }
  CHECK(
      run_fdtd({"movie", "made/snapshots.h5", "-o", "none", "--snapshot", "volume3", "--position", "9"}, folder.path())
          .status == 2);
}

TEST_CASE("frames of a movie show their time, their plane, its axes in metres and the colours of their values",
          "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  const SnapshotReader reader(folder.path() / "made/snapshots.h5");
  const auto frame = [&](const std::string& name) { return picture_of(read_file(folder.path() / name)); };
  // Of the plane z = 0.6 m: the nodes nearest to it, and the steps nearest to each millisecond.
  REQUIRE(run_fdtd({"movie", "made", "-o", "plan", "--source", "S2"}, folder.path()).status == 0);
  const SnapshotSet& plane = reader.list().sets[0];
  CHECK(std::abs(plane.origin[2] - 0.6) <= 0.5 * plane.spacing[2]);
  folder.write("plan/frame_99999.png", "of a longer movie");
  REQUIRE(run_fdtd({"movie", "made", "-o", "plan", "--source", "S2", "--force"}, folder.path()).status == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "plan/frame_99999.png"));
  const Picture early = frame("plan/frame_00010.png"), late = frame("plan/frame_00023.png");
  CHECK(early.shows(fmt::format("S2, z = {:.2f} m, 10.0 ms", plane.origin[2])));
  CHECK(late.shows(fmt::format("S2, z = {:.2f} m, 23.0 ms", plane.origin[2])));
  CHECK((early.shows("x (m)") && early.shows("y (m)") && early.shows("pressure (1: peak at 1 m in free field)")));
  // Of the volume, a section: y to the right, z upwards.
  REQUIRE(run_fdtd({"movie", "made", "-o", "cut", "--snapshot", "volume3", "--plane", "x", "--position", "1.1",
                    "--scale", "0.25", "--pixels", "480"},
                   folder.path())
              .status == 0);
  const SnapshotSet& set = reader.list().sets[2];
  const auto index = std::llround((1.1 - set.origin[0]) / set.spacing[0]);
  const Picture cut = frame("cut/frame_00002.png");
  CHECK(
      cut.shows(fmt::format("S1, x = {:.2f} m, 20.0 ms", set.origin[0] + static_cast<double>(index) * set.spacing[0])));
  CHECK((cut.shows("y (m)") && cut.shows("z (m)") && !cut.shows("x (m)")));
  const int wide = static_cast<int>(set.size[1]), high = static_cast<int>(set.size[2]), zoom = 480 / wide;
  const auto [left, top] = cut.corner_of_map(wide * zoom);
  const int below = top + high * zoom;
  CHECK(cut.places_of("z (m)").at(0)[1] < top);  // of the axis upwards, at its end
  CHECK(cut.places_of("y (m)").at(0)[1] > below);
  for (const double y : {0.5, 1.0, 1.5})
    CHECK(cut.shows_at(fmt::format("{:g}", y), left + static_cast<int>(y / 1.9 * wide * zoom), below + 13));
  for (const double z : {0.2, 1.0})
    CHECK(cut.shows_at(fmt::format("{:g}", z), left - 9 - static_cast<int>(fmt::format("{:g}", z).size()) * 3,
                       below - static_cast<int>(z / 1.4 * high * zoom)));
  for (const char* pressure : {"0.2", "-0.2"}) CHECK(cut.shows(pressure));
  const std::vector<float> values = reader.plane(set, "S1", 2, 0, index);
  int judged = 0;
  for (int z = 0; z < high; ++z)
    for (int y = 0; y < wide; ++y) {
      const float value = values[static_cast<std::size_t>(z * wide + y)];
      if (std::abs(value) < 0.02F) continue;
      const Colour colour = cut.at(left + zoom * y + zoom / 2, below - zoom * z - zoom / 2);
      judged += (value > 0.0F) == (colour[0] > colour[2]) ? 1 : -wide * high;
    }
  CHECK(judged > wide * high / 2);
}

TEST_CASE("frames of a movie that are less than a tenth of a millisecond apart have different titles", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", R"(schema = 1
simulation = { duration = 0.0005, max_frequency = 4000.0, stencil = "leggy-3" }
above.method = "none"
room.box = [0.3, 0.25, 0.2]
room.walls.default = "wood"
materials.wood.admittance = 0.05
source = [{ name = "S1", position = [0.1, 0.1, 0.1] }]
receiver = [{ name = "R1", position = [0.2, 0.1, 0.1] }]
output.snapshots = [{ plane = "z", position = 0.1, every = 0.00004 }]
)");
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"movie", "made", "-o", "frames"}, folder.path()).status == 0);
  const SnapshotReader reader(folder.path() / "made/snapshots.h5");
  const std::vector<double>& times = reader.list().sets[0].times;
  REQUIRE(times.size() > 10);
  std::string before;
  for (const std::size_t f : {4U, 5U, 6U}) {
    const std::string title = fmt::format("{:.2f} ms", 1000.0 * times[f]);
    INFO(title);
    CHECK(title != before);
    CHECK(picture_of(read_file(folder.path() / fmt::format("frames/frame_{:05}.png", f))).shows(title));
    before = title;
  }
}
