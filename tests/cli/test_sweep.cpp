// fdtd sweep as a user meets it.
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

std::string scene(double duration, const std::string& above = "method = \"none\"\n") {
  SceneText scene;
  scene.simulation = "duration = " + std::to_string(duration) + "\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  scene.materials = "[materials.panel]\nadmittance = 0.05\n";
  scene.above = above;
  return text_of(scene);
}

// The lines of a sweep, by the number of their run.
std::vector<nlohmann::json> lines_of(const Outcome& outcome) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a["run"] < b["run"]; });
  return lines;
}

}  // namespace

TEST_CASE("a sweep runs every combination, each as it would run alone, and reports a line of JSON each", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.01));
  const std::vector<std::string> command = {"sweep",  "room.toml",
                                            "-o",     "made",
                                            "--jobs", "2",
                                            "--set",  "room.box=[[1.3, 1.1, 0.9], [1.4, 1.1, 0.9]]",
                                            "--set",  "simulation.stencil=[leggy-2, \"leggy-3\"]"};
  const Outcome outcome = run_fdtd(command, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto lines = lines_of(outcome);
  REQUIRE(lines.size() == 4);
  CHECK(lines[2]["set"] == nlohmann::json{{"room.box", "[1.4, 1.1, 0.9]"}, {"simulation.stencil", "leggy-2"}});
  CHECK(lines[3]["plan"]["stencil"] == "leggy-3/taylor");
  CHECK(lines[3]["folder"] == "made/004");
  CHECK(lines[1]["status"] == 0);
  CHECK(lines[1]["receivers"].size() == 1);
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "alone", "--set", "room.box=[1.4, 1.1, 0.9]", "--set",
                    "simulation.stencil=leggy-3"},
                   folder.path())
              .status == 0);
  CHECK(read_file(folder.path() / "alone/ir_R.wav") == read_file(folder.path() / "made/004/ir_R.wav"));

  // Again: nothing is computed, the same lines are reported; missing runs are made anew.
  const auto time = fs::last_write_time(folder.path() / "made/001/result.h5");
  fs::remove_all(folder.path() / "made/003");
  const Outcome again = run_fdtd(command, folder.path());
  REQUIRE(again.status == 0);
  const auto repeated = lines_of(again);
  REQUIRE(repeated.size() == 4);
  CHECK(repeated[0] == lines[0]);
  CHECK(repeated[2]["receivers"] == lines[2]["receivers"]);
  CHECK(fs::last_write_time(folder.path() / "made/001/result.h5") == time);

  // Another scene in the same folder is a mistake.
  folder.write("room.toml", scene(0.012));
  const Outcome other = run_fdtd(command, folder.path());
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains("another scene") && Contains("--force"));
}

// Of a sweep whose runs are there already the preparation alone is left: it chose the stencil of every room, which took a
// third of the time of all runs.
TEST_CASE("small boxes are not planned before the runs of a sweep", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.05));
  const std::vector<std::string> command = {
      "sweep",  "room.toml",
      "-o",     "made",
      "--jobs", "1",
      "--set",  "simulation.stencil=[auto]",
      "--set",  "room.box=[[2.3, 2.1, 1.9], [2.4, 2.1, 1.9], [2.5, 2.1, 1.9], [2.6, 2.1, 1.9]]"};
  const Outcome all = run_fdtd(command, folder.path());
  Outcome prepared = run_fdtd(command, folder.path());
  for (int again = 0; again < 3; ++again)  // other programs only add to the time
    prepared.seconds = std::min(prepared.seconds, run_fdtd(command, folder.path()).seconds);
  INFO(all.err);
  REQUIRE(all.status == 0);
  REQUIRE(prepared.status == 0);
  CHECK(prepared.out == all.out);
  CAPTURE(all.seconds, prepared.seconds);
  CHECK(prepared.seconds < 0.2 * all.seconds);
}

TEST_CASE("mistakes in a sweep's values are reported before anything runs", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.01));
  const auto refused = [&](const std::string& set) {
    const Outcome outcome = run_fdtd({"sweep", "room.toml", "-o", "made", "--set", set}, folder.path());
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(fs::exists(folder.path() / "made"));
    return outcome.err;
  };
  CHECK_THAT(refused("room.box=[[1.3, 1.1, 0.9], [0.2, 1.1, 0.9]]"),
             Contains("run 002") && Contains("outside the room"));
  CHECK_THAT(refused("room.box=[]"), Contains("empty"));
  CHECK_THAT(refused("room.bx=[1, 2]"), Contains("did you mean box"));
  CHECK_THAT(refused("nothing"), Contains("needs a key"));
  CHECK(run_fdtd({"sweep", "room.toml"}, folder.path()).status == 2);
}

