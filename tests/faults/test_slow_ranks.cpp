// The rank that writes the files: stopped while it writes, the others do not wait for ever; slow, they wait as long as
// it takes.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

struct Stage {
  TemporaryFolder folder;
  fs::path made = folder.path() / "made", reported = folder.path() / "reported";
  std::vector<std::string> command = {"run",     "room.toml",          "-o",     "made", "--device", "cpu",
                                      "--quiet", "--checkpoint-every", "20steps"};
  std::map<std::string, std::string> gold;
  Stage() {
    SceneText scene;
    scene.box = "[1.3, 1.1, 2.9]";
    folder.write("room.toml",
                 text_of(scene) + "[output]\nsnapshots = [{ plane = \"z\", position = 0.5, every = 0.002 }]\n");
    const Outcome outcome = run_ranks(2, command, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    gold = outputs_of(made);
    fs::remove_all(made);
  }

  // Two ranks, rank 0 with the fault; both have so many seconds of patience.
  Outcome run(const std::string& fault, const std::string& patience) {
    fs::remove(reported);
    std::vector<std::string> words = {"-n",
                                      "1",
                                      "/usr/bin/env",
                                      std::string("LD_PRELOAD=") + FDTD_SHIM,
                                      "FDTD_FAULT=" + fault,
                                      "FDTD_FAULT_REPORT=" + reported.string(),
                                      tested_program()};
    words.insert(words.end(), command.begin(), command.end());
    for (const char* word : {":", "-n", "1"}) words.emplace_back(word);
    words.push_back(tested_program());
    words.insert(words.end(), command.begin(), command.end());
    std::map<std::string, std::string> environment = mpirun_environment();
    environment["FDTD_RANK_PATIENCE"] = patience;
    return RunningFdtd(words, folder.path(), environment, FDTD_MPIEXEC).wait();
  }
};

}  // namespace

TEST_CASE("a first rank that stops while it writes ends all ranks, and the run resumes from what it had written",
          "[faults]") {
  Stage stage;
  const std::string patience = sanitized ? "10" : "2";  // s: where every rank is slow, none is to seem hung by that
  int stopped = 0;
  for (int write = 1;; write *= 5) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = stage.run("stop:" + std::to_string(write), patience);
    INFO("write " << write << ": status " << outcome.status << "\n" << outcome.err);
    if (!fs::exists(stage.reported)) {
      CHECK(outcome.status == 0);
      break;
    }
    ++stopped;
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::duration<double>(30.0 * times_seconds));
    CHECK(outcome.status != 0);
    CHECK_THAT(outcome.err,
               Contains("fdtd: rank 0 has given no sign of life for " + patience + " s") && Contains("is valid"));
    std::vector<std::string> again = stage.command;
    again.emplace_back("--resume");
    const Outcome resumed = run_ranks(2, again, stage.folder.path());
    INFO(resumed.err);
    REQUIRE(resumed.status == 0);
    CHECK((outputs_of(stage.made) == stage.gold));
    fs::remove_all(stage.made);
  }
  CHECK(stopped >= 3);
}

TEST_CASE("a first rank whose writes take longer than ranks' patience is waited for", "[faults]") {
  Stage stage;
  const Outcome outcome = stage.run("slow:25:1700", "1");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(fs::exists(stage.reported));
  CHECK((outputs_of(stage.made) == stage.gold));
}
#endif
