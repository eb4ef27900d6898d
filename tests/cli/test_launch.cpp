// Ranks under mpirun: commands that ranks share or do not, builds that differ, signals.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/devices/devices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

std::string tall_room(const std::string& duration = "0.01", const std::string& max_frequency = "600.0") {
  SceneText scene;
  scene.simulation = "duration = " + duration + "\nmax_frequency = " + max_frequency + "\nstencil = \"leggy-2\"\n";
  scene.box = "[1.3, 1.1, 3.1]";
  return text_of(scene);
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// mpirun with these words of its own after those that every test gives it.
RunningFdtd mpirun(int ranks, const std::vector<std::string>& words, const TemporaryFolder& folder) {
  std::vector<std::string> all = mpirun_words(ranks);
  all.insert(all.end(), words.begin(), words.end());
  return {all, folder.path(), mpirun_environment(), FDTD_MPIEXEC};
}

// A copy of the program that reports another compiler of itself.
std::string another_build(const TemporaryFolder& folder) {
  const std::string line = run_fdtd({"--version"}, folder.path()).out;  // "fdtd 0.2.0 (GNU 12.2.0, ..."
  const std::size_t begin = line.find('(') + 1;
  const std::string compiler = line.substr(begin, line.find(',') - begin) + '\0';
  std::string bytes = read_file(tested_program());
  std::size_t changed = 0;
  for (std::size_t at = bytes.find(compiler); at != bytes.npos; at = bytes.find(compiler, at + 1), ++changed)
    bytes[at + compiler.size() - 2] = '~';
  REQUIRE(changed > 0);
  const fs::path program = folder.write("another", bytes);
  fs::permissions(program, fs::perms::owner_all);
  fs::copy_file(fs::path(tested_program()).parent_path() / "libfdtd_mpi.so", folder / "libfdtd_mpi.so");
  return program.string();
}

}  // namespace

TEST_CASE("ranks that are another build are reported, and end all", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", tall_room());
  const std::vector<std::string> run = {"run", "room.toml", "-o", "out", "--device", "cpu", "--quiet"};
  std::vector<std::string> words = run;
  words.insert(words.end(), {":", "-n", "1", another_build(folder)});
  words.insert(words.end(), run.begin(), run.end());
  const Outcome outcome = mpirun(1, words, folder).wait();
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("ranks differ in the program") && Contains("~, ") && Contains("on rank 1"));
  CHECK_FALSE(fs::exists(folder / "out/result.h5"));
}

TEST_CASE("ranks tell a plan once, its own for so many", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", tall_room());
  const Outcome plan = run_ranks(3, {"plan", "room.toml", "--device", "cpu"}, folder.path());
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  CHECK(times(plan.out, "plan for room.toml") == 1);
  CHECK_THAT(plan.out, Contains("3 ranks, cpu") && Contains("rank 2: "));
  const Outcome gpus = run_ranks(2, {"plan", "room.toml", "--gpu-memory", "80GB"}, folder.path());
  REQUIRE(gpus.status == 0);
  CHECK(times(gpus.out, "GPUs needed") == 1);
}

TEST_CASE("all GPUs of a machine without one are none, and how to plan for others is reported", "[cli]") {
  if (!fdtd::gpus().empty()) return;
  const TemporaryFolder folder;
  folder.write("room.toml", tall_room());
  for (const char* command : {"run", "plan"}) {
    const Outcome outcome = run_fdtd({command, "room.toml", "--device", "cuda:all"}, folder.path());
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.err, Contains("cuda:all: there is no GPU: ") && Contains("--gpu-memory 80GB"));
  }
}

TEST_CASE("ranks are not given a kernel that takes several steps a sweep, and the reason is reported", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", tall_room());
  const Outcome outcome =
      run_ranks(2, {"run", "room.toml", "--device", "cpu", "--kernel", "time_slice"}, folder.path());
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("ranks exchange planes after each"));
}

TEST_CASE("commands that ranks do not share are refused to several, and a sweep's runs are no ranks", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", tall_room());
  const std::vector<std::string> sweep = {"sweep",    "room.toml", "-o",    "made",
                                          "--device", "cpu",       "--set", "simulation.stencil=[leggy-1, leggy-2]"};
  for (const auto& command : {sweep, {"render", "out/result.h5"}, {"profile", "--stencil", "leggy-1"}}) {
    const Outcome outcome = run_ranks(2, command, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(command[0] + ": this command does not share its work among ranks"));
  }
  CHECK_FALSE(fs::exists(folder / "made"));
  const Outcome one = run_ranks(1, sweep, folder.path());
  INFO(one.err);
  CHECK(one.status == 0);
  CHECK(fs::exists(folder / "made/002/result.h5"));
}

TEST_CASE("ranks end with a checkpoint at SIGUSR1 to mpirun, and at SIGINT keep the last at least", "[cli]") {
  const TemporaryFolder folder;
  // Long enough that no run is over before mpirun, which takes a second over SIGINT, has passed its signal on.
  folder.write("room.toml", tall_room("0.6", "3000.0"));
  const auto arguments = [](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "room.toml", "-o", out, "--device", "cpu", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  REQUIRE(run_fdtd(arguments("gold", {}), folder.path()).status == 0);
  for (const int signal : {SIGUSR1, SIGINT}) {
    INFO("signal " << signal);
    const std::string out = "ended" + std::to_string(signal);
    RunningFdtd running = mpirun(3, arguments(out, {"--checkpoint-every", "20steps"}), folder);
    for (int i = 0; i < 3000 && !fs::exists(folder / out / "checkpoint.h5"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    running.send(signal);
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    CHECK(outcome.status != 0);
    REQUIRE_FALSE(fs::exists(folder / out / "result.h5"));
    if (signal == SIGUSR1) {
      CHECK(outcome.status == 130);
      CHECK_THAT(outcome.err, Contains("interrupted after") && Contains("--resume continues"));
    }
    // Killed between two renames, it has the one before.
    CHECK((fs::exists(folder / out / "checkpoint.h5") || fs::exists(folder / out / "checkpoint-previous.h5")));
    const Outcome resumed = run_ranks(2, arguments(out, {"--resume"}), folder.path());
    INFO(resumed.err);
    REQUIRE(resumed.status == 0);
    CHECK((outputs_of(folder / out) == outputs_of(folder / "gold")));
  }
}
#endif
