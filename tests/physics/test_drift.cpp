// A closed rigid room in f32 neither grows nor drifts at zero frequency, over a million steps.
#include <cmath>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr std::array<int, 3> size = {16, 6, 5};
constexpr double nodes = 16 * 6 * 5;

Plan rigid_room(const std::string& stencil) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = Precision::f32;
  Plan plan = plan_of(spec);
  std::mt19937 random(2);
  plan.sources.push_back(random_tap(plan, 1, random, "S"));
  return plan;
}

double mean_of(const Backend& backend) {
  State state;
  backend.save(state);
  double sum = 0.0;
  for (const double u : values_of(state.u_now, Precision::f32)) sum += u;
  return sum / nodes;
}

// The largest |mean|, sampled every 50,000 steps, after the drive (1, -1, 0, ...); the exact mean is 1 / nodes.
double largest_mean(const Plan& plan, int blocks) {
  const auto backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  Samples samples;
  double largest = 0.0;
  for (int block = 0; block < blocks; ++block) {
    Drive drive{50000, std::vector<double>(50000, 0.0)};
    if (block == 0) {
      drive.f[0] = 1.0;
      drive.f[1] = -1.0;
    }
    backend->advance(drive, samples);
    const double mean = std::abs(mean_of(*backend));
    if (!std::isfinite(mean)) return mean;
    largest = std::max(largest, mean);
  }
  return largest;
}

}  // namespace

TEST_CASE("the mean pressure of a closed f32 room stays where it is over a million steps") {
  for (const char* name : {"leggy-1", "leggy-4"}) {
    INFO(name);
    CHECK(largest_mean(rigid_room(name), 20) < 5.0 / nodes);
  }
}

TEST_CASE("weights that sum above 2 by one part in ten million would grow within 50,000 steps") {
  Plan plan = rigid_room("leggy-4");
  plan.stencil.centre += 2e-7;
  CHECK_FALSE(largest_mean(plan, 1) < 5.0 / nodes);
}
