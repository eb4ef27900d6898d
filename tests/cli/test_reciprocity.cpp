// Receivers that send and sources that record, as a user sees them: fewer passes, the same files, the same responses.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

// Four sources, two of them at one place, and two receivers.
std::string room(const std::string& reciprocity, const std::string& more = "") {
  SceneText scene;
  scene.simulation = "duration = 0.08\nmax_frequency = 500.0\nstencil = \"leggy-4\"\nprecision = \"f64\"\n" +
                     (reciprocity.empty() ? "" : "reciprocity = \"" + reciprocity + "\"\n");
  scene.box = "[2.3, 1.9, 2.6]";
  scene.second_source = "[1.0, 0.3, 1.1]";
  scene.more =
      "[[source]]\nname = \"S3\"\nposition = [2.0, 1.5, 2.2]\n[[source]]\nname = \"S4\"\nposition = [1.0, 0.3, 1.1]\n"
      "[[receiver]]\nname = \"R2\"\nposition = [1.7, 1.1, 0.2]\n" +
      more;
  return text_of(scene);
}

double largest(const std::vector<double>& a) {
  double found = 0.0;
  for (const double x : a) found = std::max(found, std::abs(x));
  return found;
}

double apart(std::vector<double> a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return largest(a) / largest(b);
}

Outcome run_in(const TemporaryFolder& folder, std::vector<std::string> more) {
  more.insert(more.begin(), "run");
  Outcome outcome = run_fdtd(more, folder.path());
  UNSCOPED_INFO(outcome.err);
  return outcome;
}

}  // namespace

TEST_CASE("plan states how many passes there are, and that receivers send", "[cli]") {
  const TemporaryFolder folder;
  folder.write("auto.toml", room(""));
  folder.write("off.toml", room("off"));
  const auto fewer = json_of(run_fdtd({"plan", "auto.toml", "--json"}, folder.path()));
  CHECK(fewer["passes"] == 2);
  CHECK(fewer["exchanged"] == true);
  const auto all = json_of(run_fdtd({"plan", "off.toml", "--json"}, folder.path()));
  CHECK(all["passes"] == 4);
  CHECK(all["exchanged"] == false);
  CHECK_THAT(run_fdtd({"plan", "auto.toml"}, folder.path()).out,
             Contains("passes            2 instead of 4: receivers send and sources record"));
  CHECK_THAT(run_fdtd({"plan", "off.toml"}, folder.path()).out, Contains("passes            4, one for each source"));
}

TEST_CASE("a run whose receivers send writes the files and the responses of one whose sources send", "[cli]") {
  const TemporaryFolder folder;
  folder.write("auto.toml", room("", "[output]\nraw = true\n"));
  folder.write("off.toml", room("off", "[output]\nraw = true\n"));
  const auto fewer = json_of(run_in(folder, {"auto.toml", "-o", "auto", "--sofa", "--json"}));
  const auto all = json_of(run_in(folder, {"off.toml", "-o", "off", "--sofa", "--json"}));
  CHECK(fewer["receivers"].size() == all["receivers"].size());
  CHECK(fewer["energy"]["balance_error"].get<double>() < 1e-9);
  CHECK(names_in(folder / "auto") == names_in(folder / "off"));
  for (const std::string& name : names_in(folder / "off")) {
    if (!name.ends_with(".wav")) continue;
    INFO(name);
    const Audio ours = read_audio(folder / "auto" / name), theirs = read_audio(folder / "off" / name);
    REQUIRE(ours.channels.size() == theirs.channels.size());
    for (std::size_t c = 0; c < theirs.channels.size(); ++c)
      CHECK(apart({ours.channels[c].begin(), ours.channels[c].end()},
                  {theirs.channels[c].begin(), theirs.channels[c].end()}) < 3e-7);  // rounding of the file's floats
  }
  const Result ours = read_result(folder / "auto/result.h5"), theirs = read_result(folder / "off/result.h5");
  CHECK(ours.recording.sources == theirs.recording.sources);
  CHECK(ours.recording.receivers == theirs.recording.receivers);
  CHECK(apart(ours.recording.pressure, theirs.recording.pressure) < 1e-11);
  CHECK(apart(ours.rendered.ir, theirs.rendered.ir) < 1e-9);
  CHECK(ours.recording.energy.size() == 2);
  CHECK(theirs.recording.energy.size() == 4);
  // Absolute levels, and each response in its place: no two channels of this room are alike but those of S2 and S4.
  CHECK_THAT(read_file(folder / "auto/report.html"), Contains("every receiver sent, all sources recorded"));
  CHECK_THAT(read_file(folder / "off/report.html"), !Contains("every receiver sent"));
  // `render` makes the same files of the stored result.
  REQUIRE(run_fdtd({"render", "auto/result.h5", "-o", "again"}, folder.path()).status == 0);
  for (const std::string& name : names_in(folder / "again"))
    CHECK((read_file(folder / "again" / name) == read_file(folder / "auto" / name)));
}

