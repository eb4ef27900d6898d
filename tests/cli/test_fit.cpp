// fdtd fit as a user meets it: rooms give their own absorption back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "engine/results/response_arrays.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

using Alpha = std::array<double, 2>;  // at 125 and 250 Hz

std::string material(const std::string& name, const Alpha& alpha) {
  return fmt::format("[materials.{}]\nabsorption = {{ bands = [125, 250], alpha = [{}, {}] }} # {}\n", name, alpha[0],
                     alpha[1], name);
}

SceneText small_box(const Alpha& floor, const Alpha& walls) {
  SceneText text;
  text.simulation = "duration = 0.9\nmax_frequency = 355.0\n";
  text.air = "absorption = false\n";
  text.box = "[3.3, 2.6, 2.2]";
  text.walls = "default = \"walls\"\nz_min = \"floor\"\nz_max = \"floor\"\n";
  text.materials = material("floor", floor) + material("walls", walls);
  text.source = "[0.5, 0.6, 0.7]";
  text.receiver = "[2.7, 1.8, 1.4]";
  text.more =
      "[[receiver]]\nname = \"R2\"\nposition = [2.0, 0.5, 1.9]\n[[receiver]]\nname = \"R3\"\nposition = [1.1, "
      "2.2, 0.4]\n";
  return text;
}

// The figures of a run as measured ones, of the octaves 125 and 250 Hz.
std::string measured_of(const fs::path& result) {
  const fdtd::ResultFigures read = fdtd::read_result_figures(result);
  nlohmann::json json = {{"bands_hz", {125, 250}}};
  for (std::size_t channel = 0; channel < read.figures->channels; ++channel)
    for (std::size_t f = 0; f < fdtd::main_figures; ++f) {
      const std::string name = fdtd::named_figures[f].name;
      if (name != "T20" && name != "EDT" && name != "C80") continue;
      nlohmann::json values = nlohmann::json::array();
      for (const double octave : {125.0, 250.0}) {
        const auto band = std::ranges::find(read.figures->centres, octave) - read.figures->centres.begin();
        const double value = read.figures->value(f, channel, static_cast<std::size_t>(band));
        values.push_back(std::isnan(value) ? nlohmann::json(nullptr) : nlohmann::json(value));
      }
      json["pairs"][read.sources[0].name + " " + read.receivers[channel].name][name] = values;
    }
  return json.dump();
}

