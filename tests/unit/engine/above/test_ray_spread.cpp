#include "engine/above/ray_spread.hpp"

#include <omp.h>

#include <cmath>

#include "engine/above/trace_above.hpp"
#include "tests/support/above_box.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// A box whose walls scatter.
Scene rough_box(double scattering) { return test::above_box(0.1, scattering, {{2.1, 2.2, 1.1}, {3.1, 2.2, 1.1}}); }

const WavePart high_wave = {4000.0, 0.02, 0.4, 36.0, 343.2};

}  // namespace

TEST_CASE("a pulse has its energy in each octave, in its bin", "[above]") {
  const std::vector<double> octaves = {1000.0, 2000.0, 4000.0, 8000.0};
  std::vector<double> early(9600, 0.0);
  early[48 * 50 + 20] = 0.5;
  const std::vector<double> energies = early_energies(early, octaves, 1e-3, 200);
  for (std::size_t o = 0; o < octaves.size(); ++o) {
    double sum = 0.0;
    for (std::size_t b = 45; b < 56; ++b) sum += energies[o * 200 + b];
    CHECK(sum == Approx(0.25).epsilon(0.02));
  }
}

TEST_CASE("the spread of halves is half of their difference, where there is a decay", "[above]") {
  constexpr std::size_t bins = 400;
  RayEnergies sums;
  sums.bins = bins;
  sums.energy.resize(2 * bins);
  const auto decay = [&](std::size_t half, double seconds, double height) {
    for (std::size_t b = 0; b < bins; ++b)
      sums.energy[half * bins + b] = height * std::exp(-13.8155 * 1e-3 * static_cast<double>(b) / seconds);
  };
  const std::vector<double> octaves = {1000.0};
  const std::vector<SpreadReceiver> receivers = {{0, 0.0, std::vector<double>(bins, 0.0)}};
  const auto spread = [&] { return spread_of(sums, 1000, receivers, octaves, 1, 1, 1e-3).at(0); };
  decay(0, 0.30, 1.0);
  decay(1, 0.33, 0.33);
  RaySpread one = spread();
  REQUIRE(one.T20);
  CHECK(*one.T20 == Approx(0.03 / 0.63).epsilon(0.01));
  CHECK(one.G == Approx(5.0 * std::log10(0.30 / (0.33 * 0.33))).epsilon(0.02));
  CHECK(one.C80 > 0.1);
  decay(0, 3.0, 1.0);
  decay(1, 4.0, 1.0);
  CHECK_FALSE(spread().T20);  // the record ends before it has fallen by 30 dB
}

TEST_CASE("auto takes more rays until T20 has converged, or the work is done", "[above]") {
  const Scene scene = rough_box(0.9);
  AbovePlan plan = *plan_above(scene, high_wave);
  REQUIRE(plan.most_rays == 2000000);
  plan.rays = 600;
  const AboveTrace trace = trace_above(scene, plan);
  const AboveRecord& record = trace.record;
  CHECK(record.ray_end == RayEnd::converged);
  CHECK(record.rays > 600);
  CHECK(record.rays % 600 == 0);
  REQUIRE(record.spread.size() == record.octaves.size());
  for (const RaySpread& one : record.spread) {
    REQUIRE(one.T20);
    CHECK(*one.T20 <= 0.015);
    CHECK(one.C80 > 0.0);
    CHECK(one.C80 < 0.5);
    CHECK(one.G < 0.2);
  }
  CHECK(spread_text(record).find("agrees within 3 %") != std::string::npos);
  AboveRecord without = record;  // no decay is long enough
  for (RaySpread& one : without.spread) one.T20.reset();
  CHECK(spread_text(without).find("agrees within 3 %") == std::string::npos);
  CHECK(spread_text(without).find("no decay is long enough for a T20") != std::string::npos);

  // The same sound as with so many rays from the start.
  AbovePlan fixed = plan;
  fixed.rays = fixed.most_rays = record.rays;
  const AboveTrace at_once = trace_above(scene, fixed);
  CHECK(at_once.record.ray_end == RayEnd::asked);
  CHECK(at_once.record.late[0].energy == record.late[0].energy);
  CHECK(at_once.record.late[1].energy == record.late[1].energy);

  // The bound of work, whatever the number of threads.
  plan.most_hits = 2.9 * static_cast<double>(trace.hits) * 600.0 / static_cast<double>(record.rays);
  const int threads = omp_get_max_threads();
  std::vector<AboveTrace> made;
  for (const int n : {1, 3}) {
    omp_set_num_threads(n);
    made.push_back(trace_above(scene, plan));
  }
  omp_set_num_threads(threads);
  for (const AboveTrace& one : made) {
    CHECK(one.record.ray_end == RayEnd::work);
    CHECK(one.record.rays == Approx(1740.0).epsilon(0.02));
    CHECK(static_cast<double>(one.hits) < 1.05 * plan.most_hits);
  }
  CHECK(made[0].record.late[0].energy == made[1].record.late[0].energy);
}

TEST_CASE("the number of rays has an end too", "[above]") {
  const Scene scene = rough_box(0.3);
  AbovePlan plan = *plan_above(scene, high_wave);
  plan.rays = 300;
  plan.most_rays = 900;
  const AboveTrace trace = trace_above(scene, plan);
  CHECK(trace.record.ray_end == RayEnd::most);
  CHECK(trace.record.rays == 900);
}
