// A snapshot shows the pulse that it names, propagating at the speed of sound and decaying as 1/r.
#include <cmath>
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
