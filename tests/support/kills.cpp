#include "tests/support/kills.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "engine/system/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How a run stood when it was killed.
struct Tally {
  int killed = 0, before_a_checkpoint = 0, while_writing = 0, ended = 0;
  void note(const fs::path& made) {
    ++killed;
    const auto names = names_in(made);
    const auto some = [&](auto&& is) { return std::any_of(names.begin(), names.end(), is); };
    if (!some([](const std::string& name) { return name.starts_with("checkpoint"); })) ++before_a_checkpoint;
    if (some([](const std::string& name) { return name.ends_with(".part"); })) ++while_writing;
  }
};

void record(const Kills& kills, const Tally& tally, double seconds) {
  const char* const file = std::getenv("FDTD_KILLS_RECORD");
  if (file == nullptr) return;
  const nlohmann::ordered_json line = {{"device", kills.device},
                                       {"precision", kills.precision},
                                       {"snapshots", kills.snapshots},
                                       {"threads", kills.device == "cpu" ? "1 to 3, at random" : "all"},
                                       {"kills", tally.killed},
                                       {"of these before a first checkpoint", tally.before_a_checkpoint},
                                       {"of these while a file was being written", tally.while_writing},
                                       {"runs that ended, their outputs equal byte for byte", tally.ended},
                                       {"seed", kills.seed},
                                       {"seconds", seconds},
                                       {"build", version_line()}};
  std::ofstream(file, std::ios::app) << line.dump() << '\n';
}

}  // namespace

std::string scene_to_interrupt(const std::string& precision, double duration) {
  SceneText scene;
  scene.simulation = "duration = " + std::to_string(duration) +
                     "\nmax_frequency = 500.0\nstencil = \"leggy-3\"\nprecision = \"" + precision +
                     "\"\nreciprocity = \"off\"\n";  // a pass each source
  scene.box = "[2.3, 1.9, 1.4]";
  scene.walls = "default = \"plaster\"\nz_min = \"panel\"\n";
  scene.materials += "[materials.plaster]\nabsorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }\n";
  scene.second_source = "[1.0, 0.3, 1.1]";
  scene.receiver = "[1.7, 1.1, 0.4]";
  return text_of(scene);
}

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

bool appears(const std::string& file) {
  for (int i = 0; i < 6000 && !fs::exists(file); ++i) sleep_for(0.01);
  return fs::exists(file);
}

int kills_asked(int otherwise) {
  const char* const asked = std::getenv("FDTD_KILLS");
  return asked != nullptr ? std::max(std::atoi(asked), 1) : otherwise;
}

void kill_and_resume(const Kills& kills) {
  const auto began = Clock::now();
  const TemporaryFolder folder;
  const fs::path gold = folder / "gold", made = folder / "made";
  const std::string snapshots =
      "[output]\nsnapshots = [{ plane = \"z\", position = 0.6, every = 0.001 }, { plane = \"volume\", every = 0.01 "
      "}]\n";
  folder.write("room.toml", scene_to_interrupt(kills.precision, kills.duration) + (kills.snapshots ? snapshots : ""));
  const std::vector<std::string> plain = {"run", "room.toml", "--quiet", "--device", kills.device, "-o"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = plain;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Outcome first = run_fdtd(with({"gold"}), folder.path());
  INFO(first.err);
  REQUIRE(first.status == 0);
  const auto expected = outputs_of(gold);
  // Each session takes another number of threads.
  std::mt19937 random(kills.seed);
  const auto session = [&] {
    std::vector<std::string> words = with({"made", "--checkpoint-every", kills.checkpoint_every, "--resume"});
    if (kills.device == "cpu") words.insert(words.end(), {"--threads", std::to_string(1 + random() % 3)});
    return words;
  };
  const auto start = Clock::now();
  REQUIRE(run_fdtd(session(), folder.path()).status == 0);  // how long one takes that writes its checkpoints
  std::uniform_real_distribution<double> moment(0.0, seconds_since(start));
  CHECK((outputs_of(made) == expected));
  fs::remove_all(made);
  fs::create_directory(made);
  Tally tally;
  while (tally.killed < kills.count || tally.ended == 0) {
    RunningFdtd running(session(), folder.path());
    if (tally.killed < kills.count) {
      sleep_for(moment(random));
      running.send(SIGKILL);
    }
    const Outcome outcome = running.wait();
    INFO(outcome.err);
    REQUIRE((outcome.status == 128 + SIGKILL || outcome.status == 0));
    if (outcome.status != 0) {
      tally.note(made);
      CHECK_NOTHROW(outputs_of(made));  // under its final name only what is whole
      continue;
    }
    ++tally.ended;
    CHECK((outputs_of(made) == expected));
    fs::remove_all(made);
    fs::create_directory(made);
  }
  record(kills, tally, seconds_since(began));
}

}  // namespace fdtd::test
