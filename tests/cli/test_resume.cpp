// Runs that are interrupted, killed and resumed, as a user sees them: the outputs are those of a run left in peace.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> outputs = {"ir_S1_R1.wav", "ir_S2_R1.wav", "report.html", "result.h5"};

void check_same_outputs(const fs::path& gold, const fs::path& silver) {
  CHECK(names_in(silver) == outputs);
  CHECK((outputs_of(silver) == outputs_of(gold)));
}

}  // namespace

TEST_CASE("a run ended by SIGINT, SIGTERM or --max-time leaves a checkpoint and resumes to the same bytes", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f64", 0.3));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "gold", "--quiet"}, folder.path()).status == 0);
  for (const int signal : {SIGINT, SIGTERM, 0}) {
    const std::string name = "made" + std::to_string(signal);
    std::vector<std::string> command = {"run", "room.toml", "-o", name, "--quiet", "--resume"};
    std::vector<std::string> first = command;
    if (signal == 0) first.insert(first.end(), {"--max-time", "0.001s"});
    first.insert(first.end(), {"--checkpoint-every", "20steps"});
    RunningFdtd running(first, folder.path());
    if (signal != 0) {
      REQUIRE(appears(folder.path() / name / "checkpoint-previous.h5"));
      running.send(signal);
    }
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    if (outcome.status == 0) continue;  // it was quicker than the signal
    CHECK(outcome.status == 130);
    CHECK_THAT(outcome.err, Contains("--resume") && Contains("checkpoint.h5"));
    CHECK(fs::exists(folder.path() / name / "checkpoint.h5"));
    CHECK_FALSE(fs::exists(folder.path() / name / "result.h5"));
    command.insert(command.end(), {"--threads", "3"});
    REQUIRE(run_fdtd(command, folder.path()).status == 0);
    check_same_outputs(folder.path() / "gold", folder.path() / name);
  }
}

