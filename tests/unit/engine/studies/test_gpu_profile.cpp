#include "engine/studies/gpu_profile.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace fdtd::study {
namespace {

TimedLaunch timed(int x, double cost, bool predicted, double ctpn_ns) {
  TimedLaunch one;
  one.tile = {x, 4, 2};
  one.cost = cost;
  one.predicted = predicted;
  one.ctpn_ns = ctpn_ns;
  return one;
}

GpuProfile sample() {
  GpuProfile p;
  p.stencil = "leggy-4/taylor";
  p.points = 25;
  p.grid = {928, 800, 750};
  p.kernel = "flat";
  p.tile = {32, 8, 94, 256, 3};
  p.tile_from = "cache";
  p.launches = 1;
  p.ctpn = {0.004, 0.01};
  p.triad = {0.003, 0.005};
  p.declared_bytes = 12.0;
  p.resources.registers = 64;
  return p;
}

}  // namespace

TEST_CASE("the median and the spread are of all batches") {
  REQUIRE(spread_of({3.0, 1.0, 2.0}).median_ns == 2.0);
  REQUIRE(spread_of({3.0, 1.0, 2.0}).spread == Approx(1.0));
  REQUIRE(spread_of({4.0, 1.0, 2.0, 3.0}).median_ns == Approx(2.5));
  REQUIRE(spread_of({5.0}).spread == 0.0);
}

TEST_CASE("a profile's JSON holds speed beside roof, tile and resources") {
  const auto json = to_json(sample());
  REQUIRE(json["gpts_per_second"] == Approx(250.0));
  REQUIRE(json["eff"] == Approx(0.75));
  REQUIRE(json["gb_per_second"] == Approx(3000.0));
  REQUIRE(json["precision"] == "f32");
  REQUIRE(json["grid"] == nlohmann::ordered_json({928, 800, 750}));
  REQUIRE(json["tile"]["depth"] == 3);
  REQUIRE(json["resources"]["registers"] == 64);
  for (const char* absent : {"roofs", "tiles", "prediction", "counters"}) REQUIRE_FALSE(json.contains(absent));
}

TEST_CASE("a profile that failed says why and has no figures") {
  GpuProfile p = sample();
  p.error = "CUDA: invalid argument";
  const auto json = to_json(p);
  REQUIRE(json["error"] == "CUDA: invalid argument");
  REQUIRE(json["kernel"] == "flat");
  REQUIRE_FALSE(json.contains("ctpn_ns"));
}

TEST_CASE("roofs, tiles and counters are reported where they were measured") {
  GpuProfile p = sample();
  p.roofs = RoofTimes{{0.003, 0.0}, {0.002, 0.0}, {0.0025, 0.0}};
  p.counters = Counters{};
  p.counters->dram_read_bytes = 9.0;
  p.counters->dram_written_bytes = 4.0;
  p.tiles = {timed(32, 1.0, true, 0.005), timed(64, 2.0, false, 0.004)};
  const auto json = to_json(p);
  REQUIRE(json["roofs"]["triad"]["gb_per_second"] == Approx(4000.0));
  REQUIRE(json["roofs"]["copy"]["gb_per_second"] == Approx(4000.0));
  REQUIRE(json["counters"]["effective_bytes_per_point"] == Approx(13.0));
  REQUIRE(json["tiles"].size() == 2);
  REQUIRE(json["tiles"][1]["tile"]["x"] == 64);
  REQUIRE(json["prediction"]["best_predicted"] == false);
  REQUIRE(json["prediction"]["loss_of_set"] == Approx(0.25));
}

TEST_CASE("the prediction is scored against the fastest tile") {
  const std::vector<TimedLaunch> tiles = {timed(32, 1.0, true, 0.0050), timed(64, 1.1, true, 0.0042),
                                          timed(128, 3.0, false, 0.0040), timed(16, 4.0, false, 0.0)};
  const auto score = score_of(tiles);
  REQUIRE(score);
  REQUIRE_FALSE(score->best_predicted);
  REQUIRE(score->tiles == 3);
  REQUIRE(score->predicted == 2);
  REQUIRE(score->loss_of_set == Approx(0.05));
  REQUIRE(score->loss_of_first == Approx(0.25));
  REQUIRE_FALSE(score_of(std::vector<TimedLaunch>{timed(32, 1.0, true, 0.0)}));
}

}  // namespace fdtd::study