TEST_CASE("a batch where there is no GPU for it is refused before anything runs", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.01));
  const auto refused = [&](const std::vector<std::string>& more, int status) {
    std::vector<std::string> command = {"sweep", "room.toml", "-o",
                                        "made",  "--set",     "simulation.duration=[0.01, 0.02]"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = run_fdtd(command, folder.path());
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK_FALSE(fs::exists(folder.path() / "made"));
    return outcome.err;
  };
  for (const char* rooms : {"auto", "4"})
    CHECK_THAT(refused({"--batch", rooms, "--device", "cpu"}, 3),
               Contains("run 001") && Contains("a batch needs a GPU, and the device is cpu") &&
                   Contains("leave the batch out"));
  for (const char* rooms : {"0", "-1", "4x", "257"})
    CHECK_THAT(refused({"--batch", rooms}, 2), Contains("neither auto nor a number from 1 to 256"));
  CHECK_THAT(refused({"--batch", "2", "--jobs", "2"}, 2), Contains("excludes"));
}

TEST_CASE("quotes and brackets that are not closed, and seeds that are no whole numbers, are refused", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.01));
  const auto refused = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"sweep", "room.toml", "-o", "made"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_fdtd(all, folder.path());
    UNSCOPED_INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK_FALSE(fs::exists(folder.path() / "made"));
    return outcome.err;
  };
  for (const char* option : {"--set", "--zip"}) {
    CHECK_THAT(refused({option, "simulation.stencil=[\"leggy-2, leggy-3]"}), Contains("a quote \" is not closed"));
    CHECK_THAT(refused({option, "simulation.stencil=['leggy-2, 'leggy-3']"}), Contains("a quote ' is not closed"));
    CHECK_THAT(refused({option, "simulation.stencil=\"leggy-2"}), Contains("a quote \" is not closed"));
    CHECK_THAT(refused({option, "room.box=[[1.3, 1.1, 0.9], [1.4, 1.1, 0.9]"}),
               Contains("a bracket is not closed: ] is"));
    CHECK_THAT(refused({option, "room.box=[1.3, 1.1, 0.9]]"}), Contains("a ] that closes nothing"));
  }
  CHECK_THAT(refused({"--draw", "simulation.stencil=choice([\"leggy-2, leggy-3])", "--runs", "2"}),
             Contains("a quote \" is not closed"));
  CHECK_THAT(refused({"--draw", "room.box=[uniform(1.2, 1.4, 1.1, 0.9]", "--runs", "2"}), Contains("closes nothing"));
  for (const auto& [line, what] : {std::pair{"\"leggy-2", "a quote \" is not closed in its line"},
                                   {"\"leggy-2\" and more", "text after the quote that closes \"leggy-2\""},
                                   {"'leggy-2", "the value of simulation.stencil: a quote ' is not closed"}}) {
    folder.write("runs.csv", std::string("simulation.stencil\nleggy-2\n") + line + "\n");
    CHECK_THAT(refused({"--list", "runs.csv"}), Contains("runs.csv:3: ") && Contains(what));
  }
  for (const char* seed : {"-1", "-0", "1.5", "1e3", "0x10", "18446744073709551616", "seven", " 7", ""}) {
    CAPTURE(seed);
    CHECK_THAT(refused({"--draw", "materials.panel.admittance=uniform(0.04, 0.06)", "--runs", "2",
                        std::string("--seed=") + seed}),
               Contains("seed"));
  }
}

TEST_CASE("an interrupted sweep resumes where it was", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(8.0));
  const std::vector<std::string> command = {
      "sweep", "room.toml", "-o", "made", "--jobs", "1", "--set", "materials.panel.admittance=[0.05, 0.06]", "--quiet"};
  RunningFdtd running(command, folder.path());
  for (int i = 0; i < 6000 && !fs::exists(folder.path() / "made/001/.fdtd-lock"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  running.send(SIGTERM);
  const Outcome first = running.wait();
  INFO(first.err);
  CHECK(first.status == 130);
  CHECK_THAT(first.err, Contains("the same command continues"));
  const Outcome second = run_fdtd(command, folder.path());
  INFO(second.err);
  CHECK(second.status == 0);
  CHECK(lines_of(second).size() == 2);
}

TEST_CASE("runs that a sweep's end meets before they step are left to do, not failed", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(300.0));
  for (int i = 0; i < 6; ++i) {
    const std::string made = "made" + std::to_string(i);
    RunningFdtd running({"sweep", "room.toml", "-o", made, "--jobs", "2", "--set",
                         "materials.panel.admittance=[0.05, 0.06, 0.07]", "--quiet"},
                        folder.path());
    for (int k = 0; k < 6000 && !fs::exists(folder / (made + "/.fdtd-lock")); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(8 * i));
    running.send(SIGTERM);
    const Outcome outcome = running.wait();
    INFO(outcome.out << outcome.err);
    if (outcome.status == 128 + SIGTERM) continue;  // before it looked
    CHECK(outcome.status == 130);
    CHECK(lines_of(outcome).empty());
    CHECK_THAT(outcome.err, Contains("3 of 3 runs are not finished"));
  }
}

