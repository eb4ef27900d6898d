// A run whose system fails: every write, sync, opening and renaming in turn, a full disk, no memory, no
// locks. The program runs with a library before the C library (shim.cpp) that lets one call fail.
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

// With snapshots there is a file that grows during a run, and is resumed as its checkpoints are.
const std::string snapshots = "[output]\nsnapshots = [{ plane = \"z\", position = 0.5, every = 0.002 }]\n";

struct Stage {
  std::vector<std::string> command = {"run",     "room.toml", "-o", "made",
                                      "--quiet", "--threads", "1",  "--checkpoint-every"};
  TemporaryFolder folder;
  fs::path made = folder.path() / "made", reported = folder.path() / "reported";
  std::map<std::string, std::string> gold;  // outputs of a run that nothing disturbs, without their dates
  explicit Stage(const std::string& more = "") {
    command.emplace_back(more.empty() ? "10steps" : "60steps");
    folder.write("room.toml", text_of({}) + more);
    REQUIRE(run_fdtd(command, folder.path()).status == 0);
    gold = outputs();
    REQUIRE(gold.size() == (more.empty() ? 3 : 5));
    fs::remove_all(made);
  }

  std::map<std::string, std::string> outputs() const { return outputs_of(made); }

  // One run with the fault; whether it happened is reported by `happened`.
  Outcome run(const std::string& fault, bool& happened, bool resume = false) {
    fs::remove(reported);
    std::vector<std::string> words = command;
    if (resume) words.emplace_back("--resume");
    Outcome outcome =
        run_fdtd(words, folder.path(),
                 {{"LD_PRELOAD", FDTD_SHIM}, {"FDTD_FAULT", fault}, {"FDTD_FAULT_REPORT", reported.string()}});
    happened = fs::exists(reported);
    return outcome;
  }

  // Nothing half-written: what has a final name is whole, nothing temporary is left.
  void check_whole() const {
    const auto made_by_it = outputs();
    const bool goes_on = made_by_it.count("checkpoint.h5") + made_by_it.count("checkpoint-previous.h5") > 0;
    for (const auto& [name, bytes] : made_by_it) {
      if (name.starts_with("checkpoint")) continue;          // judged by going on from it
      if (name == "snapshots.h5.part" && goes_on) continue;  // the same
      INFO(name);
      REQUIRE(gold.count(name) == 1);
      CHECK(bytes == gold.at(name));
    }
  }

  // A run without faults resumes from what exists and ends as if nothing had happened.
  void check_resumes() {
    std::vector<std::string> words = command;
    words.emplace_back("--resume");
    if (!fs::exists(made / "checkpoint.h5") && !fs::exists(made / "checkpoint-previous.h5"))
      words.emplace_back("--force");
    const Outcome outcome = run_fdtd(words, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outputs() == gold);
    fs::remove_all(made);
  }
};

// Every n-th call of `kind` in turn, at most `most` of them: the first ones, then ever wider apart.
int fail_each(const std::string& kind, int code, const std::string& more = "") {
  Stage stage(more);
  int refused = 0;
  for (int n = 1;; ++n) {
    bool happened = false;
    const Outcome outcome = stage.run(kind + ":" + std::to_string(n) + ":" + std::to_string(code), happened);
    INFO(kind << " " << n << ": status " << outcome.status << "\n" << outcome.err);
    if (!happened) {
      CHECK(outcome.status == 0);
      return refused;
    }
    if (outcome.status == 0) {  // one that may fail: the note of who holds the lock, the checkpoint of the records
      CHECK(stage.outputs() == stage.gold);
      fs::remove_all(stage.made);
      continue;
    }
    ++refused;
    REQUIRE(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains("fdtd: ") && Contains("made"));
    stage.check_whole();
    stage.check_resumes();
  }
}

}  // namespace

TEST_CASE("every write, sync, opening and renaming that fails ends with status 5 and nothing half-written",
          "[faults]") {
  CHECK(fail_each("write", 28) >= 5);   // ENOSPC
  CHECK(fail_each("sync", 5) >= 5);     // EIO
  CHECK(fail_each("open", 13) >= 5);    // EACCES
  CHECK(fail_each("rename", 28) >= 5);  // ENOSPC
}