// Runs the scene in `folder` and writes measured.json.
void measure(const TemporaryFolder& folder, const SceneText& truth) {
  folder.write("truth.toml", text_of(truth));
  const Outcome outcome = run_fdtd({"run", "truth.toml", "-o", "truth", "--quiet"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  folder.write("measured.json", measured_of(folder / "truth/result.h5"));
}

Alpha alpha_of(const fs::path& scene, const std::string& name) {
  const fdtd::ParsedScene parsed = fdtd::load_scene(scene);
  REQUIRE(parsed.problems.empty());
  const fdtd::Material& one = parsed.scene.materials.at(name);
  REQUIRE(one.bands == std::vector<double>{125.0, 250.0});
  return {one.alpha[0], one.alpha[1]};
}

void require_found(const fs::path& scene, const std::string& name, const Alpha& truth) {
  const Alpha found = alpha_of(scene, name);
  INFO(name);
  for (std::size_t o = 0; o < 2; ++o) CHECK(found[o] == Approx(truth[o]).margin(0.02));
}

// Wide: the prior then has no weight beside the figures. One material is fitted and the other kept, so that figures
// determine what is fitted.
const std::vector<std::string> wide = {"--spread", "3000"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a box gives its own absorption back from a prior 50 % off, and a pair held out agrees", "[cli][fit]") {
  const TemporaryFolder folder;
  const Alpha floor = {0.12, 0.2}, walls = {0.16, 0.1};
  measure(folder, small_box(floor, walls));
  folder.write("room.toml", text_of(small_box(floor, {0.24, 0.05})));
  const auto command = with(
      {"fit", "room.toml", "measured.json", "-o", "fitted.toml", "--hold", "R3", "--keep", "floor", "--json"}, wide);
  const Outcome outcome = run_fdtd(command, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  require_found(folder / "fitted.toml", "floor", floor);
  require_found(folder / "fitted.toml", "walls", walls);
  const std::string text = read_file(folder / "fitted.toml");
  CHECK_THAT(text, Contains("fit to measured.json") && Contains("held out: R3") && Contains("# floor"));

  const auto document = nlohmann::json::parse(outcome.out);
  CHECK(document["hold"] == nlohmann::json{"R3"});
  int held = 0;
  for (const auto& score : document["scores"]) {
    INFO(score.dump());
    held += score["held"] == true;
    CHECK(score["pairs"] == (score["held"] == true ? 1 : 2));
    CHECK(score["after"] < 1.0);
  }
  CHECK(held == 6);
  for (const auto& stage : document["stages"]) CHECK(stage["runs"] <= 6);

  // The file is in the way; with the runs that are there, the fit is made again without computing.
  const Outcome refused = run_fdtd(command, folder.path());
  CHECK(refused.status == 5);
  fs::remove(folder / "fitted.toml");
  const Outcome again = run_fdtd(command, folder.path());
  REQUIRE(again.status == 0);
  CHECK(again.out == outcome.out);
  CHECK(again.seconds < 0.7 * outcome.seconds);
  CHECK(read_file(folder / "fitted.toml") == text);
}

TEST_CASE("a fit takes responses, of a folder and of SOFA, as it takes their figures", "[cli][fit]") {
  const TemporaryFolder folder;
  folder.write("truth.toml", text_of(small_box({0.12, 0.2}, {0.16, 0.1})));
  REQUIRE(run_fdtd({"run", "truth.toml", "-o", "truth", "--quiet", "--sofa"}, folder.path()).status == 0);
  fs::create_directories(folder / "takes");
  for (const char* name : {"ir_R1.wav", "ir_R2.wav", "ir_R3.wav"})
    fs::copy(folder / "truth" / name, folder / "takes" / name);
  folder.write("room.toml", text_of(small_box({0.12, 0.2}, {0.24, 0.05})));
  std::vector<Alpha> found;
  for (const std::string measured : {"truth", "takes", "truth/responses.sofa"}) {
    INFO(measured);
    const std::string name = fmt::format("fitted{}.toml", found.size());
    const Outcome outcome = run_fdtd({"fit", "room.toml", measured, "-o", name, "--folder", name + "-runs", "--keep",
                                      "floor", "--octaves", "125,250", "--runs", "2", "--spread", "3000"},
                                     folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    found.push_back(alpha_of(folder / name, "walls"));
    for (std::size_t o = 0; o < 2; ++o) CHECK(found.back()[o] == Approx(found[0][o]).margin(0.01));  // SOFA has no G
  }
  CHECK(std::abs(found[0][0] - 0.16) < 0.04);  // from 0.24
  fs::create_directories(folder / "empty");
  const Outcome none = run_fdtd({"fit", "room.toml", "empty", "-o", "no.toml"}, folder.path());
  CHECK(none.status == 5);
  CHECK_THAT(none.err, Contains("holds neither result.h5 nor a response ir_SOURCE_RECEIVER.wav"));
}

TEST_CASE("an L-room of a mesh gives its own absorption back", "[cli][fit]") {
  const TemporaryFolder folder;
  // A mesh of an L: floor and ceiling of one material, six walls of another.
  std::string obj =
      "v 0 0 0\nv 3.6 0 0\nv 3.6 1.6 0\nv 1.5 1.6 0\nv 1.5 3.0 0\nv 0 3.0 0\n"
      "v 0 0 2.3\nv 3.6 0 2.3\nv 3.6 1.6 2.3\nv 1.5 1.6 2.3\nv 1.5 3.0 2.3\nv 0 3.0 2.3\n"
      "usemtl floor\nf 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nusemtl walls\n";
  for (int i = 1; i <= 6; ++i) obj += fmt::format("f {} {} {} {}\n", i, i % 6 + 1, i % 6 + 7, i + 6);
  folder.write("room.obj", obj);
  const auto scene = [](const Alpha& floor, const Alpha& walls) {
    SceneText text = small_box(floor, walls);
    text.room = "mesh = \"room.obj\"\n";
    text.walls = "";
    text.source = "[0.5, 0.6, 0.7]";
    text.receiver = "[3.1, 1.0, 1.4]";
    text.more =
        "[[receiver]]\nname = \"R2\"\nposition = [0.8, 2.5, 1.7]\n[[receiver]]\nname = \"R3\"\nposition = "
        "[2.0, 0.4, 0.5]\n";
    return text;
  };
  const Alpha floor = {0.1, 0.15}, walls = {0.14, 0.1};
  measure(folder, scene(floor, walls));
  folder.write("room.toml", text_of(scene({0.15, 0.225}, walls)));
  const Outcome outcome = run_fdtd(
      with({"fit", "room.toml", "measured.json", "-o", "fitted.toml", "--only", "floor"}, wide), folder.path());
  INFO(outcome.out);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  require_found(folder / "fitted.toml", "floor", floor);
  require_found(folder / "fitted.toml", "walls", walls);
  CHECK_THAT(outcome.out, Contains("absorption coefficients") && Contains("wrote fitted.toml"));
}

TEST_CASE("materials of equal walls that face each other are named as one", "[cli][fit]") {
  const TemporaryFolder folder;
  SceneText truth = small_box({0.1, 0.1}, {0.15, 0.15});
  truth.walls = "default = \"floor\"\nx_min = \"walls\"\nx_max = \"other\"\n";
  truth.materials += material("other", {0.15, 0.15});
  truth.box = "[2.6, 2.6, 2.2]";
  truth.source = "[1.3, 0.6, 0.7]";  // half-way, and so are the receivers: no figure knows one wall from the other
  truth.receiver = "[1.3, 1.9, 1.4]";
  truth.more = "";
  measure(folder, truth);
  folder.write("room.toml", text_of(truth));
  const Outcome outcome = run_fdtd(
      {"fit", "room.toml", "measured.json", "-o", "fitted.toml", "--keep", "floor", "--runs", "2"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out,
             Contains("125 Hz: walls, other are not distinguished by the figures; the sum of their alpha times area"));
  const fdtd::ParsedScene fitted = fdtd::load_scene(folder / "fitted.toml");
  CHECK(fitted.scene.materials.at("floor").alpha == std::vector<double>{0.1, 0.1});
}

TEST_CASE("a fit says what is missing before any run", "[cli][fit]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of(small_box({0.1, 0.1}, {0.15, 0.15})));
  folder.write("measured.json", R"({"bands_hz": [125], "pairs": {"S1 R1": {"t20": [0.5]}, "S1 R9": {"t20": [0.5]}}})");
  folder.write("others.json", R"({"bands_hz": [125], "pairs": {"A B": {"t20": [0.5]}}})");
  folder.write("only_d50.json", R"({"bands_hz": [125], "pairs": {"S1 R1": {"d50": [0.5]}}})");
  struct Case {
    std::string measured;
    std::vector<std::string> more;
    std::string message;
    int status;
  };
  for (const Case& one :
       std::vector<Case>{{"others.json", {}, "has no pair of the scene's sources (S1) and receivers (R1, R2, R3)", 2},
                         {"only_d50.json", {}, "has no T20, EDT, C80 or G", 2},
                         {"measured.json", {"--hold", "R11"}, "no source or receiver of the scene", 2},
                         {"measured.json", {"--hold", "S1"}, "leaves no pair to fit", 2},
                         {"measured.json", {"--only", "flor"}, "did you mean \"floor\"?", 2},
                         {"measured.json", {"--octaves", "250"}, "has no figures of the octave 250 Hz", 2},
                         {"measured.json", {"--keep", "floor", "--keep", "walls"}, "no material is left", 2},
                         {"missing.json", {}, "missing.json", 5},
                         {"measured.json", {"-o", "no/such/folder.toml"}, "no/such", 5}}) {
    INFO(one.message);
    std::vector<std::string> words = {"fit", "room.toml", one.measured};
    if (one.more.empty() || one.more[0] != "-o") words.insert(words.end(), {"-o", "fitted.toml"});
    const Outcome outcome = run_fdtd(with(words, one.more), folder.path());
    CHECK(outcome.status == one.status);
    CHECK_THAT(outcome.err, Contains(one.message));
  }
  CHECK_FALSE(fs::exists(folder / "fitted.toml"));
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("an interrupted fit writes the best so far, and the same command continues", "[cli][fit]") {
  const TemporaryFolder folder;
  SceneText text = small_box({0.1, 0.1}, {0.15, 0.15});
  folder.write("room.toml", text_of(text));
  folder.write("measured.json",
               R"({"bands_hz": [125, 250], "pairs": {"S1 R1": {"t20": [0.3, 0.3]}, "S1 R2": {"t20": [0.33, 0.33]}}})");
  const std::vector<std::string> command = {"fit", "room.toml", "measured.json", "-o", "fitted.toml"};
  RunningFdtd running(command, folder.path());
  while (running.running() && !fs::exists(folder / "out/room-fit/002"))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  running.send(SIGINT);
  const Outcome outcome = running.wait();
  INFO(outcome.err);
  REQUIRE(outcome.status == 130);
  CHECK_THAT(outcome.err, Contains("fitted.toml holds the best so far") && Contains("the same command continues"));
  CHECK_THAT(outcome.out, Contains("not finished, the best so far: interrupted") && Contains("prior  fitted") &&
                              Contains("1 runs: 1 of the whole scene"));
  CHECK(read_file(folder / "fitted.toml").starts_with("# fdtd fit was interrupted: "));
  const Outcome again = run_fdtd(command, folder.path());
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK_THAT(again.err, Contains("run 1: the whole scene, is there"));
  CHECK(read_file(folder / "fitted.toml").starts_with("# Absorption fitted by fdtd"));
}

TEST_CASE("a fit one of whose runs fails prints what it has, and the same command continues", "[cli][fit]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of(small_box({0.1, 0.1}, {0.15, 0.15})));
  folder.write("measured.json",
               R"({"bands_hz": [125, 250], "pairs": {"S1 R1": {"t20": [0.3, 0.3]}, "S1 R2": {"t20": [0.33, 0.33]}}})");
  fs::create_directories(folder / "out/room-fit");
  folder.write("out/room-fit/002", "in the way of a folder");
  const std::vector<std::string> command = {"fit",         "room.toml", "measured.json", "-o",
                                            "fitted.toml", "--json",    "--runs",        "2"};
  const Outcome outcome = run_fdtd(command, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 5);
  CHECK_THAT(outcome.err, Contains("the run in out/room-fit/002 failed") && Contains("holds the best so far") &&
                              Contains("the same command continues"));
  const auto document = nlohmann::json::parse(outcome.out);
  CHECK(document["finished"] == false);
  CHECK_THAT(document["unfinished"].get<std::string>(), Contains("002"));
  CHECK(document["stages"][0]["runs"] == 1);
  CHECK(document["octaves"][0]["materials"].size() == 2);
  CHECK(read_file(folder / "fitted.toml").starts_with("# fdtd fit was interrupted: "));
  fs::remove(folder / "out/room-fit/002");
  const Outcome again = run_fdtd(command, folder.path());
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK_THAT(again.err, Contains("run 1: the whole scene, is there"));
  CHECK(nlohmann::json::parse(again.out)["finished"] == true);
}

// Bounds set before the figures were seen: two runs, one of the prior and one step, halve what is left of times, and C80
// gains; six runs leave a fifth (docs/explanation/measured-rooms.md).
TEST_CASE("low octaves of a measured room, fitted to one loudspeaker, come nearer at the other", "[cli][fit]") {
  const fs::path room = fs::path(FDTD_SOURCE_DIR) / "../shared/data/rooms/bras_cr2";
  if (!fs::exists(room)) {
    WARN("skipped: " << room << " is not there");
    return;
  }
  const TemporaryFolder folder;
  for (const char* name : {"CR2.obj", "measured.json", "scene_initial.toml"}) fs::copy(room / name, folder / name);
  const Outcome outcome = run_fdtd({"fit", "scene_initial.toml", "measured.json", "-o", "fitted.toml", "--hold", "LS2",
                                    "--set", "simulation.max_frequency=355", "--set", "above.method=none", "--octaves",
                                    "63,125,250", "--runs", "2", "--json"},
                                   folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto document = nlohmann::json::parse(outcome.out);
  CHECK(document["stages"].size() == 1);
  CHECK(document["stages"][0]["runs"] == 2);
  for (const std::string figure : {"T20", "EDT", "C80"}) {
    double before = 0.0, after = 0.0;
    for (const auto& score : document["scores"])
      if (score["held"] == true && score["figure"] == figure) {
        CHECK(score["pairs"] == 5);
        before += score["before"].get<double>() / 3.0;
        after += score["after"].get<double>() / 3.0;
      }
    INFO(figure << ": " << before << " > " << after);
    CHECK(after < (figure == "C80" ? 1.0 : 0.5) * before);
  }
}
