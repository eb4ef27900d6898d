// Before the first echo a box is free field: one arrival at r/c whose samples sum to 1/r.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/box_run.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("free field: the pulse sums to 1/r within 1 % and arrives at r/c within a tenth of a sample at 3 m", "[physics]") {
  const double r = 3.0;
  for (const char* stencil : {"leggy-4", "leggy-4/warp03"}) {
    for (const auto& towards : {std::array<double, 3>{1.0, 0.0, 0.0}, {0.48, 0.6, 0.64}}) {
      BoxSpec spec;
      spec.box = {9.0, 9.0, 9.0};
      spec.source = {4.47, 4.52, 4.49};
      for (std::size_t d = 0; d < 3; ++d) spec.receiver[d] = spec.source[d] + r * towards[d];
      spec.stencil = stencil;
      spec.max_frequency = 1000.0;
      spec.dispersion_error = 0.02;
      spec.low_cut = 0.0;
      spec.tail = false;
      spec.duration = 5.7 / box_sound_speed;  // the first echo has gone 5.9 m
      BoxRun run = run_box(spec);

      // Go on in silence, as the free field would, for as long as the low-pass rings; it must not be cut on one side alone.
      Recording& recording = run.recording;
      recording.samples += static_cast<std::int64_t>(render_tail(spec.max_frequency) * recording.sample_rate);
      recording.pressure.resize(static_cast<std::size_t>(recording.samples), 0.0);
      const double arrival = r / box_sound_speed;
      run.options.duration = 2.0 * arrival;
      const Rendered out = render(recording, run.options);

      double sum = 0.0, moment = 0.0;
      for (std::size_t j = 0; j < out.ir.size(); ++j) {
        sum += out.ir[j];
        moment += out.ir[j] * static_cast<double>(j);
      }
      INFO(stencil << " towards " << towards[0] << " " << towards[1] << ": sum " << sum << ", arrival " << moment / sum << " samples");
      CHECK(std::abs(sum * r - 1.0) < 0.01);
      CHECK(std::abs(moment / sum - arrival * 48000.0) < 0.1);  // the centre of mass is the delay of low frequencies
      // The peak belongs to all frequencies: off by no more than the dispersion.
      const auto peak = std::max_element(out.ir.begin(), out.ir.end()) - out.ir.begin();
      CHECK(std::abs(static_cast<double>(peak) / 48000.0 - arrival) < run.planned.choice.dispersion_error * arrival + 1.0 / 48000.0);
    }
  }
}