TEST_CASE("with snapshots, every write, sync, opening, renaming and reserving that fails does the same", "[faults]") {
  CHECK(fail_each("write", 28, snapshots) >= 10);
  CHECK(fail_each("sync", 5, snapshots) >= 6);
  CHECK(fail_each("open", 13, snapshots) >= 7);
  CHECK(fail_each("rename", 28, snapshots) >= 7);
  CHECK(fail_each("reserve", 28, snapshots) >= 3);  // of the snapshots, and of each checkpoint
}

TEST_CASE("a disk that is full at any byte ends a run with status 5 and nothing half-written", "[faults]") {
  const std::string more = GENERATE(as<std::string>{}, "", snapshots);
  Stage stage(more);
  int refused = 0;
  for (long bytes = 0;; bytes += bytes < 40 ? 13 : bytes / 3) {
    bool happened = false;
    const Outcome outcome = stage.run("bytes:" + std::to_string(bytes), happened);
    INFO(bytes << " bytes: status " << outcome.status << "\n" << outcome.err);
    if (!happened) {
      CHECK(outcome.status == 0);
      break;
    }
    ++refused;
    REQUIRE(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains("made"));
    stage.check_whole();
    stage.check_resumes();
  }
  CHECK(refused >= 10);
}

TEST_CASE("a thread that cannot be started ends a run with status 3 and without its lock", "[faults]") {
  if (std::thread::hardware_concurrency() < 2) return;
  Stage stage;
  stage.command = {"run", "room.toml", "-o", "made", "--quiet", "--threads", "2", "--checkpoint-every", "10steps"};
  int refused = 0;
  for (int n = 1;; ++n) {
    bool happened = false;
    const Outcome outcome = stage.run("thread:" + std::to_string(n), happened);
    INFO("thread " << n << ": status " << outcome.status << "\n" << outcome.err);
    if (!happened) {
      CHECK(outcome.status == 0);
      break;
    }
    ++refused;
    REQUIRE(outcome.status == 3);
    CHECK_THAT(outcome.err, Contains("fdtd: ") && Contains("hint: use"));
    CHECK_FALSE(fs::exists(stage.made / ".fdtd-lock"));
    stage.check_whole();
    fs::remove_all(stage.made);
  }
  CHECK(refused >= 2);  // the start that tests whether threads can be had, and OpenMP's own
}

TEST_CASE("without memory a run ends with a message, not with a crash", "[faults][allocations]") {
  Stage stage;
  int refused = 0, by_name = 0;
  // These steps pass by the first call of HDF5, which crashes in its own H5P_init where memory ends there (1.10.8).
  for (long n = 1;; n += 2 + n / 4) {
    bool happened = false;
    const Outcome outcome = stage.run("alloc:" + std::to_string(n), happened);
    INFO("allocation " << n << ": status " << outcome.status << "\n" << outcome.err);
    if (!happened) break;
    if (outcome.status == 0) {
      CHECK(stage.outputs() == stage.gold);
      fs::remove_all(stage.made);
      continue;
    }
    ++refused;
    // 5: a library that said no more than that it could not; 2: streams that cannot read a number for want of memory.
    CHECK((outcome.status == 3 || outcome.status == 5 || outcome.status == 2));
    CHECK_FALSE(fs::exists(stage.made / ".fdtd-lock"));
    if (outcome.status == 3) ++by_name;
    CHECK_FALSE(outcome.err.empty());
    stage.check_whole();
    fs::remove_all(stage.made);
  }
  CHECK(refused >= 10);
  CHECK(by_name >= refused / 2);
}

