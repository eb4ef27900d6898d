// A snapshot shows the pulse that it names, propagating at the speed of sound and decaying as 1/r, and the directivities of
// sources.
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/run/run.hpp"
#include "engine/run/snapshots.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/measured_field.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("a snapshot of a free field is the pulse at r/c over r, at the positions given by its origin and spacing") {
  const double c = 343.0, bandwidth = 500.0;
  const std::array<double, 3> source = {2.9, 3.1, 2.95};
  const ParsedScene parsed = parse_scene(R"(schema = 1
[simulation]
duration = 0.02
max_frequency = 500.0
dispersion_error = 0.005
stencil = "leggy-8"
[air]
sound_speed = 343.0
[room]
box = [6.0, 6.0, 6.0]
walls = { default = "stone" }
[materials.stone]
rigid = true
[[source]]
name = "S"
position = [2.9, 3.1, 2.95]
[[receiver]]
name = "R"
position = [4.0, 4.0, 4.0]
[output]
snapshots = [{ plane = "z", position = 3.3, every = 0.001 },
             { plane = "volume", every = 0.002, begin = 0.004, end = 0.006 },
             { plane = "x", position = 4.0, every = 0.002 }]
)",
                                         "box.toml");
  REQUIRE(parsed.problems.empty());
  const PlanResult planned = make_plan(parsed.scene, *find_stencil("leggy-8"));
  const Plan& plan = planned.plan;
  const TemporaryFolder folder;
  SnapshotWriter writer(folder.path(), plan, planned.choice.offset, false);
  RunCallbacks callbacks;
  callbacks.frame = [&](int s, std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
    writer.write(s, snapshot, frame, values);
  };
  run(plan, *make_cpu_backend({1, ""}), callbacks);
  writer.finish();
  const SnapshotReader reader(folder.path() / "snapshots.h5");
  REQUIRE(reader.list().sets.size() == 3);
  CHECK(reader.list().sets[0].times.size() == 21);
  CHECK(reader.list().sets[1].times.size() == 2);
  CHECK(std::abs(reader.list().sets[0].origin[2] - 3.3) <= 0.5 * reader.list().sets[0].spacing[2]);

  const double deviation = 3.5 / (2.0 * std::numbers::pi * bandwidth);
  const auto pulse = [&](double t) {  // the Gaussian's derivative, 1 at its peak
    return -t / deviation * std::exp(0.5 - 0.5 * t * t / deviation / deviation);
  };
  std::size_t looked_at = 0;
  for (const SnapshotSet& set : reader.list().sets)
    for (std::size_t f = 0; f < set.times.size(); ++f) {
      const std::vector<float> frame = reader.frame(set, "S", f);
      double largest = 0.0, worst = 0.0;
      for (std::size_t i = 0; i < frame.size(); ++i) {
        const auto n = static_cast<std::int64_t>(i);
        const std::array<std::int64_t, 3> node = {n % set.size[0], n / set.size[0] % set.size[1],
                                                  n / set.size[0] / set.size[1]};
        double r = 0.0, echo = HUGE_VAL;
        for (std::size_t d = 0; d < 3; ++d) {
          const double place = set.origin[d] + static_cast<double>(node[d]) * set.spacing[d];
          r = std::hypot(r, place - source[d]);
          echo = std::min({echo, place + source[d], 12.0 - place - source[d]});
        }
        // Free field: farther from the source than the pulse, and before any echo.
        if (r < 0.5 || echo < c * (set.times[f] + 4.0 * deviation)) continue;
        ++looked_at;
        const double expected = pulse(set.times[f] - r / c) / r;
        largest = std::max(largest, std::abs(expected));
        worst = std::max(worst, std::abs(static_cast<double>(frame[i]) - expected));
      }
      INFO(set.name << " at " << set.times[f] << " s: " << worst << " of " << largest);
      CHECK(worst < 0.02 * std::max(largest, 0.1));
    }
  CHECK(looked_at > 20000);
}

namespace {

const char* const directional_scene = R"(schema = 1
[simulation]
duration = 0.04
max_frequency = 500
dispersion_error = 0.005
precision = "f64"
stencil = "leggy-4"
[air]
sound_speed = 343.0
[room]
box = [3.1, 2.9, 2.7]
walls = { default = "panel" }
[materials.panel]
admittance = 0.3
[[source]]
name = "O"
position = [0.6, 0.7, 0.8]
[[source]]
name = "C"
position = [0.7, 0.6, 0.8]
pattern = "cardioid"
direction = [0.6, 0, 0.8]
[[source]]
name = "E"
position = [0.6, 0.6, 0.7]
pattern = "figure-eight"
direction = [0.6, 0.8, 0]
[[source]]
name = "M"
position = [0.7, 0.7, 0.8]
[[receiver]]
name = "R"
position = [2.6, 2.2, 1.1]
[output]
low_cut = 0
snapshots = [{ plane = "z", position = 1.9, every = 0.0005 }]
)";

