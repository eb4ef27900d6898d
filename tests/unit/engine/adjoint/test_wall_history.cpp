#include "engine/adjoint/wall_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr std::size_t history_reads = 21, history_steps = 203;

// u of two steps before and of all steps, a row a step: of the nodes in turn a slow wave, one that decays by 80 dB, and
// silence.
template <class T>
std::vector<T> rows_of_walls() {
  std::vector<T> rows;
  for (std::size_t n = 0; n < history_steps + 2; ++n)
    for (std::size_t i = 0; i < history_reads; ++i) {
      const auto t = static_cast<double>(n), phase = 0.2 * static_cast<double>(i);
      const double slow = 0.3 * std::sin(0.031 * t + phase), decays = std::exp(-0.0454 * t) * std::cos(0.9 * t + phase);
      rows.push_back(static_cast<T>(i % 3 == 0 ? slow : i % 3 == 1 ? decays : 0.0));
    }
  rows.resize(rows.size() + SiteFilters<float>::lanes, T{});  // that are read beyond the last row
  return rows;
}

// Deltas of all nodes, a row a step, as a history gives them back.
template <class T>
std::vector<T> kept_and_taken(HistoryFormat format, const std::vector<T>& rows) {
  const cpu::SiteFilterCode<T>& code = cpu::site_filter_code<T>();
  constexpr auto lanes = static_cast<std::size_t>(cpu::filter_lanes<T>);
  constexpr auto steps = static_cast<std::ptrdiff_t>(history_steps);
  WallHistory<T> history(format, history_reads, steps, std::vector<T>{T{1} / T{3}});
  CHECK(history.before() == std::vector<T>{T{1} / T{3}});
  if (T* const own = history.rows()) std::copy(rows.begin(), rows.end() - SiteFilters<float>::lanes, own);
  std::vector<T> taken(history_reads * history_steps), some(lanes * history_steps);
  for (std::size_t place = 0; place < history_reads; place += lanes) {
    const std::size_t count = std::min(lanes, history_reads - place);
    const KeptDeltas kept = history.deltas();
    const cpu::WallRows<T> from{.values = rows.data() + place, .row = static_cast<std::ptrdiff_t>(history_reads)};
    code.read(from, steps, some.data(), nullptr);
    if (kept.f32 != nullptr)
      code.keep_f32(some.data(), steps, static_cast<std::ptrdiff_t>(count), kept.f32 + place, kept.row);
    if (kept.i16 != nullptr)
      code.keep_i16(some.data(), steps, static_cast<std::ptrdiff_t>(count), kept.i16 + place, kept.scales + place,
                    kept.row);
  }
  for (std::size_t place = 0; place < history_reads; place += lanes) {
    cpu::WallRows<T> back = history.read();
    if (back.values != nullptr) back.values += place;
    if (back.f32 != nullptr) back.f32 += place;
    if (back.i16 != nullptr) back.i16 += place, back.scales += place;
    code.read(back, steps, some.data(), nullptr);
    for (std::size_t n = 0; n < history_steps; ++n)
      for (std::size_t l = 0; l < std::min(lanes, history_reads - place); ++l)
        taken[n * history_reads + place + l] = some[n * lanes + l];
  }
  return taken;
}

template <class T>
std::vector<T> deltas_of(const std::vector<T>& rows) {
  std::vector<T> deltas;
  for (std::size_t i = 0; i < history_reads * history_steps; ++i)
    deltas.push_back((rows[i + 2 * history_reads] - rows[i]) * T{0.5});
  return deltas;
}

template <class T>
void check_integers() {
  const std::vector<T> rows = rows_of_walls<T>(), deltas = deltas_of(rows),
                       taken = kept_and_taken(HistoryFormat::i16, rows);
  constexpr double precision = sizeof(T) == sizeof(float) ? 2e-7 : 1e-15;
  for (std::size_t i = 0; i < history_reads; ++i) {
    double sum = 0.0, before = 0.0, largest = 0.0;  // of the errors; the unit of the sixteen steps before; |delta|
    for (std::size_t first = 0; first < history_steps; first += 16) {
      const std::size_t end = std::min(history_steps, first + 16);
      const auto delta = [&](std::size_t n) { return static_cast<double>(deltas[n * history_reads + i]); };
      double unit = 0.0;
      for (std::size_t n = first; n < end; ++n) unit = std::max(unit, std::abs(delta(n)) / 32766.0);
      for (std::size_t n = first; n < end; ++n) {
        const double error = static_cast<double>(taken[n * history_reads + i]) - delta(n);
        sum += error;
        largest = std::max(largest, std::abs(delta(n)));
        INFO("node " << i << ", step " << n);
        REQUIRE(std::abs(error) <= 1.01 * std::max(unit, before));
        REQUIRE(std::abs(sum) <= 0.51 * std::max(unit, before) + precision * largest);
      }
      before = unit;
    }
  }
}

}  // namespace

TEST_CASE("a history of walls is exact in the precision of the run, rounded in float", "[adjoint]") {
  const std::vector<double> rows = rows_of_walls<double>(), deltas = deltas_of(rows);
  CHECK(kept_and_taken(HistoryFormat::f64, rows) == deltas);
  const std::vector<double> rounded = kept_and_taken(HistoryFormat::f32, rows);
  for (std::size_t i = 0; i < deltas.size(); ++i)
    REQUIRE(rounded[i] == static_cast<double>(static_cast<float>(deltas[i])));
  const std::vector<float> single = rows_of_walls<float>();
  CHECK(kept_and_taken(HistoryFormat::f32, single) == deltas_of(single));
}

TEST_CASE("in 16 bits samples and their sums are within a unit of sixteen steps, however many they are", "[adjoint]") {
  check_integers<double>();
  check_integers<float>();
}
