// A backend's result of a start and a drive, and the distance of two results.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/backend/backend.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

namespace fdtd::test {

struct Result {
  State state;
  Samples samples;
  Energy energy;
};

inline void take_through(Backend& backend, const Plan& plan, const State& start, const Drive& drive, State& state,
                         Samples& samples) {
  backend.load(plan, whole(plan));
  backend.restore(start);
  backend.advance(drive, samples);
  backend.save(state);
}

inline Result result_of(Backend& backend, const Plan& plan, const State& start, const Drive& drive) {
  Result result;
  take_through(backend, plan, start, drive, result.state, result.samples);
  result.energy = backend.energy();
  return result;
}

// Largest difference over the largest of `b`, or over `scale` where that is larger; not a number where one of them is
// not.
inline double difference(const std::vector<double>& a, const std::vector<double>& b, double scale = 0.0) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (std::isnan(d)) return d;
    largest = std::max(largest, d);
    scale = std::max(scale, std::abs(b[i]));
  }
  return largest == 0.0 ? 0.0 : largest / scale;
}

// Compares all values of two results, each within `tolerance` of the largest.
inline void check_close(const Result& got, const Result& truth, Precision precision, double tolerance) {
  const auto field = [&](const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    return difference(values_of(a, precision), values_of(b, precision));
  };
  CHECK(field(got.state.u_now, truth.state.u_now) < tolerance);
  CHECK(field(got.state.u_before, truth.state.u_before) < tolerance);
  CHECK(field(got.state.branches.V, truth.state.branches.V) < tolerance);
  CHECK(field(got.state.branches.G, truth.state.branches.G) < tolerance);
  CHECK(difference(got.samples.p, truth.samples.p) < tolerance);
  CHECK(got.state.step == truth.state.step);
  double scale = std::abs(truth.energy.injected) + truth.energy.dissipated;
  for (const double u : values_of(truth.state.u_now, precision)) scale += u * u;
  CHECK(std::abs(got.energy.stored - truth.energy.stored) < 2 * tolerance * scale);
  CHECK(std::abs(got.energy.injected - truth.energy.injected) < 2 * tolerance * scale);
  CHECK(std::abs(got.energy.dissipated - truth.energy.dissipated) < 2 * tolerance * scale);
}

}  // namespace fdtd::test
