// What a backend makes of a start and a drive, and how far two of it are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/backend.hpp"
#include "tests/support/catch.hpp"

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

// Largest difference over the largest of `b`, or over `scale` where that is larger; not a number where one of them is not.
inline double difference(const std::vector<double>& a, const std::vector<double>& b, double scale = 0.0) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (std::isnan(d)) return d;
    most = std::max(most, d);
    scale = std::max(scale, std::abs(b[i]));
  }
  return most == 0.0 ? 0.0 : most / scale;
}

}  // namespace fdtd::test
