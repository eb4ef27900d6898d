#include "engine/checkpoint/checkpoint.hpp"
#include "engine/cpu/make_backend.hpp"

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

Plan room(Precision precision, std::array<int, 3> size = {12, 10, 9}) {
  RoomSpec spec;
  spec.size = size;
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

CheckpointLabel label(const Plan& plan) { return {"1.2.3", fingerprint_of(plan), {"a remark"}}; }

// Runs until `stop_after` steps of both passes together are done, with a checkpoint in `folder` then.
void begin(const Plan& plan, const fs::path& folder, std::int64_t stop_after) {
  std::int64_t step = 0;
  RunCallbacks callbacks;
  callbacks.progress = [&](const Progress& at) { step = at.step; };
  callbacks.stop = [&] { return step >= stop_after; };
  callbacks.save = [&](const Moment& moment) { write_checkpoint(CheckpointFiles(folder), label(plan), moment); };
  try {
    run(plan, *make_cpu_backend({2, ""}), callbacks);
    FAIL("the run was not stopped");
  } catch (const Error& error) {
    REQUIRE(error.status == Status::interrupted);
  }
}

Error error_of(const fs::path& file, const CheckpointLabel& here) {
  try {
    read_checkpoint(file, here);
  } catch (const Error& error) {
    return error;
  }
  FAIL("the checkpoint was taken");
  return {Status::done, ""};
}

bool same(const Recording& a, const Recording& b) {
  if (a.pressure != b.pressure || a.energy.size() != b.energy.size() || a.samples != b.samples) return false;
  for (std::size_t s = 0; s < a.energy.size(); ++s) {
    if (a.energy[s].size() != b.energy[s].size()) return false;
    for (std::size_t i = 0; i < a.energy[s].size(); ++i) {
      const EnergyPoint &p = a.energy[s][i], &q = b.energy[s][i];
      if (p.step != q.step || p.energy.stored != q.energy.stored || p.energy.injected != q.energy.injected ||
          p.energy.dissipated != q.energy.dissipated || p.balance_error != q.balance_error)
        return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a run that resumes from a checkpoint equals one that never stopped, to the bit") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Plan plan = room(precision);
    const Recording gold = run(plan, *make_cpu_backend({1, ""}));
    for (const std::int64_t stop : {0, 1, 37, 120, 249, 250, 251, 400}) {
      const TemporaryFolder folder;
      begin(plan, folder.path(), stop);
      Checkpoint checkpoint = read_checkpoint(CheckpointFiles(folder.path()).newest, label(plan));
      CHECK(checkpoint.label.remarks == std::vector<std::string>{"a remark"});
      const int threads = stop % 2 == 0 ? 1 : 3;
      CHECK(same(run(plan, *make_cpu_backend({threads, ""}), {}, std::move(checkpoint.moment)), gold));
    }
  }
}

TEST_CASE("a checkpoint of a run whose passes are done holds its records and no state") {
  const Plan plan = room(Precision::f32);
  Moment done;
  done.recording = run(plan, *make_cpu_backend({1, ""}));
  done.source = 2;
  done.seconds = 3.5;
  REQUIRE(done.complete());
  const TemporaryFolder folder;
  const CheckpointFiles files(folder.path());
  write_checkpoint(files, label(plan), done);
  const Moment read = read_checkpoint(files.newest, label(plan)).moment;
  CHECK(read.complete());
  CHECK(same(read.recording, done.recording));
  CHECK(read.seconds == 3.5);
  CHECK(read.state.u_now.empty());
  // Of a run that ended early, at its latest energies.
  Moment early = done;
  early.recording.samples = 201;
  early.recording.pressure.resize(early.recording.pressure.size() / 251 * 201);
  for (auto& course : early.recording.energy) std::erase_if(course, [](const auto& at) { return at.step > 200; });
  write_checkpoint(files, label(plan), early);
  CHECK(same(read_checkpoint(files.newest, label(plan)).moment.recording, early.recording));
  // Samples without a step, a state of a source that there is not, and a pass without energies.
  Moment longer = done;
  longer.recording.samples += 1;
  longer.recording.pressure.resize(longer.recording.pressure.size() / 251 * 252);
  write_checkpoint(files, label(plan), longer);
  CHECK_THAT(error_of(files.newest, label(plan)).what(), Contains("size does not match"));
  Moment later = done;
  later.state.step = 1;
  write_checkpoint(files, label(plan), later);
  CHECK_THAT(error_of(files.newest, label(plan)).what(), Contains("/state step"));
  Moment lacking = done;
  lacking.recording.energy[1].clear();
  write_checkpoint(files, label(plan), lacking);
  CHECK_THAT(error_of(files.newest, label(plan)).what(), Contains("energies"));
}

TEST_CASE("another backend resumes from a checkpoint within rounding") {
  const Plan plan = room(Precision::f64);
  const Recording gold = run(plan, *make_cpu_backend({1, ""}));
  const TemporaryFolder folder;
  begin(plan, folder.path(), 90);
  Checkpoint checkpoint = read_checkpoint(CheckpointFiles(folder.path()).newest, label(plan));
  const Recording silver = run(plan, *make_reference_backend(), {}, std::move(checkpoint.moment));
  double largest = 0.0, error = 0.0;
  for (std::size_t i = 0; i < gold.pressure.size(); ++i) {
    largest = std::max(largest, std::abs(gold.pressure[i]));
    error = std::max(error, std::abs(gold.pressure[i] - silver.pressure[i]));
  }
  CHECK(error < 1e-12 * largest);
}

TEST_CASE("the checkpoint before stays until two newer ones are whole") {
  const Plan plan = room(Precision::f32);
  const TemporaryFolder folder;
  const CheckpointFiles files(folder.path());
  std::vector<std::int64_t> saved;
  RunCallbacks callbacks;
  callbacks.due = [](const Progress& at) { return at.step > 0; };
  callbacks.save = [&](const Moment& moment) {
    write_checkpoint(files, label(plan), moment);
    saved.push_back(moment.state.step + moment.source * plan.steps);
    if (saved.size() == 1) {
      CHECK_FALSE(fs::exists(files.previous));
      return;
    }
    const Moment before = read_checkpoint(files.previous, label(plan)).moment;
    CHECK(before.state.step + before.source * plan.steps == saved[saved.size() - 2]);
  };
  run(plan, *make_cpu_backend({1, ""}), callbacks);
  CHECK(saved.size() >= 10);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a checkpoint of another program, precision, room or duration is refused with both values") {
  const Plan plan = room(Precision::f32);
  const TemporaryFolder folder;
  begin(plan, folder.path(), 80);
  const fs::path file = CheckpointFiles(folder.path()).newest;
  CheckpointLabel other = label(plan);
  other.version = "1.3.0";
  Error error = error_of(file, other);
  CHECK(error.status == Status::file);
  CHECK_THAT(error.what(), Contains("1.3.0 here, 1.2.3 there"));
  CHECK_THAT(error.what(), Contains("checkpoint.h5"));
  CHECK_THAT(error_of(file, label(room(Precision::f64))).what(), Contains("precision: f64 here, f32 there"));
  CHECK_THAT(error_of(file, label(room(Precision::f32, {12, 10, 8}))).what(),
             Contains("grid: 12 x 10 x 8 here, 12 x 10 x 9 there"));
  Plan longer = plan;
  longer.steps = 300;
  CHECK_THAT(error_of(file, label(longer)).what(), Contains("steps: 300 here, 250 there"));
  Plan renamed = plan;
  renamed.receivers[1].channel = "seat";
  CHECK_THAT(error_of(file, label(renamed)).what(), Contains("receivers: R1, seat, R3 here, R1, R2, R3 there"));
  Plan softer = plan;
  softer.boundary.laws[0].branches[0].E *= 1.001;
  CHECK_THAT(error_of(file, label(softer)).what(),
             Contains("fingerprint: " + fingerprint_of(softer).hash + " here, " + fingerprint_of(plan).hash));
  Plan moved = plan;
  moved.sources[1].weights[0] += 1e-3;
  CHECK_THAT(error_of(file, label(moved)).what(), Contains("fingerprint"));
}

TEST_CASE("a damaged checkpoint is refused, wherever the damage is") {
  const Plan plan = room(Precision::f32, {6, 5, 4});
  const TemporaryFolder folder;
  begin(plan, folder.path(), 80);
  const fs::path file = CheckpointFiles(folder.path()).newest;
  const std::string whole = read_file(file);
  const auto write = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, length));
    CHECK(error_of(file, label(plan)).status == Status::file);
  }
  for (std::size_t at = 5; at < whole.size(); at += 211) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write(bytes);
    CHECK(error_of(file, label(plan)).status == Status::file);
  }
}
