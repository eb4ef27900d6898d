// A rigid box against image sources: the error is the accumulated dispersion, and falls with it.
#include "tests/support/catch.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/rooms/box_run.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

double relative_error(const BoxSpec& spec, const BoxRun& run) {
  const auto exact = image_sources(spec);
  REQUIRE(run.rendered.ir.size() == exact.size());
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(run.rendered.ir[i] - exact[i], 2);
    norm += exact[i] * exact[i];
  }
  return std::sqrt(difference / norm);
}

BoxSpec hall() {
  BoxSpec spec;
  spec.box = {10.2, 7.8, 5.4};
  spec.source = {2.46, 1.94, 2.62};
  spec.receiver = {7.42, 5.66, 2.14};
  spec.max_frequency = 100.0;
  spec.duration = 0.1;
  return spec;
}

}  // namespace

TEST_CASE("image sources: the error of a rigid box falls with dispersion_error, below 3 % at 0.001", "[physics]") {
  for (const char* stencil : {"leggy-4", "leggy-4/warp03"}) {
    double before = 1.0;
    for (const double asked : {0.02, 0.005, 0.001}) {
      BoxSpec spec = hall();
      spec.stencil = stencil;
      spec.dispersion_error = asked;
      const BoxRun run = run_box(spec);
      const double error = relative_error(spec, run);
      // A path of t seconds is off by 2 pi f t times the dispersion error: at most that, in the mean over t.
      const double bound = 2.0 * std::numbers::pi * spec.max_frequency * spec.duration / std::sqrt(3.0) *
                           run.planned.choice.dispersion_error;
      INFO(stencil << " at " << asked << ": relative error " << error << ", bound " << bound);
      CHECK(error < before);
      CHECK(error < 1.1 * bound);
      if (asked == 0.001) CHECK(error < 0.03);
      before = error;
    }
  }
}

TEST_CASE("image sources: single precision adds less than -80 dB", "[physics]") {
  BoxSpec spec = hall();
  spec.dispersion_error = 0.005;
  const BoxRun in_double = run_box(spec);
  spec.precision = "f32";
  const BoxRun in_single = run_box(spec);
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < in_double.rendered.ir.size(); ++i) {
    difference += std::pow(in_single.rendered.ir[i] - in_double.rendered.ir[i], 2);
    norm += std::pow(in_double.rendered.ir[i], 2);
  }
  CHECK(std::sqrt(difference / norm) < 1e-4);  // -80 dB
}
