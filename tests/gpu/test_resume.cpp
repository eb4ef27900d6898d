// Runs on the GPU that are killed and resumed. FDTD_KILLS=200 in the environment kills as often as the record in
// bench/results says.
#include <cmath>
#include <csignal>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

void kill_on_gpu(const char* precision) {
  Kills kills;
  kills.device = "cuda";
  kills.precision = precision;
  kills.duration = 2.0;  // long beside what it takes to wake the GPU
  kills.checkpoint_every = "400steps";
  kills.count = (kills_asked(12) + 1) / 2;
  kill_and_resume(kills);
}

}  // namespace

TEST_CASE("runs on the GPU in f32 killed at random times resume to the bytes of an undisturbed run", "[gpu]") {
  kill_on_gpu("f32");
}

TEST_CASE("runs on the GPU in f64 killed at random times resume to the bytes of an undisturbed run", "[gpu]") {
  kill_on_gpu("f64");
}

TEST_CASE("the CPU resumes from a GPU's checkpoint and the GPU from the CPU's, within rounding", "[gpu]") {
  for (const auto& [precision, rounding] : {std::pair{"f32", 1e-4}, std::pair{"f64", 1e-11}}) {
    const TemporaryFolder folder;
    folder.write("room.toml", scene_to_interrupt(precision, 1.0));
    const auto response = [&](const std::string& name) {
      return read_audio(folder.path() / name / "ir_S1_R1.wav").channels.at(0);
    };
    REQUIRE(run_fdtd({"run", "room.toml", "-o", "gold", "--device", "cpu"}, folder.path()).status == 0);
    const auto gold = response("gold");
    double peak = 0.0;
    for (const double x : gold) peak = std::max(peak, std::abs(x));
    for (const auto& [first, second] : {std::pair{"cuda", "cpu"}, std::pair{"cpu", "cuda"}}) {
      const std::string made = std::string("from_") + first;
      RunningFdtd running({"run", "room.toml", "-o", made, "--device", first, "--checkpoint-every", "100steps"},
                          folder.path());
      REQUIRE(appears((folder.path() / made / "checkpoint.h5").string()));
      running.send(SIGTERM);
      REQUIRE(running.wait().status == 130);
      const Outcome outcome = run_fdtd({"run", "room.toml", "-o", made, "--device", second, "--resume"}, folder.path());
      INFO(outcome.err);
      REQUIRE(outcome.status == 0);
      const auto silver = response(made);
      REQUIRE(silver.size() == gold.size());
      double error = 0.0;
      for (std::size_t n = 0; n < gold.size(); ++n) error = std::max(error, std::abs(gold[n] - silver[n]));
      // The file's samples are floats, rounded apart by half a unit each.
      CHECK(error < (rounding + 1.2e-7) * peak);
    }
  }
}