TEST_CASE("without memory a plan of a mesh with materials of files ends with a message", "[faults][allocations]") {
  const TemporaryFolder folder;
  const fs::path reported = folder / "reported";
  folder.write("box.obj",
               "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\nusemtl wall\n"
               "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n");
  folder.write("wall.csv", "frequency,alpha\n125,0.2\n250,0.3\n500,0.4\n");
  SceneText scene;
  scene.simulation = "duration = 0.01\nmax_frequency = 300.0\nstencil = \"leggy-1\"\n";
  scene.room = "mesh = \"box.obj\"\nunits = \"m\"\n";
  scene.materials = "[materials.panel]\nfile = \"wall.csv\"\n";
  scene.receiver = "[1.7, 1.3, 1.4]";
  folder.write("room.toml", text_of(scene));
  int refused = 0;
  for (long n = 1;; n += 1 + n / 5) {
    fs::remove(reported);
    const Outcome outcome = run_fdtd({"plan", "room.toml"}, folder.path(),
                                     {{"LD_PRELOAD", FDTD_SHIM},
                                      {"FDTD_FAULT", "alloc:" + std::to_string(n)},
                                      {"FDTD_FAULT_REPORT", reported.string()}});
    INFO("allocation " << n << ": status " << outcome.status << "\n" << outcome.err);
    if (!fs::exists(reported)) {
      CHECK(outcome.status == 0);
      break;
    }
    if (outcome.status == 0) continue;
    ++refused;
    CHECK_FALSE(outcome.err.empty());
    CHECK((outcome.status == 2 || outcome.status == 3 || outcome.status == 5));
  }
  CHECK(refused >= 20);
}

TEST_CASE("where the file system cannot lock, one of two runs still wins, and a killed one's mark is reported",
          "[faults]") {
  Stage stage;
  bool happened = false;
  CHECK(stage.run("lock:1", happened).status == 0);
  CHECK(stage.outputs() == stage.gold);
  fs::remove_all(stage.made);
  fs::create_directory(stage.made);
  stage.folder.write("made/.fdtd-held", "process 1 on elsewhere");
  const Outcome second = stage.run("lock:1", happened);
  CHECK(second.status == 5);
  CHECK_THAT(second.err, Contains("process 1 on elsewhere") && Contains("remove") && Contains(".fdtd-held"));
  CHECK(fs::exists(stage.made / ".fdtd-held"));
  fs::remove(stage.made / ".fdtd-held");
  CHECK(stage.run("lock:1", happened).status == 0);
}

// Every number below a key of a time, a speed or a share of either.
void check_times(const nlohmann::json& json, const std::string& key = "") {
  static const std::regex timely("seconds|_ns|gpts|gbps|of_bare|eff|time|turns|planning|steps|rendering|search");
  if (json.is_number() && std::regex_search(key, timely)) {
    INFO(key);
    CHECK(json.get<double>() >= 0.0);
  }
  if (!json.is_structured()) return;
  for (const auto& [name, value] : json.items()) check_times(value, json.is_array() ? key : name);
}

TEST_CASE("clocks that go backward show no negative time and speed, and disturb no run", "[cli]") {
  Stage stage;
  const std::map<std::string, std::string> backward{{"LD_PRELOAD", FDTD_SHIM}, {"FDTD_FAULT", "clock:7"}};
  const auto run = [&](std::vector<std::string> words) {
    const Outcome outcome = run_fdtd(words, stage.folder.path(), backward);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK_FALSE(std::regex_search(outcome.err, std::regex("(^|[^0-9e])-[0-9.]+ (s|min|h|Gpts/s|ns)")));
    return outcome;
  };
  check_times(nlohmann::json::parse(run({"plan", "room.toml", "--json"}).out));
  check_times(nlohmann::json::parse(run({"profile", "room.toml", "--repeats", "1", "--json"}).out));
  const auto text = run(stage.command).out;
  CHECK_FALSE(std::regex_search(text, std::regex("(^|[^0-9e])-[0-9.]+ (s|min|h|Gpts/s|ns)")));
  CHECK(stage.outputs() == stage.gold);
  fs::remove_all(stage.made);
  // By time, checkpoints and the end are late at the worst; written checkpoints resume.
  std::vector<std::string> timed = stage.command;
  timed.back() = "1s";
  timed.insert(timed.end(), {"--json", "--max-time", "1h"});
  check_times(nlohmann::json::parse(run(timed).out));
  CHECK(stage.outputs() == stage.gold);
}
