#include "engine/adjoint/wall_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr std::size_t history_reads = 3, history_steps = 203;

// Of the nodes a slow wave, one that decays by 80 dB, and silence.
std::vector<double> history_of_walls() {
  std::vector<double> deltas(history_reads * history_steps, 0.0);
  for (std::size_t n = 0; n < history_steps; ++n) {
    const auto t = static_cast<double>(n);
    deltas[n] = 0.3 * std::sin(0.031 * t + 0.2);
    deltas[history_steps + n] = std::exp(-0.0454 * t) * std::cos(0.9 * t);
  }
  return deltas;
}

std::vector<double> kept_and_taken(HistoryFormat format, const std::vector<double>& deltas,
                                   SiteFilters::States& states) {
  WallHistory history(format, history_reads);
  history.keep(2, deltas, static_cast<std::int64_t>(history_steps), states);
  std::vector<double> taken;
  states = {};
  history.take(2, taken, states);
  return taken;
}

}  // namespace

TEST_CASE("a history of walls is exact in double, rounded in float", "[adjoint]") {
  const std::vector<double> deltas = history_of_walls();
  SiteFilters::States states{{0.1, -2.0}, {1.0 / 3.0, 0.0}};
  CHECK(kept_and_taken(HistoryFormat::f64, deltas, states) == deltas);
  CHECK(states.G[0] == 1.0 / 3.0);
  const std::vector<double> rounded = kept_and_taken(HistoryFormat::f32, deltas, states);
  for (std::size_t i = 0; i < deltas.size(); ++i)
    REQUIRE(rounded[i] == static_cast<double>(static_cast<float>(deltas[i])));
  CHECK(states.G[0] == static_cast<double>(1.0F / 3.0F));
}

TEST_CASE("in 16 bits samples and their sums are within a unit of sixteen steps, however many they are", "[adjoint]") {
  const std::vector<double> deltas = history_of_walls();
  SiteFilters::States states;
  const std::vector<double> taken = kept_and_taken(HistoryFormat::i16, deltas, states);
  REQUIRE(taken.size() == deltas.size());
  for (std::size_t i = 0; i < history_reads; ++i) {
    double sum = 0.0, before = 0.0;  // of the errors; the unit of the sixteen steps before
    for (std::size_t first = 0; first < history_steps; first += 16) {
      const std::size_t end = std::min(history_steps, first + 16);
      double unit = 0.0;
      for (std::size_t n = first; n < end; ++n)
        unit = std::max(unit, std::abs(deltas[i * history_steps + n]) / 32766.0);
      for (std::size_t n = first; n < end; ++n) {
        const double error = taken[i * history_steps + n] - deltas[i * history_steps + n];
        sum += error;
        INFO("node " << i << ", step " << n);
        REQUIRE(std::abs(error) <= 1.01 * std::max(unit, before));
        REQUIRE(std::abs(sum) <= 0.51 * std::max(unit, before));
      }
      before = unit;
    }
  }
}
