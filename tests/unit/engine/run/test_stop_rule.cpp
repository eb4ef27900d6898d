#include "engine/cpu/make_backend.hpp"
#include "engine/run/stop_rule.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double rate = 8000.0;

// A plan that holds just what the watch reads: a room of 8 m diagonal, `receivers` of them.
Plan plan_with(double decay_db, std::size_t receivers) {
  Plan plan;
  plan.grid.size = {80, 1, 1};
  plan.grid.spacing = {0.1, 1e-9, 1e-9};
  plan.grid.time_step = 1.0 / rate;
  plan.grid.sound_speed = 343.0;
  plan.stop = {decay_db, 20.0, 1000.0};
  plan.receivers.resize(receivers);
  return plan;
}

// The backend's record of a pressure p: differences, so that their sum is p.
std::vector<double> differences(const std::vector<double>& p) {
  std::vector<double> d(p.size());
  for (std::size_t n = 0; n < p.size(); ++n) d[n] = p[n] - (n > 0 ? p[n - 1] : 0.0);
  return d;
}

// 500 Hz that loses `slope` dB a second after `start` s, silent before.
std::vector<double> decay(double seconds, double slope, double start = 0.01) {
  std::vector<double> p(static_cast<std::size_t>(seconds * rate));
  for (std::size_t n = 0; n < p.size(); ++n) {
    const double t = static_cast<double>(n) / rate - start;
    if (t >= 0.0) p[n] = std::sin(2.0 * std::numbers::pi * 500.0 * t) * std::pow(10.0, -slope * t / 20.0);
  }
  return p;
}

// Seconds at which the watch says it is over, looked at every 10 ms; 1e9: never.
double end_of(const Plan& plan, const std::vector<std::vector<double>>& pressures) {
  DecayWatch watch(plan);
  const std::size_t piece = static_cast<std::size_t>(0.01 * rate);
  for (std::size_t n = 0; n < pressures[0].size(); n += piece) {
    for (std::size_t r = 0; r < pressures.size(); ++r) {
      const auto d = differences(pressures[r]);
      watch.add(r, std::span(d).subspan(n, std::min(piece, d.size() - n)));
    }
    if (watch.ended()) return static_cast<double>(n) / rate;
  }
  return 1e9;
}

}  // namespace

TEST_CASE("a decay of 100 dB a second has lost 40 dB after 0.4 s, and is over when it has stayed quiet") {
  // Two windows of 50 ms must be quiet: 8 m forth and back are 47 ms.
  const double end = end_of(plan_with(40.0, 1), {decay(2.0, 100.0)});
  CHECK(end > 0.4);
  CHECK(end < 0.4 + 0.05 + 2 * 0.05 + 0.03);
  CHECK(end_of(plan_with(60.0, 1), {decay(2.0, 100.0)}) == Approx(end + 0.2).margin(0.051));
}

TEST_CASE("every receiver has to have decayed, and one that has heard nothing has not") {
  const Plan plan = plan_with(40.0, 2);
  const double slow = end_of(plan_with(40.0, 1), {decay(2.0, 50.0)});
  CHECK(slow > 0.8);
  CHECK(end_of(plan, {decay(2.0, 100.0), decay(2.0, 50.0)}) == slow);
  CHECK(end_of(plan, {decay(2.0, 100.0), std::vector<double>(16000, 0.0)}) == 1e9);
  CHECK(end_of(plan, {decay(2.0, 100.0), decay(2.0, 100.0, 1.0)}) > 1.4);
}

TEST_CASE("without a rule nothing ends, and static pressure holds nothing up") {
  CHECK(end_of(plan_with(0.0, 1), {decay(2.0, 100.0)}) == 1e9);
  std::vector<double> p = decay(2.0, 100.0);
  for (std::size_t n = 100; n < p.size(); ++n) p[n] += 0.5;
  CHECK(end_of(plan_with(40.0, 1), {p}) < 0.8);
}

TEST_CASE("waves beyond the band hold nothing up") {
  std::vector<double> p = decay(2.0, 100.0);
  for (std::size_t n = 0; n < p.size(); ++n) p[n] += 1e-3 * (n % 2 == 0 ? 1.0 : -1.0);
  CHECK(end_of(plan_with(60.0, 1), {p}) < 1.0);
}

TEST_CASE("a pause before an echo of the room's length is no end") {
  std::vector<double> p = decay(2.0, 2000.0);
  const std::vector<double> echo = decay(2.0, 2000.0, 0.055);
  for (std::size_t n = 0; n < p.size(); ++n) p[n] += 0.3 * echo[n];
  CHECK(end_of(plan_with(30.0, 1), {p}) > 0.1);
}

TEST_CASE("what the watch says does not depend on how the samples were cut") {
  const Plan plan = plan_with(40.0, 1);
  const auto d = differences(decay(1.0, 100.0));
  std::mt19937 random(3);
  DecayWatch whole(plan), cut(plan);
  std::size_t n = 0;
  while (n < d.size()) {
    const std::size_t piece = std::min<std::size_t>(random() % 700 + 1, d.size() - n);
    cut.add(0, std::span(d).subspan(n, piece));
    DecayWatch again(plan);
    n += piece;
    again.add(0, std::span(d).first(n));
    CHECK(again.ended() == cut.ended());
  }
  CHECK(cut.ended());
}

TEST_CASE("a run that may stop early is the beginning of the whole one, also when it is resumed") {
  RoomSpec spec;
  spec.size = {12, 10, 9};
  spec.stencil = "leggy-2";
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  std::mt19937 random(4);
  for (const char* name : {"S1", "S2"}) plan.sources.push_back(random_tap(plan, 3, random, name));
  for (const char* name : {"R1", "R2"}) plan.receivers.push_back(random_tap(plan, 3, random, name));
  plan.steps = 4000;
  const Recording whole = run(plan, *make_cpu_backend({1, ""}));
  plan.stop = {30.0, 100.0, 2000.0};
  const Recording early = run(plan, *make_cpu_backend({1, ""}));
  REQUIRE(early.samples < whole.samples);
  std::int64_t longest = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    const std::int64_t last = early.energy[s].back().step;
    CHECK(last % plan.energy_interval == 0);
    longest = std::max(longest, last);
    for (std::size_t r = 0; r < 2; ++r)
      for (std::int64_t n = 0; n < early.samples; ++n) {
        const auto c = static_cast<std::int64_t>(s * 2 + r);
        const double expected = n <= last ? whole.pressure[static_cast<std::size_t>(c * whole.samples + n)] : 0.0;
        REQUIRE(early.pressure[static_cast<std::size_t>(c * early.samples + n)] == expected);
      }
  }
  CHECK(early.samples == longest + 1);

  std::optional<Moment> kept;
  RunCallbacks callbacks;
  std::int64_t first_pass = 0;
  callbacks.energy = [&](int source, const EnergyPoint& point) { first_pass = source == 0 ? point.step : first_pass; };
  callbacks.due = [&](const Progress& at) { return at.source == 0 && at.step > 330 && !kept; };
  callbacks.save = [&](const Moment& moment) {
    kept = moment;
    kept->state.read = nullptr;
    const auto nodes = static_cast<std::uint64_t>(plan.grid.nodes()), branches = plan.boundary.branch_begin.back();
    for (const StatePart part : state_parts)
      kept->state.array(part) = moment.state.values(part, 0, part <= StatePart::u_before ? nodes : branches);
  };
  run(plan, *make_cpu_backend({1, ""}), callbacks);
  REQUIRE(kept);
  CHECK(run(plan, *make_cpu_backend({1, ""}), {}, std::move(kept)).pressure == early.pressure);
}
