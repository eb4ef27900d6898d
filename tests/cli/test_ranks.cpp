// Several ranks of one run, started by mpirun as a user would: what they write is what one rank writes.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "engine/checkpoint/checkpoint.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

// Two sources and walls with memory; planes of some 240 nodes along z.
std::string scene(const std::string& stencil, const std::string& precision, double duration, double height = 3.4) {
  return "schema = 1\n[simulation]\nduration = " + std::to_string(duration) + "\nmax_frequency = 600.0\nstencil = \"" +
         stencil + "\"\nprecision = \"" + precision + "\"\n[room]\nbox = [2.3, 1.9, " + std::to_string(height) + R"(]
[room.walls]
default = "plaster"
z_min = "panel"
[materials.plaster]
absorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }
[materials.panel]
branches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]
[[source]]
name = "S1"
position = [0.5, 0.6, 1.7]
[[source]]
name = "S2"
position = [1.0, 0.3, 1.13]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 1.13]
[[receiver]]
name = "R2"
position = [1.7, 1.1, 0.6]
)";
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// result.h5 without what distinguishes one run from the next: device, date and seconds.
std::string timeless(const fs::path& file) {
  Result result = read_result(file);
  result.run = {};
  result.wave_print.clear();  // a run of several ranks states none
  const TemporaryFolder folder;
  write_result(folder.path() / "result.h5", result, false);
  return read_file(folder.path() / "result.h5");
}

void check_same_outputs(const fs::path& gold, const fs::path& silver) {
  REQUIRE(names_in(gold) == names_in(silver));
  for (const std::string& name : names_in(gold)) {
    INFO(name);
    if (name.ends_with(".wav")) CHECK((read_file(gold / name) == read_file(silver / name)));
  }
  CHECK((timeless(gold / "result.h5") == timeless(silver / "result.h5")));
}

