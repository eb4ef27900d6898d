#include "engine/cpu/make_backend.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "engine/run/lost_balance.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

Plan small_room(Precision precision) {
  RoomSpec spec;
  spec.size = {12, 10, 9};
  spec.stencil = "leggy-2";
  spec.precision = precision;
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  std::mt19937 random(4);
  for (const char* name : {"S1", "S2"}) plan.sources.push_back(random_tap(plan, 3, random, name));
  for (const char* name : {"R1", "R2", "R3"}) plan.receivers.push_back(random_tap(plan, 3, random, name));
  plan.steps = 250;
  plan.energy_interval = 40;
  return plan;
}

Error error_of(const Plan& plan) {
  try {
    run(plan, *make_cpu_backend({1, ""}));
  } catch (const Error& error) {
    return error;
  }
  FAIL("run did not throw");
  return {Status::done, ""};
}

}  // namespace

TEST_CASE("a run records every source alone, u^0 first, with energies every interval and at the end") {
  const Plan plan = small_room(Precision::f64);
  const Recording both = run(plan, *make_cpu_backend({2, ""}));
  CHECK(both.samples == 251);
  CHECK(both.sample_rate == Approx(1e4));
  CHECK(channel_names(both.sources) == std::vector<std::string>{"S1", "S2"});
  CHECK(channel_names(both.receivers) == std::vector<std::string>{"R1", "R2", "R3"});
  REQUIRE(both.pressure.size() == 2 * 3 * 251);
  REQUIRE(both.energy.size() == 2);
  REQUIRE(both.energy[1].size() == 7);
  CHECK(both.energy[1][5].step == 240);
  CHECK(both.energy[1][6].step == 250);

  for (std::size_t s = 0; s < 2; ++s) {  // by the reference, one source in the plan
    Plan alone = plan;
    alone.sources = {plan.sources[s]};
    const Recording one = run(alone, *make_reference_backend());
    double largest = 0.0, error = 0.0;
    for (std::size_t i = 0; i < one.pressure.size(); ++i) {
      largest = std::max(largest, std::abs(one.pressure[i]));
      error = std::max(error, std::abs(one.pressure[i] - both.pressure[s * one.pressure.size() + i]));
    }
    CHECK(one.pressure[0] == 0.0);
    CHECK(largest > 0.0);
    CHECK(error < 1e-12 * largest);
  }
}

TEST_CASE("the energy interval changes no sample") {
  Plan plan = small_room(Precision::f32);
  const Recording first = run(plan, *make_cpu_backend({1, ""}));
  for (const int interval : {1, 7, 1000}) {
    plan.energy_interval = interval;
    CHECK(run(plan, *make_cpu_backend({1, ""})).pressure == first.pressure);
  }
}

TEST_CASE("a scheme beyond its limit ends as a numerical error that names step and node") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Plan plan = small_room(precision);
    plan.stencil.centre -= 0.2;  // S reaches below -2
    for (WallLaw& law : plan.boundary.laws)
      for (LawBranch& branch : law.branches) branch.E += 1e6;  // walls that absorb next to nothing
    plan.steps = 4000;
    plan.energy_interval = 100;
    const Error error = error_of(plan);
    CHECK(error.status == Status::numerical);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("energy") && Catch::Matchers::Contains("node (") &&
                                 Catch::Matchers::Contains("step") && Catch::Matchers::Contains("weights of stencil"));
    CHECK_THAT(error.remedy, Catch::Matchers::Contains("Courant"));
  }
}

TEST_CASE("a field that is not finite is found within one energy interval") {
  Plan plan = small_room(Precision::f32);
  plan.stencil.centre = -40.0;  // overflows within a hundred steps
  plan.energy_interval = 100;
  const Error error = error_of(plan);
  CHECK(error.status == Status::numerical);
  CHECK_THAT(error.what(), Catch::Matchers::Contains("not finite between steps 0 and 100"));
}

