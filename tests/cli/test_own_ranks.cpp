// A run that starts its ranks itself (`--device cuda:all`; here on CPUs, by the same launcher): signals, and nothing
// left behind, whatever mpirun does with signals.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

constexpr int ranks = 2;

void write_room(const TemporaryFolder& folder) {
  SceneText scene;
  scene.simulation = "duration = 0.15\nmax_frequency = 3000.0\nstencil = \"leggy-2\"\n";
  scene.box = "[1.3, 1.1, 3.1]";
  folder.write("room.toml", text_of(scene));
}

// The output folder in full, by which the processes of a test differ from all others.
std::vector<std::string> run_words(const TemporaryFolder& folder, const std::string& out,
                                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", "room.toml", "-o", (folder / out).string(), "--device", "cpu", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// An mpirun in `folder`/bin that is a script, which starts the real one after `first`.
std::string path_with_script(const TemporaryFolder& folder, const std::string& first) {
  fs::create_directories(folder / "bin");
  const fs::path script =
      folder.write("bin/mpirun", "#!/bin/sh\n" + first + "\n" + FDTD_MPIEXEC + " \"$@\"\nexit $?\n");
  fs::permissions(script, fs::perms::owner_all);
  return (folder / "bin").string() + ":" + std::getenv("PATH");
}

RunningFdtd launch(const TemporaryFolder& folder, const std::vector<std::string>& words, const std::string& path = "") {
  std::vector<std::string> all = {std::to_string(ranks), tested_program()};
  all.insert(all.end(), words.begin(), words.end());
  std::map<std::string, std::string> environment = mpirun_environment();
  if (!path.empty()) environment["PATH"] = path;
  return {all, folder.path(), environment, FDTD_LAUNCHER};
}

// Numbers of the processes that have `text` among their arguments, and that run `program` where that is given.
std::vector<int> processes(const std::string& text, const std::string& program = "") {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int number = std::atoi(entry.path().filename().c_str());
    std::error_code none;
    if (number <= 0 || (!program.empty() && fs::read_symlink(entry.path() / "exe", none) != program)) continue;
    std::string arguments;
    try {
      arguments = read_file(entry.path() / "cmdline");
    } catch (const std::exception&) {  // it has ended
    }
    if (arguments.find(text) != arguments.npos) found.push_back(number);
  }
  return found;
}

bool within(double seconds, const auto& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

constexpr const char* swallows = "trap '' USR1";

}  // namespace

TEST_CASE("a run that has started its ranks itself leaves a checkpoint at each signal, and is resumed", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder);
  const Outcome gold = run_fdtd(run_words(folder, "gold"), folder.path());
  INFO(gold.err);
  REQUIRE(gold.status == 0);
  const std::string deaf = path_with_script(folder, swallows);  // an mpirun that passes nothing on
  for (const auto& [signal, path] : {std::pair(SIGINT, deaf), {SIGUSR1, deaf}, {SIGTERM, ""}}) {
    INFO("signal " << signal);
    const std::string out = fmt::format("ended{}", signal);
    RunningFdtd running = launch(folder, run_words(folder, out, {"--checkpoint-every", "20steps"}), path);
    REQUIRE(within(60.0, [&] { return fs::exists(folder / out / "checkpoint.h5"); }));
    running.send(signal);
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    CHECK(outcome.status == 130);
    CHECK_THAT(outcome.err, Contains("interrupted after") && Contains("--resume continues"));
    CHECK_FALSE(fs::exists(folder / out / "result.h5"));
    CHECK(processes((folder / out).string()).empty());
  }
  const Outcome resumed = run_fdtd(run_words(folder, "ended2", {"--resume"}), folder.path());
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK((outputs_of(folder / "ended2") == outputs_of(folder / "gold")));
}

TEST_CASE("a second SIGINT ends ranks that cannot end, and none is left", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder);
  const std::string out = (folder / "out").string();
  for (const std::string& path : {std::string(), path_with_script(folder, swallows)}) {
    INFO("PATH " << path);
    RunningFdtd running = launch(folder, run_words(folder, "out", {"--checkpoint-every", "20steps", "--force"}), path);
    REQUIRE(within(60.0, [&] { return fs::exists(folder / "out/checkpoint.h5"); }));
    const std::vector<int> stopped = processes(out, tested_program());
    REQUIRE(stopped.size() == static_cast<std::size_t>(ranks));
    for (const int rank : stopped) kill(rank, SIGSTOP);
    running.send(SIGINT);
    CHECK_FALSE(within(1.5, [&] { return !running.running(); }));
    running.send(SIGINT);
    CHECK(running.wait().status == 130);
    CHECK(processes(out).empty());
    fs::remove_all(out);
  }
}

TEST_CASE("a signal before the ranks have begun ends them with its status", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder);
  const std::string path = path_with_script(folder, fmt::format("{}\ntouch started\nsleep 1", swallows));
  RunningFdtd running = launch(folder, run_words(folder, "out"), path);
  REQUIRE(within(30.0, [&] { return fs::exists(folder / "started"); }));
  running.send(SIGINT);
  const Outcome outcome = running.wait();
  INFO(outcome.err);
  CHECK(outcome.status == 130);
  CHECK_FALSE(fs::exists(folder / "out/result.h5"));
  CHECK(processes((folder / "out").string()).empty());
}

TEST_CASE("ranks whose launcher is killed write a checkpoint and end", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder);
  const std::string out = (folder / "out").string();
  {
    // The script has no trap: it is ended with the launcher, and mpirun, which it has started, is not.
    RunningFdtd running = launch(folder, run_words(folder, "out"), path_with_script(folder, ":"));
    REQUIRE(
        within(60.0, [&] { return fs::exists(folder / "out") && processes(out, tested_program()).size() == ranks; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // steps have begun
    running.send(SIGKILL);
    CHECK(running.wait().status == 128 + SIGKILL);
  }
  CHECK(within(20.0, [&] { return processes(out).empty(); }));
  CHECK(fs::exists(folder / "out/checkpoint.h5"));
  CHECK_FALSE(fs::exists(folder / "out/result.h5"));
}

TEST_CASE("the status of a run that has started its ranks itself is theirs", "[cli]") {
  const TemporaryFolder folder;
  write_room(folder);
  const Outcome done = launch(folder, run_words(folder, "done", {"--set", "simulation.duration=0.002"})).wait();
  INFO(done.err);
  CHECK(done.status == 0);
  CHECK(fs::exists(folder / "done/result.h5"));
  const Outcome outcome = launch(folder, run_words(folder, "out", {"--set", "simulation.duration=-1"})).wait();
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("duration"));
  const Outcome none = launch(folder, run_words(folder, "out"), folder.path().string()).wait();
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Contains("cannot start mpirun: No such file or directory"));
}
#endif
