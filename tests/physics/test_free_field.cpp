// Before the first echo a box is free field: one arrival at r/c whose samples sum to 1/r.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/support/rooms/box_run.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double distance = 3.0;

// A pair `distance` apart around the middle of a cube: every echo travels at least one side.
BoxSpec pair_in_cube(const std::array<double, 3>& direction) {
  BoxSpec spec;
  const double side = 7.2;
  spec.box = {side, side, side};
  for (std::size_t d = 0; d < 3; ++d) {
    spec.source[d] = side / 2.0 - distance / 2.0 * direction[d];
    spec.receiver[d] = side / 2.0 + distance / 2.0 * direction[d];
  }
  spec.max_frequency = 1000.0;
  spec.dispersion_error = 0.02;
  spec.low_cut = 0.0;
  spec.tail = false;
  spec.duration = 6.4 / box_sound_speed;
  return spec;
}

constexpr double silence = 0.03;  // s, more than the low-pass rings

// Fades out the response to a unit sample, the record's sum, from 5 to 6.4 m of travel (above its band the grid rings
// for long), with silence before and after it, so that no part of the pulse is cut off. Returns the number of samples
// before it. (Time-dispersion removal counts time from the emission: then there is no silence before it.)
std::int64_t isolate(Recording& recording, bool before_too) {
  const double per_sample = box_sound_speed / recording.sample_rate;
  double response = 0.0, before = 0.0;
  for (std::int64_t n = 0; n < recording.samples; ++n) {
    double& value = recording.pressure[static_cast<std::size_t>(n)];
    response += value;
    const double fraction = std::clamp((static_cast<double>(n) * per_sample - 5.0) / 1.4, 0.0, 1.0);
    const double faded = response * (0.5 + 0.5 * std::cos(std::numbers::pi * fraction));
    value = faded - before;
    before = faded;
  }
  const auto pause = static_cast<std::int64_t>(silence * recording.sample_rate);
  const std::int64_t lead = before_too ? pause : 0;
  recording.pressure.insert(recording.pressure.begin(), static_cast<std::size_t>(lead), 0.0);
  recording.samples += lead + pause;
  recording.pressure.resize(static_cast<std::size_t>(recording.samples), 0.0);
  return lead;
}

}  // namespace

TEST_CASE("free field: the pulse sums to 1/r within 1 % and arrives at r/c within a tenth of a sample at 3 m",
          "[physics]") {
  const double arrival = distance / box_sound_speed;
  for (const char* stencil : {"leggy-4", "leggy-4/warp03", "compact-4/radial03"}) {
    for (const auto& direction : {std::array<double, 3>{1.0, 0.0, 0.0}, {0.48, 0.6, 0.64}}) {
      BoxSpec spec = pair_in_cube(direction);
      spec.stencil = stencil;
      BoxRun run = run_box(spec);
      const bool removal = run.options.frequency_map.undoes();
      const double pause = static_cast<double>(isolate(run.recording, !removal)) / run.recording.sample_rate;
      run.options.duration = 0.0;
      const Rendered out = render(run.recording, run.options);

      double sum = 0.0, moment = 0.0;
      for (std::size_t j = 0; j < out.ir.size(); ++j) {
        sum += out.ir[j];
        moment += out.ir[j] * (static_cast<double>(j) - pause * 48000.0);
      }
      INFO(stencil << " along " << direction[0] << ": sum " << sum << ", arrival " << moment / sum << " samples");
      CHECK(std::abs(sum * distance - 1.0) < 0.01);
      // The centre of mass is the delay of low frequencies. (An equiripple stencil errs as much there as anywhere.)
      CHECK(std::abs(moment / sum - arrival * 48000.0) <
            (removal ? run.planned.choice.dispersion_error * arrival * 48000.0 : 0.1));
      // The peak belongs to all frequencies: off by no more than the dispersion.
      const auto peak =
          static_cast<double>(std::max_element(out.ir.begin(), out.ir.end()) - out.ir.begin()) / 48000.0 - pause;
      CHECK(std::abs(peak - arrival) < run.planned.choice.dispersion_error * arrival + 1.0 / 48000.0);
    }
  }
}

namespace {

// Levels of the first arrival at fractions of max_frequency; positions `shift` of a cell beyond nodes on all axes.
std::vector<double> levels(BoxSpec spec, double shift, const std::vector<double>& fractions) {
  BoxSpec probe = spec;
  probe.duration = 1e-3;
  const Grid grid = run_box(probe).planned.choice.grid;
  for (auto* position : {&spec.source, &spec.receiver})
    for (std::size_t d = 0; d < 3; ++d)
      (*position)[d] = (std::round((*position)[d] / grid.spacing[d]) + 0.5 + shift) * grid.spacing[d];
  BoxRun run = run_box(spec);
  isolate(run.recording, !run.options.frequency_map.undoes());
  run.options.duration = 0.0;
  const Rendered out = render(run.recording, run.options);
  std::vector<double> found;
  for (const double fraction : fractions) {
    std::complex<double> sum = 0.0;
    for (std::size_t j = 0; j < out.ir.size(); ++j)
      sum += out.ir[j] * std::polar(1.0, -2.0 * std::numbers::pi * fraction * spec.max_frequency *
                                             static_cast<double>(j) / 48000.0);
    found.push_back(20.0 * std::log10(std::abs(sum)));
  }
  return found;
}

}  // namespace

// By polynomials through eight nodes both together were 4.4 dB below at 2.4 points a wavelength.
TEST_CASE(
    "free field: a source and a receiver in mid-cell are within a decibel each of those on nodes to the last wave",
    "[physics]") {
  const std::vector<double> fractions = {0.25, 0.5, 0.75, 0.9, 0.98};
  for (const char* stencil : {"leggy-4/warp1"})
    for (const auto& direction : {std::array<double, 3>{1.0, 0.0, 0.0}, {0.48, 0.6, 0.64}}) {
      BoxSpec spec = pair_in_cube(direction);
      spec.stencil = stencil;
      const std::vector<double> on_nodes = levels(spec, 0.0, fractions), between = levels(spec, 0.5, fractions);
      for (std::size_t i = 0; i < fractions.size(); ++i) {
        CAPTURE(stencil, direction[0], fractions[i]);
        CHECK(between[i] == Approx(on_nodes[i]).margin(fractions[i] > 0.6 ? 2.0 : 0.5));
      }
    }
}