TEST_CASE("a run that was killed is reported as that, and the sweep continues", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(300.0));
  RunningFdtd running(
      {"sweep", "room.toml", "-o", "made", "--jobs", "1", "--set", "simulation.duration=[300.0, 0.01]", "--quiet"},
      folder.path());
  const fs::path lock = folder / "made/001/.fdtd-lock";
  int process = 0;  // as the lock reports it
  for (int k = 0; k < 6000 && process == 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (fs::exists(lock)) std::sscanf(read_file(lock).c_str(), "process %d", &process);
  }
  REQUIRE(process > 1);
  REQUIRE(::kill(process, SIGKILL) == 0);
  const Outcome outcome = running.wait();
  INFO(outcome.err);
  CHECK(outcome.status == 128 + SIGKILL);
  const auto lines = lines_of(outcome);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["status"] == 128 + SIGKILL);
  CHECK(lines[0]["error"] == "killed by signal 9");
  CHECK(lines[1]["status"] == 0);
}

TEST_CASE("a sweep takes lists in step, lines of a table and draws, and writes a table of its figures", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.01));
  const Outcome outcome =
      run_fdtd({"sweep", "room.toml", "-o", "made", "--quiet", "--zip", "room.box=[[1.3, 1.1, 0.9], [1.4, 1.1, 0.9]]",
                "--zip", "simulation.stencil=[leggy-2, \"leggy-3\"]", "--draw",
                "materials.panel.admittance=uniform(0.04, 0.06)", "--runs", "2", "--seed", "7"},
               folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto lines = lines_of(outcome);
  REQUIRE(lines.size() == 4);
  CHECK(lines[3]["set"]["room.box"] == "[1.4, 1.1, 0.9]");
  CHECK(lines[3]["plan"]["stencil"] == "leggy-3/taylor");
  CHECK(lines[0]["set"]["materials.panel.admittance"] == lines[2]["set"]["materials.panel.admittance"]);
  std::istringstream table(read_file(folder.path() / "made/sweep.csv"));
  std::string line;
  std::getline(table, line);
  CHECK(line ==
        "run,room.box,simulation.stencil,materials.panel.admittance,status,error,source,receiver,band,EDT,T20,T30,C50,"
        "C80,D50,Ts,G,curvature,nonlinearity_T20,nonlinearity_T30,DRR,LF,LFC,LJ,ST_early,ST_late,IACC_early,"
        "IACC_late,IACC");
  std::size_t rows = 0, broadband = 0;
  while (std::getline(table, line)) {
    ++rows;
    broadband += line.find(",S1,R1,all,") != std::string::npos ? 1 : 0;
    if (rows == 1) CHECK(line.starts_with("1,\"[1.3, 1.1, 0.9]\",leggy-2,0.0"));
  }
  CHECK(broadband == 4);
  CHECK(rows == 4 * (lines[0]["receivers"][0]["metrics"]["bands"].size() + 1));

  // A run that fails has one row; the values of a table are run line by line.
  folder.write("runs.csv",
               "simulation.stencil, room.box\r\nleggy-2,\"[1.3, 1.1, 0.9]\"\n\nleggy-3,\"[1.5, 1.1, 0.9]\"\n");
  const Outcome listed =
      run_fdtd({"sweep", "room.toml", "-o", "listed", "--quiet", "--list", "runs.csv"}, folder.path());
  INFO(listed.err);
  REQUIRE(listed.status == 0);
  CHECK(lines_of(listed)[1]["set"]["room.box"] == "[1.5, 1.1, 0.9]");

  const auto refused = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command = {"sweep", "room.toml", "-o", "none"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome failed = run_fdtd(command, folder.path());
    CHECK(failed.status == 2);
    CHECK_FALSE(fs::exists(folder.path() / "none"));
    return failed.err;
  };
  CHECK_THAT(refused({"--zip", "a.b=[1, 2]", "--zip", "a.c=[1, 2, 3]"}), Contains("3 values") && Contains("have 2"));
  CHECK_THAT(refused({"--draw", "a.b=uniform(1, 2)"}), Contains("--draw and --runs go together"));
  CHECK_THAT(refused({"--draw", "a.b=uniform(2, 1)", "--runs", "1"}), Contains("2 is above 1"));
  CHECK_THAT(refused({"--draw", "a.b=cauchy(2, 1)", "--runs", "1"}), Contains("no distribution cauchy"));
  CHECK_THAT(refused({"--draw", "a.b=3", "--runs", "1"}), Contains("holds no distribution"));
  CHECK_THAT(refused({"--draw", "a.b=[uniform(1, 2]", "--runs", "1"}), Contains("closes nothing"));
  CHECK_THAT(refused({"--set", "a.b=[1]", "--zip", "a.b=[2]"}), Contains("a.b is given twice"));
  CHECK_THAT(refused({"--list", "nowhere.csv"}), Contains("nowhere.csv: no such file"));
  folder.write("short.csv", "a.b,a.c\n1\n");
  CHECK_THAT(refused({"--list", "short.csv"}), Contains("short.csv:2: 1 values for 2 keys"));
}

