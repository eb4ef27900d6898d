#include "engine/results/lateral_response.hpp"

#include <cmath>

#include "engine/responses/metrics.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// An omnidirectional receiver and an ambisonic one at (2, 1, 1); sound of three arrivals from the source's direction (0 ms),
// from the left of a listener who faces it (20 ms) and from above (30 ms).
Result waves_from(const std::array<double, 3>& source) {
  Result result;
  result.recording.sources = {"S"};
  result.recording.receivers = read_channel_names({"omni", "A:00", "A:01", "A:02", "A:03"});
  result.source_positions = {source};
  result.receiver_positions.assign(5, {2.0, 1.0, 1.0});
  result.rendered.sample_rate = 1'000.0;
  result.rendered.samples = 40;
  result.rendered.ir.assign(5 * 40, 0.0);
  const double x = source[0] - 2.0, y = source[1] - 1.0, r = std::hypot(x, y);
  const auto arrive = [&](std::size_t sample, const std::array<double, 3>& from) {
    const double channels[] = {1.0, 1.0, from[1], from[2], from[0]};
    for (std::size_t c = 0; c < 5; ++c) result.rendered.ir[c * 40 + sample] = channels[c];
  };
  if (r > 0.0) {
    arrive(0, {x / r, y / r, 0.0});
    arrive(20, {-y / r, x / r, 0.0});
  }
  arrive(30, {0.0, 0.0, 1.0});
  return result;
}

}  // namespace

TEST_CASE("lateral response: the null is towards the source, the axis to the left of it") {
  for (const std::array<double, 3>& source : {std::array{5.0, 1.0, 1.0}, {2.0, -3.0, 2.0}, {0.5, 4.0, 0.0}}) {
    const LateralResponse lateral = lateral_response(waves_from(source), 1);
    REQUIRE(lateral.samples.size() == 40);
    CHECK(lateral.samples[0] == Approx(0.0).margin(1e-12));
    CHECK(lateral.samples[20] == Approx(1.0));
    CHECK(lateral.samples[30] == Approx(0.0).margin(1e-12));
    CHECK(lateral.reason.empty());
  }
  CHECK(lateral_response(waves_from({5.0, 1.0, 1.0}), 1).axis == std::array<double, 3>{0.0, 1.0, 0.0});
}

TEST_CASE("lateral response: it is valid from the radial filter on, and missing with the reason") {
  Result result = waves_from({5.0, 1.0, 1.0});
  CHECK(lateral_response(result, 1).from == 0.0);
  ChannelOptions& channels = result.options.channels.emplace();
  channels.source_orders = {1};
  channels.cut = {1.0, 5.0, 30.0};
  CHECK(lateral_response(result, 1).from == 30.0);  // of a dipole's first order
  channels.source_orders = {0};
  CHECK(lateral_response(result, 1).from == 5.0);
  channels.near_corner = {0.0, 0.0, 0.0, 0.0, 90.0};
  CHECK(lateral_response(result, 1).from == 90.0);
  CHECK(lateral_response(result, 0).samples.empty());
  CHECK(lateral_response(result, 0).reason == "the receiver is not ambisonic");
  CHECK(lateral_response(waves_from({2.0, 1.0, 2.5}), 1).reason ==
        "the source is straight above or below the receiver: no direction is lateral");
}