TEST_CASE("a run ended or killed while rays go resumes from its records to the same bytes", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.3\nmax_frequency = 250.0\nstencil = \"leggy-3\"\n";
  scene.box = "[2.3, 1.9, 1.4]";
  scene.walls = "default = \"plaster\"\n";
  scene.materials =
      "[materials.plaster]\nabsorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }\nscattering = 0.3\n";
  scene.source = "[1.0, 0.3, 1.1]";
  scene.receiver = "[1.7, 1.1, 0.4]";
  scene.above = "method = \"rays\"\nrays = 30000\n";
  folder.write("room.toml", text_of(scene));
  const std::vector<std::string> run = {"run", "room.toml", "--resume", "-o"};
  const auto command = [&](const char* into, const std::vector<std::string>& more) {
    std::vector<std::string> words = run;
    words.emplace_back(into);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  REQUIRE(run_fdtd(command("gold", {"--quiet"}), folder.path()).status == 0);
  const fs::path made = folder.path() / "made";
  {
    RunningFdtd running(command("made", {"--quiet", "--checkpoint-every", "off"}), folder.path());
    REQUIRE(appears(made / "checkpoint.h5"));
    running.send(SIGTERM);
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    REQUIRE(outcome.status == 130);
    CHECK_THAT(outcome.err, Contains("interrupted after the last step"));
    CHECK_THAT(outcome.err, Contains("made/checkpoint.h5 holds the waves") && Contains("--resume"));
  }
  const auto records = fs::last_write_time(made / "checkpoint.h5");
  CHECK(names_in(made) == std::vector<std::string>{"checkpoint.h5"});
  {
    RunningFdtd running(command("made", {"--quiet"}), folder.path());
    sleep_for(0.3);
    running.send(SIGKILL);
    REQUIRE(running.wait().status != 0);
  }
  CHECK(fs::last_write_time(made / "checkpoint.h5") == records);
  const Outcome last = run_fdtd(command("made", {"--threads", "3"}), folder.path());
  INFO(last.err);
  REQUIRE(last.status == 0);
  CHECK_THAT(last.err, Contains("resuming from made/checkpoint.h5: all steps are done"));
  CHECK((outputs_of(made) == outputs_of(folder.path() / "gold")));
  CHECK_FALSE(fs::exists(made / "checkpoint.h5"));
}

TEST_CASE("a run whose steps have ended is not lost by a signal: its files are written first", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.2\nmax_frequency = 200.0\nstencil = \"leggy-3\"\n";
  scene.box = "[2.3, 1.9, 1.4]";
  scene.source = "[1.0, 0.3, 1.1]";
  scene.receiver = "[1.7, 1.1, 0.4]";
  scene.more =
      "[[receiver]]\nname = \"seats\"\ngrid = { from = [0.2, 0.2, 0.6], to = [2.1, 1.7, 0.6], count = [20, 16, 1] }\n";
  folder.write("room.toml", text_of(scene));
  const auto command = [](const char* into) {
    return std::vector<std::string>{"run", "room.toml", "-o", into, "--checkpoint-every", "off"};
  };
  const Outcome gold = run_fdtd(command("gold"), folder.path());
  INFO(gold.err);
  REQUIRE(gold.status == 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = "made" + std::to_string(signal);
    RunningFdtd running(command(name.c_str()), folder.path());
    REQUIRE(appears(folder.path() / name / "result.h5"));  // the first file, and several hundred responses follow
    running.send(signal);
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK((outputs_of(folder.path() / name) == outputs_of(folder.path() / "gold")));
    CHECK_THAT(outcome.err, Contains("files are written first"));
  }
}

// FDTD_KILLS=400 in the environment kills as often as bench/results/kills.jsonl says; a few times tell a regression.
TEST_CASE("runs killed at random times resume to the bytes of an undisturbed run", "[cli]") {
  for (const char* precision : {"f32", "f64"}) {
    Kills kills;
    kills.precision = precision;
    kills.count = (kills_asked(6) + 1) / 2;
    kill_and_resume(kills);
  }
}

TEST_CASE("runs with snapshots killed at random times resume to the same bytes", "[cli]") {
  Kills kills;
  kills.snapshots = true;
  kills.count = kills_asked(3);
  kill_and_resume(kills);
}

TEST_CASE("an interrupted run is neither overwritten by mistake nor resumed in another scene", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.05));
  const auto made = folder.path() / "made";
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--max-time", "0.001s"}, folder.path()).status == 130);
  const std::string checkpoint = read_file(made / "checkpoint.h5");
  const Outcome again = run_fdtd({"run", "room.toml", "-o", "made"}, folder.path());
  CHECK(again.status == 5);
  CHECK_THAT(again.err, Contains("--resume") && Contains("--force"));
  const Outcome other =
      run_fdtd({"run", "room.toml", "-o", "made", "--resume", "--set", "simulation.precision=f64"}, folder.path());
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains("precision: f64 here, f32 there"));
  CHECK(names_in(made) == std::vector<std::string>{"checkpoint.h5"});
  CHECK(read_file(made / "checkpoint.h5") == checkpoint);
  CHECK(run_fdtd({"run", "room.toml", "-o", "made", "--force"}, folder.path()).status == 0);
  CHECK(names_in(made) == outputs);
}

TEST_CASE("a run that has ended is left as it is by --resume, which says so", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.05));
  const auto made = folder.path() / "made";
  const std::vector<std::string> command = {"run", "room.toml", "-o", "made", "--resume"};
  const Outcome first = run_fdtd(command, folder.path());
  REQUIRE(first.status == 0);
  CHECK_THAT(first.err, Contains("no checkpoint in made: the run starts from the beginning"));
  const auto made_at = std::filesystem::last_write_time(made / "result.h5");
  const Outcome again = run_fdtd(command, folder.path());
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Contains("this run is complete") && Contains("--force"));
  CHECK(std::filesystem::last_write_time(made / "result.h5") == made_at);
  CHECK(names_in(made) == outputs);
  const Outcome other =
      run_fdtd({"run", "room.toml", "-o", "made", "--resume", "--set", "simulation.precision=f64"}, folder.path());
  CHECK(other.status == 5);  // another run's result is neither taken for this one's nor replaced
  CHECK_THAT(other.err, Contains("exists already and is kept"));
  CHECK(std::filesystem::last_write_time(made / "result.h5") == made_at);
}