namespace {

// A backend whose memory is damaged after `step` steps: one value becomes another.
class Damaged : public Backend {
 public:
  Damaged(std::int64_t step, std::size_t node, double value)
      : inner_(make_cpu_backend({1, ""})), at_(step), node_(node), value_(value) {}
  void load(const Plan& plan, const Slab& slab) override { inner_->load(plan, slab); }
  void advance(const Drive& drive, Samples& samples) override {
    inner_->advance(drive, samples);
    if (inner_->step() < at_ || done_) return;
    done_ = true;
    State state;
    inner_->save(state);
    const auto put = [&](auto value) { std::memcpy(state.u_now.data() + node_ * sizeof value, &value, sizeof value); };
    state.precision == Precision::f64 ? put(value_) : put(static_cast<float>(value_));
    inner_->restore(state);
  }
  void save(State& state) const override { inner_->save(state); }
  void restore(const State& state) override { inner_->restore(state); }
  Timing profile(int repeats) override { return inner_->profile(repeats); }
  std::vector<Energy> energies() const override { return inner_->energies(); }
  Extreme extreme() const override { return inner_->extreme(); }
  void plane(int axis, int index, std::span<float> values) const override { inner_->plane(axis, index, values); }
  std::int64_t step() const override { return inner_->step(); }
  std::string describe() const override { return inner_->describe(); }

 private:
  std::unique_ptr<Backend> inner_;
  std::int64_t at_;
  std::size_t node_;
  double value_;
  bool done_ = false;
};

}  // namespace

TEST_CASE("a field that goes wrong at any step is found within a hundred, and its node named") {
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(), 1e6})
      for (const std::int64_t step : {1, 99, 100, 101, 230, 250}) {
        Plan plan = small_room(precision);
        plan.energy_interval = Plan{}.energy_interval;  // what every plan of a scene has
        REQUIRE(plan.energy_interval <= 100);
        Damaged backend(step, 77, value);
        try {
          run(plan, backend);
          FAIL("value " << value << " at step " << step << " was not found");
        } catch (const Error& error) {
          INFO(error.what());
          CHECK(error.status == Status::numerical);
          const bool finite = std::isfinite(value);
          CHECK_THAT(error.what(), Catch::Matchers::Contains(finite ? "at step" : "not finite between steps") &&
                                       Catch::Matchers::Contains("node (") &&
                                       Catch::Matchers::Contains("likely cause"));
          CHECK(backend.step() - step <= 100);
        }
      }
}

TEST_CASE("a run that loses its balance keeps what it recorded up to its last healthy energy point") {
  Plan plan = small_room(Precision::f64);
  plan.energy_interval = 40;
  const Recording whole = run(plan, *make_cpu_backend({1, ""}));
  Damaged backend(150, 77, std::nan(""));
  try {
    run(plan, backend);
    FAIL("the damage was not found");
  } catch (const LostBalance& lost) {
    CHECK(lost.status == Status::numerical);
    REQUIRE(lost.recording);
    const Recording& kept = *lost.recording;
    REQUIRE(kept.samples == 121);  // energy points lie at 40, 80, 120; the damage is found at 160
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t n = 0; n < 121; ++n) {
        CHECK(kept.pressure[r * 121 + n] == whole.pressure[r * 251 + n]);
        CHECK(kept.pressure[(3 + r) * 121 + n] == 0.0);  // the second source was not reached
      }
    CHECK(kept.energy[0].back().step == 120);
    CHECK(kept.energy[1].empty());
    CHECK(kept_text(kept, plan.steps) == "S1 for 0.012 of 0.025 s");
  }
}

TEST_CASE("a run that is wrong before its first energy point keeps nothing") {
  Plan plan = small_room(Precision::f64);
  Damaged backend(10, 77, std::nan(""));
  try {
    run(plan, backend);
    FAIL("the damage was not found");
  } catch (const LostBalance& lost) {
    CHECK_FALSE(lost.recording);
  }
}

namespace {

// Two receivers; u^n = 1 all along, energy points every 10 steps to `steps` of each source.
Recording made_of(const std::vector<std::string>& sources, const std::vector<std::int64_t>& steps) {
  Recording recording;
  recording.sample_rate = 1000.0;
  recording.samples = 101;
  recording.sources = read_channel_names(sources);
  recording.receivers = {"R1", "R2"};
  recording.pressure.assign(sources.size() * 2 * 101, 1.0);
  for (const std::int64_t last : steps) {
    recording.energy.emplace_back();
    for (std::int64_t step = 10; step <= last; step += 10) recording.energy.back().push_back({step, {}, 0.0});
  }
  return recording;
}

double sample(const Recording& recording, std::size_t source, std::size_t receiver, std::int64_t n) {
  return recording
      .pressure[(source * 2 + receiver) * static_cast<std::size_t>(recording.samples) + static_cast<std::size_t>(n)];
}

}  // namespace