TEST_CASE("a run whose receivers send is not resumed as one whose sources send", "[cli]") {
  const TemporaryFolder folder;
  std::string text = room("auto");
  text.replace(text.find("duration = 0.08"), 15, "duration = 2.0");
  folder.write("room.toml", text);
  REQUIRE(run_in(folder, {"room.toml", "-o", "made", "--max-time", "0.001s"}).status == 130);
  const Outcome other = run_in(folder, {"room.toml", "-o", "made", "--resume", "--set", "simulation.reciprocity=off"});
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains("sources: S1, S2, S3, S4 here, R1, R2 there"));
  const Outcome same = run_in(folder, {"room.toml", "-o", "made", "--resume", "--max-time", "0.001s"});
  CHECK_THAT(same.err, Contains(" of receiver R1"));
}

TEST_CASE("a run whose receivers send ends by their decay as one whose sources send", "[cli]") {
  const TemporaryFolder folder;
  for (const char* way : {"auto", "off"}) {
    std::string text = room(way);
    text.replace(text.find("duration = 0.08"), 15, "stop = { decay_db = 15 }\nduration = 0.6");
    folder.write(std::string(way) + ".toml", text);
    REQUIRE(run_in(folder, {std::string(way) + ".toml", "-o", way, "--quiet"}).status == 0);
  }
  const Result ours = read_result(folder / "auto/result.h5"), theirs = read_result(folder / "off/result.h5");
  CHECK(theirs.options.duration < 0.55);
  CHECK(ours.options.duration == Approx(theirs.options.duration).epsilon(0.05));
}

TEST_CASE("snapshots show the field of sources, which then send", "[cli]") {
  const TemporaryFolder folder;
  const std::string shown = "[output]\nsnapshots = [{ plane = \"z\", position = 0.6, every = 0.01 }]\n";
  folder.write("auto.toml", room("auto", shown));
  const auto plan = json_of(run_fdtd({"plan", "auto.toml", "--json"}, folder.path()));
  CHECK(plan["passes"] == 4);
  CHECK(plan["exchanged"] == false);
  folder.write("on.toml", room("on", shown));
  const Outcome refused = run_fdtd({"run", "on.toml", "-o", "made"}, folder.path());
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("on.toml:7:15") && Contains("simulation.reciprocity") && Contains("snapshots"));
  CHECK_FALSE(fs::exists(folder / "made"));
  folder.write("word.toml", room("yes"));
  CHECK_THAT(run_fdtd({"plan", "word.toml"}, folder.path()).err, Contains("must be one of auto, on, off, not"));
}

#ifdef FDTD_MPIEXEC
TEST_CASE("ranks whose receivers send write what one process writes", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room("auto"));
  REQUIRE(run_in(folder, {"room.toml", "-o", "gold", "--quiet", "--device", "cpu"}).status == 0);
  const Outcome outcome = run_ranks(2, {"run", "room.toml", "-o", "made", "--quiet", "--device", "cpu"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const Result one = read_result(folder / "gold/result.h5"), two = read_result(folder / "made/result.h5");
  CHECK(two.recording.exchanged);
  CHECK(two.recording.pressure == one.recording.pressure);
  CHECK(two.rendered.ir == one.rendered.ir);
}
#endif