TEST_CASE("a damaged checkpoint is refused, and the older one offered and taken", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.1));
  const auto made = folder.path() / "made";
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "gold"}, folder.path()).status == 0);
  {
    RunningFdtd running({"run", "room.toml", "-o", "made", "--checkpoint-every", "10steps"}, folder.path());
    REQUIRE(appears(made / "checkpoint-previous.h5"));
    running.send(SIGTERM);
    if (running.wait().status == 0) return;  // too quick for us
  }
  std::string bytes = read_file(made / "checkpoint.h5");
  bytes.resize(bytes.size() / 2);
  std::ofstream(made / "checkpoint.h5", std::ios::binary) << bytes;
  const Outcome refused = run_fdtd({"run", "room.toml", "-o", "made", "--resume"}, folder.path());
  CHECK(refused.status == 5);
  CHECK_THAT(refused.err, Contains("--resume-from made/checkpoint-previous.h5"));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "made", "--resume-from", "made/checkpoint-previous.h5"}, folder.path())
              .status == 0);
  check_same_outputs(folder.path() / "gold", made);
}

TEST_CASE("of two runs with one output exactly one wins", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 2.0));
  RunningFdtd first({"run", "room.toml", "-o", "made", "--checkpoint-every", "5steps"}, folder.path());
  REQUIRE(appears(folder.path() / "made/checkpoint.h5"));
  const Outcome second = run_fdtd({"run", "room.toml", "-o", "made", "--force"}, folder.path());
  CHECK(second.status == 5);
  CHECK_THAT(second.err, Contains("another run (process"));
  CHECK(first.running());
  first.send(SIGTERM);
  CHECK(first.wait().status == 130);
  CHECK(names_in(folder.path() / "made") == std::vector<std::string>{"checkpoint-previous.h5", "checkpoint.h5"});
}

TEST_CASE("a time or an interval that is none is refused with an example", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.05));
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--checkpoint-every", "soon"},
                                                        {"--checkpoint-every", "-1min"},
                                                        {"--checkpoint-every", "5"},
                                                        {"--checkpoint-every", "0.5steps"},
                                                        {"--checkpoint-every", "inf h"},
                                                        {"--max-time", "10steps"},
                                                        {"--max-time", "nan"}}) {
    const Outcome outcome = run_fdtd({"run", "room.toml", option, value}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(option) && Contains("30"));
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"room.toml"});
}

TEST_CASE("stop = { decay_db = 30 } writes the beginning of the whole response, and says so", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f64", 0.8));
  const std::vector<std::string> soft = {
      "run", "room.toml", "--set", "materials.plaster.absorption=", "--set", "materials.plaster.admittance=0.2"};
  std::vector<std::string> whole = soft, early = soft;
  whole.insert(whole.end(), {"-o", "whole"});
  early.insert(early.end(), {"-o", "early", "--set", "simulation.stop={ decay_db = 30 }"});
  REQUIRE(run_fdtd(whole, folder.path()).status == 0);
  const Outcome outcome = run_fdtd(early, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("every receiver has decayed by 30 dB"));
  const Result all = read_result(folder.path() / "whole/result.h5"),
               part = read_result(folder.path() / "early/result.h5");
  REQUIRE(part.rendered.samples < all.rendered.samples * 3 / 4);
  REQUIRE(part.rendered.samples > 48000 / 20);
  double peak = 0.0, off = 0.0;
  for (std::int64_t n = 0; n < part.rendered.samples; ++n) {
    const auto i = static_cast<std::size_t>(n);
    peak = std::max(peak, std::abs(all.rendered.ir[i]));
    off = std::max(off, std::abs(all.rendered.ir[i] - part.rendered.ir[i]));
  }
  CHECK(off < 0.05 * peak);  // the end is faded where it has not decayed further
  const Outcome wrong =
      run_fdtd({"run", "room.toml", "-o", "wrong", "--set", "simulation.stop={ decay = 30 }"}, folder.path());
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("decay_db"));
}