std::vector<std::string> arguments(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", "scene.toml", "-o", folder, "--device", "cpu", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool appears(const fs::path& file) {
  for (int i = 0; i < 3000 && !fs::exists(file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return fs::exists(file);
}

// The processes that `parent` started.
std::vector<int> children_of(int parent) {
  std::vector<int> children;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(parent) + "/task")) {
    std::ifstream list(task.path() / "children");
    for (int child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// Within a moment, a process that nobody has waited for yet included.
bool ends(int process) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    if (!(file >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("2, 3 and 5 ranks write the files of one") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-3", "f32", 0.03, 7.4));
  REQUIRE(run_fdtd(arguments("one"), folder.path()).status == 0);
  for (const int ranks : {2, 3, 5}) {
    const std::string name = std::to_string(ranks) + "ranks";
    const Outcome outcome = run_ranks(ranks, arguments(name), folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    check_same_outputs(folder.path() / "one", folder.path() / name);
  }
}

// A shaft: next to all that a plan holds of it is walls.
TEST_CASE("a rank takes what its slab needs of its machine, as reported, and not what the room would") {
  const TemporaryFolder folder;
  std::string shaft = scene("leggy-1", "f32", 0.001);
  shaft.replace(shaft.find("[2.3, 1.9, 3.400000]"), 20, "[2.4, 2.4, 10000.0]");
  shaft.replace(shaft.find("max_frequency = 600.0"), 21, "grid_spacing = 0.2");
  folder.write("scene.toml", shaft);
  const auto reported_by = [&](int ranks) {
    const Outcome plan =
        run_ranks(ranks, {"run", "scene.toml", "--device", "cpu", "--dry-run", "--json"}, folder.path());
    REQUIRE(plan.status == 0);
    std::int64_t most = 0;
    const auto json = nlohmann::json::parse(plan.out);
    REQUIRE(json["ranks"].size() == static_cast<std::size_t>(ranks));
    for (const auto& rank : json["ranks"]) most = std::max(most, rank["host_bytes"].get<std::int64_t>());
    return most;
  };
  const std::int64_t reported = reported_by(4), of_two = reported_by(2);
  CHECK(reported < of_two);
  const Outcome run = run_ranks(4, arguments("out", {"--max-time", "0.001s"}), folder.path());
  INFO(run.err);
  CHECK(run.status == 130);
  const Outcome alone = run_fdtd(arguments("one", {"--max-time", "0.001s"}), folder.path());
  CHECK(alone.status == 130);
  INFO("reported " << reported << ", taken " << run.peak_bytes << ", by one rank " << alone.peak_bytes);
  if (!sanitized) {
    CHECK(run.peak_bytes < reported * 11 / 10);
    CHECK(run.peak_bytes < alone.peak_bytes / 2);
  }
}

TEST_CASE("a checkpoint of 3 ranks is resumed by 2 and by 1") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f64", 0.1));
  REQUIRE(run_fdtd(arguments("gold"), folder.path()).status == 0);
  const Outcome first = run_ranks(3, arguments("three", {"--max-time", "0.02s"}), folder.path());
  INFO(first.err);
  CHECK(first.status == 130);
  CHECK_THAT(first.err, Contains("--max-time has passed"));
  REQUIRE(fs::exists(folder.path() / "three/checkpoint.h5"));
  fs::copy(folder.path() / "three", folder.path() / "one", fs::copy_options::recursive);
  for (const int ranks : {2, 1}) {
    const std::string name = ranks == 2 ? "three" : "one";
    const Outcome outcome = ranks == 2 ? run_ranks(2, arguments(name, {"--resume"}), folder.path())
                                       : run_fdtd(arguments(name, {"--resume"}), folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    check_same_outputs(folder.path() / "gold", folder.path() / name);
  }
}

namespace {

// Three ranks whose rank `victim` gets a signal once there is a checkpoint: all end within 30 s, with a reason where
// `reported`, and two resume to the bytes of one.
void check_end_of_all(int signal, std::size_t victim, const char* reported) {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f32", 0.15));
  REQUIRE(run_fdtd(arguments("gold"), folder.path()).status == 0);
  std::vector<std::string> words = mpirun_words(3);
  for (const std::string& word : arguments("ended", {"--checkpoint-every", "20steps"})) words.push_back(word);
  std::map<std::string, std::string> environment = mpirun_environment();
  if (signal == SIGSTOP) environment["FDTD_RANK_PATIENCE"] = "6";  // its launcher reports a dead one at once
  RunningFdtd running(words, folder.path(), environment, FDTD_MPIEXEC);
  REQUIRE(appears(folder.path() / "ended/checkpoint.h5"));
  const std::vector<int> ranks = children_of(running.process());
  REQUIRE(ranks.size() == 3);
  const auto start = std::chrono::steady_clock::now();
  kill(ranks[victim], signal);
  const Outcome outcome = running.wait();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::duration<double>(30.0 * times_seconds));
  INFO(outcome.err);
  CHECK(outcome.status != 0);
  CHECK_THAT(outcome.err, Contains(reported));
  for (const int rank : ranks) CHECK(ends(rank));
  const Outcome resumed = run_ranks(2, arguments("ended", {"--resume"}), folder.path());
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  check_same_outputs(folder.path() / "gold", folder.path() / "ended");
}

}  // namespace

TEST_CASE("a rank that is killed ends all ranks, and the last checkpoint is valid") {
  check_end_of_all(SIGKILL, 1, "exited on signal 9");
}

TEST_CASE("a rank that stops ends all ranks, and the last checkpoint is valid") {
  check_end_of_all(SIGSTOP, 2, "rank 2 has given no sign of life for 6 s");
}

TEST_CASE("a first rank that stops ends all ranks, and the last checkpoint is valid") {
  check_end_of_all(SIGSTOP, 0, "rank 0 has given no sign of life for 6 s");
}

TEST_CASE("ranks that wait for each other as long as nobody can are refused") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f32", 0.03));
  std::vector<std::string> words = mpirun_words(2);
  for (const std::string& word : arguments("out")) words.push_back(word);
  std::map<std::string, std::string> environment = mpirun_environment();
  environment["FDTD_RANK_PATIENCE"] = "for ever";
  const Outcome outcome = RunningFdtd(words, folder.path(), environment, FDTD_MPIEXEC).wait();
  CHECK(outcome.status != 0);
  CHECK_THAT(outcome.err, Contains("FDTD_RANK_PATIENCE: \"for ever\" is no number of seconds"));
}

// Nothing but TCP between them, each with a machine's name of its own.
TEST_CASE("ranks in network namespaces of their own write the files of one") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-3", "f32", 0.03, 7.4));
  REQUIRE(run_fdtd(arguments("one"), folder.path()).status == 0);
  std::vector<std::string> words = {std::string(FDTD_SOURCE_DIR) + "/tests/cli/namespaces.sh",
                                    "3",
                                    FDTD_MPIEXEC,
                                    "-x",
                                    "OMP_NUM_THREADS",
                                    FDTD_BINARY};
  for (const std::string& word : arguments("apart")) words.push_back(word);
  const Outcome outcome = RunningFdtd(words, folder.path(), mpirun_environment(), "/bin/sh").wait();
  INFO(outcome.err);
  if (outcome.status == 77) {
    WARN(outcome.out);
    return;
  }
  REQUIRE(outcome.status == 0);
  check_same_outputs(folder.path() / "one", folder.path() / "apart");
}

TEST_CASE("ranks write the snapshots of one, also when one is killed and fewer resume") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f32", 0.06) + R"([output]
snapshots = [{ plane = "z", position = 1.7, every = 0.002 }, { plane = "x", position = 0.5, every = 0.004 },
             { plane = "volume", every = 0.02 }]
)");
  REQUIRE(run_fdtd(arguments("gold"), folder.path()).status == 0);
  const Outcome three = run_ranks(3, arguments("three"), folder.path());
  INFO(three.err);
  REQUIRE(three.status == 0);
  std::vector<std::string> words = mpirun_words(3);
  for (const std::string& word : arguments("killed", {"--checkpoint-every", "20steps"})) words.push_back(word);
  RunningFdtd running(words, folder.path(), mpirun_environment(), FDTD_MPIEXEC);
  REQUIRE(appears(folder.path() / "killed/checkpoint.h5"));
  const std::vector<int> ranks = children_of(running.process());
  if (!ranks.empty()) kill(ranks[0], SIGKILL);  // the one that writes
  if (running.wait().status != 0) {
    CHECK(fs::exists(folder.path() / "killed/snapshots.h5.part"));
    CHECK_FALSE(fs::exists(folder.path() / "killed/snapshots.h5"));
    const Outcome resumed = run_ranks(2, arguments("killed", {"--resume"}), folder.path());
    INFO(resumed.err);
    REQUIRE(resumed.status == 0);
  }
  for (const char* made : {"three", "killed"}) {
    check_same_outputs(folder.path() / "gold", folder.path() / made);
    for (const char* file : {"snapshots.h5", "snapshots.xdmf"})
      CHECK((read_file(folder.path() / "gold" / file) == read_file(folder.path() / made / file)));
  }
}

TEST_CASE("what ranks cannot share, and ranks that differ, are reported once and end them all") {
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-20", "f32", 0.03, 1.9));
  std::vector<std::string> three = mpirun_words(3);
  for (const std::string& word : arguments("out")) three.push_back(word);
  auto environment = mpirun_environment();
  if (sanitized) environment["FDTD_RANK_PATIENCE"] = "200";  // rank 0 has 10 s to be the one that reports
  const Outcome many = RunningFdtd(three, folder.path(), environment, FDTD_MPIEXEC).wait();
  CHECK(many.status == 3);
  CHECK_THAT(many.err, Contains("3 ranks are too many") && Contains("at most "));
  CHECK(many.err.find("too many") == many.err.rfind("too many"));

  folder.write("scene.toml", scene("leggy-2", "f32", 0.03));
  folder.write("other.toml", scene("leggy-3", "f32", 0.03));
  std::vector<std::string> words = mpirun_words(1);
  for (const std::string& word : std::vector<std::string>{"run", "scene.toml", "-o", "out", ":", "-n", "1",
                                                          tested_program(), "run", "other.toml", "-o", "out"})
    words.push_back(word);
  const Outcome differ = RunningFdtd(words, folder.path(), environment, FDTD_MPIEXEC).wait();
  CHECK(differ.status == 3);
  CHECK_THAT(differ.err, Contains("ranks differ in the plan") && Contains("leggy-2") && Contains("on rank 1"));
}
#endif