// The response at t seconds to a pulse of that standard deviation, 1 at its peak: a Gaussian's first or second derivative.
double pulse_response(std::span<const double> ir, double rate, double t, double deviation, bool second) {
  double sum = 0.0;
  for (std::size_t j = 0; j < ir.size(); ++j) {
    const double x = (t - static_cast<double>(j) / rate) / deviation;
    if (std::abs(x) < 8.0)
      sum += ir[j] * (second ? (1.0 - x * x) * std::exp(-0.5 * x * x) : -x * std::exp(0.5 - 0.5 * x * x));
  }
  return sum;
}

}  // namespace

TEST_CASE("a snapshot of a directional source is what receivers hear at its nodes, in one pass a source") {
  ParsedScene parsed = parse_scene(directional_scene, "box.toml");
  REQUIRE(parsed.problems.empty());
  Scene& scene = parsed.scene;
  scene.sources[3].directivity.pattern = measured_pattern;
  scene.sources[3].directivity.direction = {1.0, 0.0, 0.0};
  scene.sources[3].directivity.balloon = std::make_shared<const Balloon>(fit_balloon(measured_at(1.2), {}, "exact"));
  const Stencil& stencil = *find_stencil("leggy-4");
  const PlanResult grid = make_plan(scene, stencil);
  const std::array<std::array<int, 3>, 3> nodes = {{{30, 26, 0}, {27, 20, 0}, {31, 15, 0}}};
  scene.receivers.clear();
  const ReceiverSpec like = parse_scene(directional_scene, "box.toml").scene.receivers[0];
  for (std::array<int, 3> node : nodes) {
    node[2] = grid.plan.snapshots[0].index;
    ReceiverSpec& one = scene.receivers.emplace_back(like);
    one.name = "R" + std::to_string(scene.receivers.size());
    for (std::size_t d = 0; d < 3; ++d)
      one.position[d] = (node[d] + 0.5) * grid.plan.grid.spacing[d] - grid.choice.offset[d];
  }
  const PlanResult planned = make_plan(scene, stencil);
  const Plan& plan = planned.plan;
  REQUIRE(plan.grid.size == grid.plan.grid.size);
  REQUIRE(plan.sources.size() == 20);
  CHECK(planned.passes() == 4);
  for (const Note& note : planned.choice.warnings) CHECK_THAT(note.text, !Catch::Contains("snapshots of source"));
  std::map<int, std::vector<std::vector<float>>> frames;
  RunCallbacks callbacks;
  callbacks.frame = [&](int s, std::int64_t, std::int64_t, std::span<const float> values) {
    frames[s].emplace_back(values.begin(), values.end());
  };
  const Recording recording = run(plan, *make_cpu_backend({1, ""}), callbacks);
  const Rendered rendered = render(recording, render_options(scene, plan, planned.bandwidth()));
  REQUIRE(frames.size() == 4);
  const auto samples = static_cast<std::size_t>(rendered.samples);
  for (const auto& [source, list] : frames) {
    REQUIRE(list.size() == plan.snapshots[0].steps.size());
    double largest = 0.0, worst = 0.0;
    for (std::size_t r = 0; r < nodes.size(); ++r)
      for (std::size_t f = 0; f < list.size(); ++f) {
        const double t = static_cast<double>(plan.snapshots[0].steps[f]) * plan.grid.time_step;
        if (t < 6e-3 || t > 32e-3)
          continue;  // responses begin at 0, before which their low-pass rings, and end at 40 ms
        const std::span<const double> ir =
            std::span(rendered.ir).subspan((static_cast<std::size_t>(source) * nodes.size() + r) * samples, samples);
        const double expected = pulse_response(ir, rendered.sample_rate, t, 3.5 / (2.0 * std::numbers::pi * 500.0),
                                               source == 1 || source == 3);
        const float found = list[f][static_cast<std::size_t>(nodes[r][1] * plan.grid.size[0] + nodes[r][0])];
        largest = std::max(largest, std::abs(expected));
        worst = std::max(worst, std::abs(static_cast<double>(found) - expected));
      }
    INFO(plan.sources[static_cast<std::size_t>(source)].channel.name << ": " << worst << " of " << largest);
    CHECK(largest > 0.1);
    // At max_frequency, where responses end, the spectrum of the second derivative is 3.5 % of its largest.
    CHECK(worst < (source == 1 || source == 3 ? 0.04 : 0.03) * largest);
  }
}