TEST_CASE("a sweep computes the waves of runs once that differ in geometry, scattering or output alone", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene(0.05, "method = \"rays\"\nrays = 2000\n"));
  const std::vector<std::string> panels = {"{admittance = 0.05, scattering = 0.3}",
                                           "{scattering = {bands = [500, 1000], s = [0.1, 0.5]}, admittance = 0.05}"};
  const Outcome outcome = run_fdtd(
      {"sweep", "room.toml", "-o", "made", "--jobs", "2", "--quiet", "--set", "above.seed=[1, 2]", "--set",
       "materials.panel=[" + panels[0] + ", " + panels[1] + "]", "--set", "simulation.stencil=[leggy-2, leggy-3]"},
      folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto lines = lines_of(outcome);
  REQUIRE(lines.size() == 8);
  std::map<std::string, int> computed;  // by stencil
  for (const auto& line : lines)
    if (!line.contains("waves_from")) ++computed[line["plan"]["stencil"]];
  CHECK(computed == std::map<std::string, int>{{"leggy-2/taylor", 1}, {"leggy-3/taylor", 1}});
  for (const auto& [run, panel, stencil] : {std::tuple{"004", 1, "leggy-3"}, {"005", 0, "leggy-2"}}) {
    const std::string seed = run == std::string("004") ? "1" : "2", alone = std::string("alone") + run;
    REQUIRE(run_fdtd({"run", "room.toml", "-o", alone, "--quiet", "--set", "above.seed=" + seed, "--set",
                      "materials.panel=" + panels[static_cast<std::size_t>(panel)], "--set",
                      std::string("simulation.stencil=") + stencil},
                     folder.path())
                .status == 0);
    CHECK(read_file(folder / (alone + "/ir_R.wav")) == read_file(folder / (std::string("made/") + run + "/ir_R.wav")));
  }
  // A run that is made anew takes the waves of those that are there.
  fs::remove_all(folder / "made/001");
  const Outcome again = run_fdtd(
      {"sweep", "room.toml", "-o", "made", "--quiet", "--set", "above.seed=[1, 2]", "--set",
       "materials.panel=[" + panels[0] + ", " + panels[1] + "]", "--set", "simulation.stencil=[leggy-2, leggy-3]"},
      folder.path());
  REQUIRE(again.status == 0);
  CHECK(lines_of(again)[0]["waves_from"] == "made/003/result.h5");
}

TEST_CASE("a sweep computes the waves of each run where a material is called as a key is, or holds an equals sign",
          "[cli]") {
  const TemporaryFolder folder;
  std::string room = scene(0.005);
  for (const char* name : {"scattering", "a=b"}) room += fmt::format("[materials.\"{}\"]\nadmittance = 0.05\n", name);
  folder.write("room.toml", room);
  for (const std::string key : {"materials.scattering.admittance", "materials.\"a=b\".admittance"}) {
    INFO(key);
    const Outcome outcome = run_fdtd({"sweep", "room.toml", "-o", "made", "--quiet", "--force", "--set",
                                      key + "=[0.1, 0.2]", "--set", "above.seed=[1, 2]"},
                                     folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto lines = lines_of(outcome);
    REQUIRE(lines.size() == 4);
    CHECK(lines[2]["set"][key] == "0.2");
    CHECK_FALSE(lines[0].contains("waves_from"));
    CHECK(lines[1].contains("waves_from"));
    CHECK_FALSE(lines[2].contains("waves_from"));
    CHECK(lines[3].contains("waves_from"));
  }
}
