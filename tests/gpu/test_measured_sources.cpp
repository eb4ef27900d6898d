// Measured sources on the GPU: a dodecahedron's file in free field, and a room as on the CPU.
#include "engine/cpu/make_backend.hpp"
#include "engine/devices/devices.hpp"
#include "tests/support/measured_field.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("GPU: a dodecahedron at 2 m has the pressures of its file within 0.5 dB and 5 degrees, in both precisions") {
  const std::filesystem::path file = dodecahedron();
  if (file.empty()) {
    WARN("skipped: no ITA_Dodecahedron.sofa (FDTD_SOFA_FILES)");
    return;
  }
  const BalloonData data = read_balloon_sofa(file, all_measurements);
  for (const char* precision : {"f64", "f32"}) {
    const auto gpu = make_cuda_backend();
    const DodecahedronErrors errors = check_dodecahedron(data, precision, true, *gpu);
    WARN(gpu->describe() << ", " << precision << ": up to 125 Hz within " << errors.level << " dB and " << errors.phase
                         << " degrees");
  }
}

TEST_CASE("GPU: one pass of a measured source is heard as on the CPU, also by the channels from which ears are made") {
  for (const int order : {3, 5}) {
    BalloonAim aim;
    aim.order = order;
    const Balloon balloon = fit_balloon(measured_at(1.2, order), aim, "exact");
    for (const char* precision : {"f64", "f32"}) {
      // Its ball of nodes needs 0.675 m of air to every side.
      const std::string keys = "pattern = \"ambisonic\"\norder = 5", receiver = "[2.1, 1.95, 1.35]";
      const InRoom gpu = in_room(balloon, precision, true, *make_cuda_backend(), keys, false, receiver),
                   cpu = in_room(balloon, precision, true, *make_cpu_backend({2, ""}), keys, false, receiver);
      REQUIRE(cpu.passes == 1);
      REQUIRE(gpu.recording.samples == cpu.recording.samples);
      const bool f64 = std::string(precision) == "f64";
      const auto samples = static_cast<std::size_t>(cpu.recording.samples);
      for (std::size_t acn = 0; acn < 36; ++acn) {
        double difference = 0.0, largest = 0.0;
        for (std::size_t n = 0; n < samples; ++n) {
          const double on_cpu = cpu.recording.pressure[acn * samples + n];
          difference = std::max(difference, std::abs(gpu.recording.pressure[acn * samples + n] - on_cpu));
          largest = std::max(largest, std::abs(on_cpu));
        }
        INFO("order " << order << ", " << precision << ", channel " << acn << ": " << difference << " of " << largest);
        REQUIRE(largest > 0.0);
        CHECK(difference < (f64 ? 1e-9 : 2e-3) * largest);
      }
      CHECK(apart(gpu.rendered, cpu.rendered, 0) < (f64 ? 1e-8 : 2e-3));
    }
  }
}
