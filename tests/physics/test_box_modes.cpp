// A rigid box: cosines are exact eigenvectors of S with its walls, so the whole time signal is known.
//
// With phi_k(i) = prod_d cos(k_d (i_d + 1/2)), k_d = pi a_d / N_d, the coefficient of a mode obeys
// q^{n+1} = s(k) q^n - q^{n-1} + b f^n, b = drive_scale phi_k(source) / |phi_k|^2. For f = (1, -1, 0, ...) from silence
// q^n = b cos((n - 1/2) w) / cos(w/2), 2 cos w = s(k), n >= 1.
#include <cmath>
#include <numbers>

#include "engine/cpu/make_backend.hpp"
#include "engine/run/run.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

double mode_at(const std::array<int, 3>& size, const std::array<int, 3>& mode, std::uint64_t node) {
  double value = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto n = static_cast<std::uint64_t>(size[d]);
    value *= std::cos(std::numbers::pi * mode[d] * (static_cast<double>(node % n) + 0.5) / size[d]);
    node /= n;
  }
  return value;
}

double tap_of_mode(const std::array<int, 3>& size, const std::array<int, 3>& mode, const Tap& tap) {
  double sum = 0.0;
  for (std::size_t i = 0; i < tap.nodes.size(); ++i) sum += tap.weights[i] * mode_at(size, mode, tap.nodes[i]);
  return sum;
}

// 2 - S for the constant mode: 0 in f64; in f32 weights are rounded so that no row sums above 2, and the constant mode
// oscillates at about sqrt(shortfall) radians per step. Rows near walls are rounded once more.
double shortfall(const Plan& plan) {
  if (plan.precision == Precision::f64) return 0.0;
  const NearWall rounded = rounded_to_float(plan.near_wall);
  const auto sum_of = [](const NearWall& walls, std::uint32_t pattern) {
    double sum = 0.0;
    for (std::uint64_t e = walls.pattern_begin[pattern]; e < walls.pattern_begin[pattern + 1]; ++e)
      sum += walls.entries[e].weight;
    return sum;
  };
  double missing = 0.0;
  for (const WallSegment& segment : rounded.segments) {
    missing += segment.length * (sum_of(plan.near_wall, segment.pattern) - sum_of(rounded, segment.pattern));
  }
  return 2.0 - symbol(plan.stencil, {0.0, 0.0, 0.0}) + missing / static_cast<double>(plan.grid.nodes());
}

// p^0..p^steps at the first receiver for the first source.
std::vector<double> exact_signal(const Plan& plan) {
  std::vector<double> p(static_cast<std::size_t>(plan.steps) + 1, 0.0);
  const auto& size = plan.grid.size;
  for (int a = 0; a < size[0]; ++a) {
    for (int b = 0; b < size[1]; ++b) {
      for (int c = 0; c < size[2]; ++c) {
        const std::array<int, 3> mode = {a, b, c};
        double norm = 1.0;
        Vec3 k{};
        for (std::size_t d = 0; d < 3; ++d) {
          norm *= mode[d] == 0 ? size[d] : size[d] / 2.0;
          k[d] = std::numbers::pi * mode[d] / size[d];
        }
        const double s = a + b + c == 0 ? 2.0 - shortfall(plan) : symbol(plan.stencil, k);
        const double w = std::acos(s / 2.0);
        const double gain = plan.drive_scale * tap_of_mode(size, mode, plan.sources[0]) *
                            tap_of_mode(size, mode, plan.receivers[0]) / norm;
        for (std::int64_t n = 1; n <= plan.steps; ++n) {
          p[static_cast<std::size_t>(n)] += gain * std::cos((static_cast<double>(n) - 0.5) * w) / std::cos(w / 2.0);
        }
      }
    }
  }
  return p;
}

// Largest error of 1000 recorded steps over the largest sample.
double signal_error(const std::string& stencil, const std::array<int, 3>& size, Precision precision,
                    std::array<double, 3> stretch) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = stencil;
  spec.precision = precision;
  spec.stretch = stretch;
  Plan plan = plan_of(spec);
  std::mt19937 random(11);
  plan.sources.push_back(random_tap(plan, 4, random, "S"));
  plan.receivers.push_back(random_tap(plan, 3, random, "R"));
  plan.steps = 1000;
  const Recording recording = run(plan, *make_cpu_backend({1, ""}));
  const std::vector<double> exact = exact_signal(plan);
  REQUIRE(recording.pressure.size() == exact.size());
  double error = 0.0, largest = 0.0;
  for (std::size_t n = 0; n < exact.size(); ++n) {
    error = std::max(error, std::abs(recording.pressure[n] - exact[n]));
    largest = std::max(largest, std::abs(exact[n]));
  }
  return error / largest;
}

}  // namespace

TEST_CASE("leggy stencils in a rigid box give the exact discrete solution") {
  for (const int M : {1, 2, 3, 4, 8, 20}) {
    const std::string name = "leggy-" + std::to_string(M);
    INFO(name);
    CHECK(signal_error(name, {11, 9, 7}, Precision::f64, {0.99, 0.97, 0.95}) < 1e-11);
    CHECK(signal_error(name, {11, 9, 7}, Precision::f32, {0.99, 0.97, 0.95}) < 1e-4);
  }
}

TEST_CASE("compact and box stencils in a rigid box give the exact discrete solution") {
  for (const char* name :
       {"compact-2", "compact-3", "compact-5", "compact-8", "compact-16", "compact-22", "box-222", "box-333"}) {
    INFO(name);
    CHECK(signal_error(name, {10, 9, 7}, Precision::f64, {1.0, 1.0, 1.0}) < 1e-11);
    CHECK(signal_error(name, {10, 9, 7}, Precision::f32, {1.0, 1.0, 1.0}) < 3e-4);  // up to 461 float products a sum
  }
}
