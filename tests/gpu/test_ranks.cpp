// Two GPUs of this machine, a rank each, write the responses and energies of one, to the byte.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/devices/devices.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/shaft.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

std::string scene(const std::string& stencil, const std::string& precision) {
  return "schema = 1\n[simulation]\nduration = 0.05\nmax_frequency = 900.0\nstencil = \"" + stencil +
         "\"\nprecision = \"" + precision + R"("
[room]
box = [4.3, 3.9, 6.4]
[room.walls]
default = "plaster"
z_min = "panel"
[materials.plaster]
absorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }
[materials.panel]
branches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]
[[source]]
name = "S1"
position = [0.5, 0.6, 3.2]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 3.21]
[[receiver]]
name = "R2"
position = [1.7, 1.1, 0.6]
)";
}

// By mpirun, halos by `way` (engine/cuda/exchange/exchange.hpp).
Outcome run_by(const std::string& way, int ranks, const std::vector<std::string>& arguments,
               const std::filesystem::path& folder) {
  std::vector<std::string> words = mpirun_words(ranks);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> environment = mpirun_environment();
  environment["FDTD_HALO"] = way;
  return RunningFdtd(words, folder, environment, FDTD_MPIEXEC).wait();
}

}  // namespace

TEST_CASE("two GPUs give the responses of one, whichever way halos go") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to compare");
    return;
  }
  const std::string way = GENERATE(as<std::string>{}, "nccl", "peer");
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "box-222"}) {
    for (const char* precision : {"f32", "f64"}) {
      const TemporaryFolder folder;
      folder.write("scene.toml", scene(stencil, precision));
      const Outcome one = run_fdtd({"run", "scene.toml", "-o", "one", "--device", "cuda:0", "--quiet"}, folder.path());
      const Outcome two =
          run_by(way, 2, {"run", "scene.toml", "-o", "two", "--device", "cuda", "--quiet"}, folder.path());
      INFO(way << " " << stencil << " " << precision << "\n" << one.err << two.err);
      if (two.status == 3 && two.err.find("FDTD_HALO=peer: ") != std::string::npos) {
        WARN("these GPUs do not reach each other's memory: " << two.err);
        return;
      }
      REQUIRE(one.status == 0);
      REQUIRE(two.status == 0);
      const Result a = read_result(folder.path() / "one/result.h5"), b = read_result(folder.path() / "two/result.h5");
      CHECK((a.recording.pressure == b.recording.pressure));
      for (const char* file : {"ir_R1.wav", "ir_R2.wav"})
        CHECK((read_file(folder.path() / "one" / file) == read_file(folder.path() / "two" / file)));
      REQUIRE(a.recording.energy[0].size() == b.recording.energy[0].size());
      for (std::size_t i = 0; i < a.recording.energy[0].size(); ++i) {
        const Energy &x = a.recording.energy[0][i].energy, &y = b.recording.energy[0][i].energy;
        CHECK(x.stored == y.stored);
        CHECK(x.injected == y.injected);
        CHECK(x.dissipated == y.dissipated);
      }
    }
  }
}

namespace {

// Where the real library lies; "": nowhere.
std::string real_nccl() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return "";
  return map->l_name;
}

}  // namespace

TEST_CASE("two GPUs: one that is lost ends all ranks, and the last checkpoint is valid") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to lose");
    return;
  }
  const std::string nccl = real_nccl();
  REQUIRE(!nccl.empty());
  REQUIRE(std::filesystem::exists(std::filesystem::path(FDTD_NCCL_SHIM) / "libnccl.so.2"));  // else nobody is lost
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f32"));
  const auto words = [&](const std::string& out) {
    return std::vector<std::string>{"run",     "scene.toml",         "-o",     out, "--device", "cuda",
                                    "--quiet", "--checkpoint-every", "50steps"};
  };
  REQUIRE(run_ranks(2, words("gold"), folder.path()).status == 0);
  std::vector<std::string> all = mpirun_words(2);
  for (const std::string& word : words("lost")) all.push_back(word);
  std::map<std::string, std::string> environment = mpirun_environment();
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  environment["LD_LIBRARY_PATH"] = std::string(FDTD_NCCL_SHIM) + (path != nullptr ? ":" + std::string(path) : "");
  environment["FDTD_REAL_NCCL"] = nccl;
  environment["FDTD_HALO"] = "nccl";
  environment["FDTD_LOST_RANK"] = "1";
  environment["FDTD_LOST_AT"] = "150";
  const auto start = std::chrono::steady_clock::now();
  const Outcome lost = RunningFdtd(all, folder.path(), environment, FDTD_MPIEXEC).wait();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));  // the start of the run counted
  INFO(lost.err);
  CHECK(lost.status != 0);
  CHECK_THAT(lost.err, Catch::Matchers::Contains("fdtd: "));
  std::vector<std::string> again = words("lost");
  again.push_back("--resume");
  const Outcome resumed = run_ranks(2, again, folder.path());
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  for (const char* file : {"ir_R1.wav", "ir_R2.wav"})
    CHECK((read_file(folder.path() / "gold" / file) == read_file(folder.path() / "lost" / file)));
}