TEST_CASE("sources before the one that lost its balance are whole, its own record fades out") {
  const Recording kept = healthy_part(made_of({"S1", "S2", "S3"}, {100, 50, 0}), 1);
  REQUIRE(kept.samples == 101);
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(sample(kept, 0, r, 100) == 1.0);
    CHECK(sample(kept, 1, r, 45) == 1.0);
    CHECK(sample(kept, 1, r, 50) < 0.1);
    CHECK(sample(kept, 1, r, 51) == 0.0);
    CHECK(sample(kept, 2, r, 20) == 0.0);
  }
  CHECK(kept_text(kept, 100) == "S1; S2 for 0.05 of 0.1 s");
}

TEST_CASE("of a source with several channels all are kept to the same step, or none where some are missing") {
  const Recording both = healthy_part(made_of({"S1:00", "S1:01"}, {100, 50}), 1);
  REQUIRE(both.samples == 51);
  CHECK(sample(both, 0, 0, 50) == 1.0);
  CHECK(both.energy[0].back().step == 50);
  const Recording none = healthy_part(made_of({"S0", "S1:00", "S1:01", "S1:02"}, {100, 100, 50, 0}), 2);
  CHECK(sample(none, 0, 0, 100) == 1.0);
  for (std::size_t s = 1; s < 4; ++s) {
    CHECK(sample(none, s, 0, 10) == 0.0);
    CHECK(none.energy[s].empty());
  }
  CHECK_FALSE(
      LostBalance(Error(Status::numerical, ""), healthy_part(made_of({"S1:00", "S1:01"}, {50, 0}), 0)).recording);
  const Recording joint = healthy_part(made_of({"S1", "S1:v", "S2"}, {50, 0, 0}), 0, 2);  // in one pass
  CHECK(joint.samples == 51);
  CHECK(sample(joint, 0, 0, 50) == 1.0);
  CHECK(sample(joint, 2, 0, 10) == 0.0);
}

TEST_CASE("no checkpoint is taken of a field that has gone wrong") {
  Plan plan = small_room(Precision::f32);
  plan.energy_interval = 100;
  Damaged backend(150, 77, std::nan(""));
  std::int64_t saved = 0;
  RunCallbacks callbacks;
  callbacks.due = [](const Progress&) { return true; };
  callbacks.save = [&](const Moment& moment) {
    CHECK(std::ranges::all_of(moment.state.injected, [](double sum) { return std::isfinite(sum); }));
    saved = moment.state.step;
  };
  CHECK_THROWS_AS(run(plan, backend, callbacks), Error);
  CHECK((saved > 0 && saved < 150));
}

TEST_CASE("walls of negative impedance are found out although they keep the energy's balance") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Plan plan = small_room(precision);
    for (WallLaw& law : plan.boundary.laws)
      for (LawBranch& branch : law.branches) branch = {0.0, -50.0, 0.0};
    plan.steps = 4000;
    plan.energy_interval = 100;
    const Error error = error_of(plan);
    CHECK(error.status == Status::numerical);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("step 100") && Catch::Matchers::Contains("node (") &&
                                 Catch::Matchers::Contains("negative impedance"));
    CHECK_THAT(error.remedy, Catch::Matchers::Contains("at least 0"));
  }
}

TEST_CASE("a weight that is not a number is named as the cause") {
  Plan plan = small_room(Precision::f64);
  plan.stencil.terms[0].weight = std::nan("");
  const Error error = error_of(plan);
  CHECK(error.status == Status::numerical);
  CHECK_THAT(error.what(), Catch::Matchers::Contains("not finite between steps 0 and 40") &&
                               Catch::Matchers::Contains("weight of the stencil"));
}

TEST_CASE("a run stops on request, and reports its progress") {
  const Plan plan = small_room(Precision::f64);
  std::vector<std::int64_t> steps;
  RunCallbacks callbacks;
  callbacks.progress = [&](const Progress& progress) {
    steps.push_back(progress.step);
    CHECK(progress.total == 500);
    CHECK(progress.gpts_per_second > 0.0);
  };
  callbacks.stop = [&] { return steps.size() >= 3 && steps.back() >= 120; };
  try {
    run(plan, *make_cpu_backend({1, ""}), callbacks);
    FAIL("run went on");
  } catch (const Error& error) {
    CHECK(error.status == Status::interrupted);
  }
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  CHECK(steps.front() == 1);  // the first block finds out how long a step takes
  CHECK(steps.back() < 120 + 40);
}
