#include "engine/planning/outline/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("one GPU has its full speed, and several lose by halos and launches") {
  const StepBytes large{12e9, 4e6}, small{12e7, 4e6};
  const Interconnect link;
  CHECK(strong_efficiency(large, 1, link) == 1.0);
  CHECK(weak_efficiency(large, 1, link) == 1.0);
  CHECK(strong_efficiency(large, 4, link) < 1.0);
  CHECK(strong_efficiency(large, 4, link) > strong_efficiency(large, 64, link));
  CHECK(strong_efficiency(large, 4, link) > strong_efficiency(small, 4, link));
  // Hidden halos cost nothing: a slower link changes nothing until they take longer than the inside.
  Interconnect slower = link;
  slower.link /= 2.0;
  CHECK(weak_efficiency(large, 4, slower) == weak_efficiency(large, 4, link));
  slower.link /= 1e3;
  CHECK(weak_efficiency(large, 4, slower) < 0.5);
}

TEST_CASE("a room's slabs together hold the room, and as many GPUs are needed as hold it") {
  RoomSpec spec;
  spec.size = {40, 30, 90};
  spec.stencil = "leggy-4";
  spec.laws = some_laws();
  const Plan plan = plan_of(spec);
  const std::vector<PlaneCounts> counts = plane_counts(plan);
  const std::int64_t one = slab_bytes(plan, counts, split(plan, 1))[0];
  const std::vector<std::int64_t> three = slab_bytes(plan, counts, split(plan, 3));
  CHECK(std::accumulate(three.begin(), three.end(), std::int64_t{0}) > one);
  CHECK(gpus_needed(plan, counts, one) == 1);
  CHECK(gpus_needed(plan, counts, one - 1) == 2);
  CHECK(gpus_needed(plan, counts, *std::max_element(three.begin(), three.end())) <= 3);
  CHECK(gpus_needed(plan, counts, 1000) == 0);
}

// From the time of one GPU, as `fdtd plan` has it where it has timed one.
TEST_CASE("what was measured on two and four GPUs is predicted within the stated error, and no better") {
  const auto measured = nlohmann::json::parse(std::ifstream(FDTD_SOURCE_DIR "/bench/results/h200/ranks.json"));
  double worst = 0.0;
  int rows = 0;
  for (const auto& row : measured.at("results")) {
    const auto stencil = row.at("stencil").get<std::string>();
    if (row.at("grid")[0] != 1024) continue;  // meshes
    const int radius = find_stencil(stencil)->radius(), gpus = row.at("gpus");
    const bool weak = row.at("scaling") == "weak";
    const double plane = 4.0 * 1024 * 1024;
    const StepBytes bytes{3.0 * plane * 1024, radius * plane};
    const Interconnect speeds = speeds_of(bytes, row.at("seconds_per_step_of_one").get<double>());
    const double predicted = weak ? weak_efficiency(bytes, gpus, speeds) : strong_efficiency(bytes, gpus, speeds);
    const double error = std::abs(predicted - row.at("efficiency").get<double>());
    INFO(stencil << (weak ? " weak " : " strong ") << gpus << ": " << predicted);
    CHECK(error <= efficiency_error);
    worst = std::max(worst, error);
    ++rows;
  }
  CHECK(rows >= 12);
  CHECK(efficiency_error < std::max(2.0 * worst, 0.03));
}

namespace {

struct Span {
  std::string what;
  int step = 0;
  double begin = 0.0, end = 0.0;
};

// Rows name what they hold, or are lists in this order.
std::vector<Span> spans_of(const nlohmann::json& rank) {
  std::vector<Span> spans;
  for (const auto& one : rank.value("spans", nlohmann::json::array())) {
    if (one.is_array()) {
      spans.push_back({one[0], one[1], one[2], one[3]});
    } else {
      spans.push_back({one["what"], one["step"], one["begin_us"], one["end_us"]});
    }
  }
  return spans;
}

}  // namespace

// Clocks are each rank's own. A block's last exchange has no step after it.
TEST_CASE("the timelines measured on two and four GPUs show every exchange inside the computing of its step") {
  const auto measured = nlohmann::json::parse(std::ifstream(FDTD_SOURCE_DIR "/bench/results/h200/ranks.json"));
  std::map<std::string, int> exchanges;  // by stencil
  for (const auto& row : measured.at("results")) {
    const auto stencil = row.at("stencil").get<std::string>();
    for (const auto& rank : row.at("timelines")) {
      INFO(stencil << " on " << row.at("gpus") << ", " << row.at("exchange") << ", rank " << rank.at("rank"));
      CHECK(rank.at("halo_hidden") == 1.0);
      const std::vector<Span> spans = spans_of(rank);
      for (const Span& halo : spans) {
        const auto inside = std::ranges::find_if(spans, [&](const Span& one) {
          return (one.what == "step" || one.what == "inside") && one.step == halo.step;
        });
        if (halo.what != "halo" || inside == spans.end()) continue;
        CHECK(halo.begin >= inside->begin);
        CHECK(halo.end <= inside->end);
        ++exchanges[stencil];
      }
    }
  }
  for (const char* stencil : {"leggy-1", "leggy-4", "box-222"}) CHECK(exchanges[stencil] >= 50);
}

TEST_CASE("the model carried to 1024 GPUs falls, and stops where slabs would be too thin") {
  const StepBytes bytes{12e9, 16e6};
  const std::vector<ScalingPoint> points = scaling_of(bytes, 100, {});
  REQUIRE(points.size() == 11);
  CHECK(points.back().gpus == 1024);
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].gpus == 2 * points[i - 1].gpus);
    CHECK(points[i].strong <= points[i - 1].strong);
    CHECK(points[i].weak <= points[i - 1].weak);
    CHECK((points[i].strong > 0.0) == (points[i].gpus <= 100));
  }
  // The halo of a thin slab goes from machine to machine by a slower way.
  CHECK(points[4].strong == strong_efficiency(bytes, 16, between_machines()));
  CHECK(points[3].strong == strong_efficiency(bytes, 8, {}));
}