TEST_CASE("two GPUs, several sources and a resumed checkpoint: the bytes of one, whichever way halos travel") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to compare");
    return;
  }
  const std::string way = GENERATE(as<std::string>{}, "nccl", "peer");
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-4", "f32") + "[[source]]\nname = \"S2\"\nposition = [1.5, 0.6, 3.1]\n");
  REQUIRE(run_fdtd({"run", "scene.toml", "-o", "one", "--device", "cuda:0", "--quiet"}, folder.path()).status == 0);
  const std::vector<std::string> words = {"run", "scene.toml", "-o", "two", "--device", "cuda", "--quiet"};
  std::vector<std::string> first = words, again = words;
  for (const char* word : {"--max-time", "0.01s"}) first.emplace_back(word);
  again.emplace_back("--resume");
  const Outcome cut = run_by(way, 2, first, folder.path()), done = run_by(way, 2, again, folder.path());
  INFO(way << "\n" << cut.err << done.err);
  if (cut.status == 3 && cut.err.find("FDTD_HALO=peer: ") != std::string::npos) {
    WARN("these GPUs do not reach each other's memory: " << cut.err);
    return;
  }
  CHECK(cut.status == 130);
  REQUIRE(done.status == 0);
  const Result a = read_result(folder.path() / "one/result.h5"), b = read_result(folder.path() / "two/result.h5");
  CHECK((a.recording.pressure == b.recording.pressure));
}

TEST_CASE("two GPUs, a mesh with oblique walls: the bytes of one, whatever the stencil") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to compare");
    return;
  }
  const TemporaryFolder folder;
  folder.write("shaft.obj", shaft());
  for (const auto& [stencil, precision] : {std::pair{"leggy-3", "f32"}, {"compact-3", "f64"}, {"box-333", "f32"}}) {
    folder.write("scene.toml", shaft_scene(stencil, precision, 0.05));
    const auto words = [](const char* out, const char* device) {
      return std::vector<std::string>{"run", "scene.toml", "-o", out, "--device", device, "--quiet", "--force"};
    };
    const Outcome one = run_fdtd(words("one", "cuda:0"), folder.path());
    const Outcome two = run_ranks(2, words("two", "cuda"), folder.path());
    INFO(stencil << "\n" << one.err << two.err);
    REQUIRE(one.status == 0);
    REQUIRE(two.status == 0);
    const auto gold = outputs_of(folder / "one"), silver = outputs_of(folder / "two");
    CHECK(gold.size() >= 5);
    CHECK((gold == silver));
  }
}

TEST_CASE("two GPUs: a run that has started its ranks itself leaves a checkpoint at SIGINT, and is resumed") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to share");
    return;
  }
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-2", "f32"));
  const auto words = [](const std::string& out, const std::vector<std::string>& more) {
    // Long enough to be interrupted.
    std::vector<std::string> all = {
        "run", "scene.toml", "-o", out, "--device", "cuda:all", "--quiet", "--set", "simulation.duration=8.0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Outcome gold = run_fdtd(words("gold", {}), folder.path());
  INFO(gold.err);
  REQUIRE(gold.status == 0);
  RunningFdtd running(words("ended", {"--checkpoint-every", "500steps"}), folder.path());
  for (int i = 0; i < 6000 && !std::filesystem::exists(folder / "ended/checkpoint.h5"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  running.send(SIGINT);
  const Outcome ended = running.wait();
  INFO(ended.err);
  CHECK(ended.status == 130);
  CHECK_THAT(ended.err, Catch::Matchers::Contains("interrupted after"));
  const Outcome resumed = run_fdtd(words("ended", {"--resume"}), folder.path());
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  for (const char* file : {"ir_R1.wav", "ir_R2.wav"})
    CHECK((read_file(folder.path() / "gold" / file) == read_file(folder.path() / "ended" / file)));
}

TEST_CASE("an unknown way of exchanging halos is refused") {
  if (gpus().size() < 2) {
    WARN("there is one GPU: nothing to share");
    return;
  }
  const TemporaryFolder folder;
  folder.write("scene.toml", scene("leggy-1", "f32"));
  const Outcome outcome = run_by("pigeons", 2, {"run", "scene.toml", "-o", "out", "--device", "cuda"}, folder.path());
  CHECK(outcome.status != 0);
  CHECK_THAT(outcome.err, Catch::Matchers::Contains("FDTD_HALO: \"pigeons\" is no way of halos"));
}
#endif
