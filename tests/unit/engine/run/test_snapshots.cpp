#include "engine/cpu/make_backend.hpp"
#include "engine/planning/build/plan_snapshots.hpp"
#include "engine/run/snapshots.hpp"
#include "engine/transducers/channels.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/h5_library.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Of a field in the order of nodes, what Backend::plane should give.
std::vector<float> plane_of(const std::vector<double>& field, const std::array<int, 3>& size, int axis, int index) {
  std::vector<float> values;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (axis == 3 || std::array{x, y, z}[static_cast<std::size_t>(axis)] == index)
          values.push_back(static_cast<float>(field[node_of(size, x, y, z)]));
  return values;
}

// Planes of all axes and a volume; frames that overlap, begin before the first step, and end with the last.
Plan room_with_snapshots(Precision precision = Precision::f32, std::array<int, 3> size = {12, 10, 9}) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = "leggy-2";
  spec.precision = precision;
  spec.laws = some_laws();
  std::mt19937 random(4);
  spec.air = random_mask(spec.size, 0.95, random);
  Plan plan = plan_of(spec);
  for (const char* name : {"S1", "S1:v", "S2"}) plan.sources.push_back(random_tap(plan, 3, random, name));
  plan.receivers.push_back(random_tap(plan, 3, random, "R"));
  plan.steps = 90;
  plan.energy_interval = 40;
  plan.snapshot_pulse = {0.1, 0.5, 1.0, 2.0, 1.0, 0.5, 0.1};
  plan.snapshots = {{"z1", 2, size[2] / 2, {0, 2, 4, 6, 40, 41, 87}},
                    {"x2", 0, 1, {3, 70}},
                    {"y3", 1, 0, {10, 20, 30}},
                    {"volume4", 3, 0, {5, 9, 60}}};
  return plan;
}

using Frames = std::map<std::array<std::int64_t, 3>, std::vector<float>>;  // by source, snapshot, frame

RunCallbacks keep_in(Frames& frames) {
  RunCallbacks callbacks;
  callbacks.frame = [&frames](int source, std::int64_t snapshot, std::int64_t frame, std::span<const float> values) {
    frames[{source, snapshot, frame}] = {values.begin(), values.end()};
  };
  return callbacks;
}

// Step by step, from whole states.
Frames frames_by_hand(const Plan& plan, Backend& backend) {
  Frames frames;
  for (const int source : {0, 2}) {
    backend.load(plan, whole(plan));
    for (std::int64_t step = 1; step <= plan.steps; ++step) {
      Drive drive{1, std::vector<double>(plan.sources.size(), 0.0)};
      if (step <= 2) drive.f[static_cast<std::size_t>(source)] = step == 1 ? 1.0 : -1.0;
      Samples samples;
      backend.advance(drive, samples);
      State state;
      backend.save(state);
      const auto field = values_of(state.u_now, plan.precision);
      for (std::size_t s = 0; s < plan.snapshots.size(); ++s) {
        const SnapshotPlan& snapshot = plan.snapshots[s];
        const auto values = plane_of(field, plan.grid.size, snapshot.axis, snapshot.index);
        for (std::size_t f = 0; f < snapshot.steps.size(); ++f) {
          auto& frame = frames[{source, static_cast<std::int64_t>(s), static_cast<std::int64_t>(f)}];
          frame.resize(values.size(), 0.0F);
          const std::int64_t j = step - snapshot.steps[f] + 3;
          if (j < 0 || j > 6) continue;
          const auto g = static_cast<float>(plan.snapshot_pulse[static_cast<std::size_t>(j)]);
          for (std::size_t i = 0; i < values.size(); ++i) frame[i] += g * values[i];
        }
      }
    }
  }
  return frames;
}

}  // namespace

TEST_CASE("snapshots: a backend's planes are its field's, in every direction, in flat rooms and beside obstacles") {
  std::mt19937 random(9);
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::array<int, 3> size : {std::array{12, 10, 9}, {1, 8, 6}, {7, 1, 5}, {1, 9, 1}, {70, 5, 4}}) {
      RoomSpec spec;
      spec.size = size;
      spec.precision = precision;
      spec.stencil = "leggy-1";
      spec.air = random_mask(size, 0.9, random);
      const Plan plan = plan_of(spec);
      const State state = random_state(plan, random);
      const auto field = values_of(state.u_now, precision);
      for (const bool reference : {true, false}) {
        const auto backend = reference ? make_reference_backend() : make_cpu_backend({2, ""});
        backend->load(plan, whole(plan));
        backend->restore(state);
        for (int axis = 0; axis < 3; ++axis)
          for (int index = 0; index < size[static_cast<std::size_t>(axis)]; ++index) {
            const auto expected = plane_of(field, size, axis, index);
            std::vector<float> values(expected.size(), 7.0F);
            backend->plane(axis, index, values);
            CHECK(values == expected);
          }
      }
    }
}

TEST_CASE("snapshots: every frame is the pulse's sum over the field, of each source that is no part of another") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Plan plan = room_with_snapshots(precision);
    Frames frames;
    const Recording recording = run(plan, *make_cpu_backend({1, ""}), keep_in(frames));
    CHECK(frames == frames_by_hand(plan, *make_cpu_backend({1, ""})));
    CHECK(frames.size() == 2 * 15);
    Plan without = plan;
    without.snapshots.clear();
    CHECK(run(without, *make_cpu_backend({1, ""})).pressure == recording.pressure);
  }
}

TEST_CASE("snapshots: a run that resumes from a checkpoint at any step makes the same frames") {
  const Plan plan = room_with_snapshots();
  Frames gold;
  run(plan, *make_cpu_backend({1, ""}), keep_in(gold));
  const CheckpointLabel label{"1.0.0", fingerprint_of(plan), {}};
  for (std::int64_t stop = 0; stop < 3 * plan.steps; stop += 7) {
    const TemporaryFolder folder;
    Frames frames;
    std::int64_t step = 0;
    RunCallbacks callbacks = keep_in(frames);
    callbacks.progress = [&](const Progress& at) { step = at.step; };
    callbacks.stop = [&] { return step >= stop; };
    callbacks.save = [&](const Moment& moment) { write_checkpoint(CheckpointFiles(folder.path()), label, moment); };
    CHECK_THROWS_AS(run(plan, *make_cpu_backend({1, ""}), callbacks), Error);
    Checkpoint checkpoint = read_checkpoint(CheckpointFiles(folder.path()).newest, label);
    run(plan, *make_cpu_backend({1, ""}), keep_in(frames), std::move(checkpoint.moment));
    CHECK(frames == gold);
  }
}

TEST_CASE("snapshots: a checkpoint of other snapshots is refused, frames of another size too") {
  const Plan plan = room_with_snapshots();
  Plan other = plan;
  other.snapshots[1].index = 2;
  CHECK(fingerprint_of(plan).hash != fingerprint_of(other).hash);
  other = plan;
  other.snapshots[3].steps.back() = 61;
  CHECK(fingerprint_of(plan).hash != fingerprint_of(other).hash);
  const auto done = [](std::int64_t, std::int64_t, std::span<const float>) {};
  CHECK_NOTHROW(SnapshotSums(plan, 0, done, {{1, 0, std::vector<float>(90)}}));
  CHECK_THROWS_AS(SnapshotSums(plan, 0, done, {{1, 0, std::vector<float>(91)}}), Error);
  CHECK_THROWS_AS(SnapshotSums(plan, 0, done, {{1, 2, std::vector<float>(90)}}), Error);
  CHECK_THROWS_AS(SnapshotSums(plan, 0, done, {{4, 0, std::vector<float>(90)}}), Error);
}

TEST_CASE("snapshots: memory and disk are reported in 64 bits, for as many frames as are under way at once") {
  Plan plan = room_with_snapshots();
  // z1: frames 0, 2, 4, 6 share step 3; x2 has one at a time, y3 one, the volume's 5 and 9 share steps 6 to 8.
  CHECK(snapshot_memory(plan) == 4 * (4 * 120 + 1 * 90 + 1 * 108 + 2 * 1080));
  CHECK(snapshot_bytes(plan, count_shown(plan.sources)) ==
        120 * (1 + 8 * 7) + 90 * (1 + 8 * 2) + 108 * (1 + 8 * 3) + 1080 * (1 + 8 * 3));
  plan.grid.size = {4000, 4000, 4000};
  plan.snapshots = {{"volume1", 3, 0, {10, 20, 30}}};
  CHECK(snapshot_bytes(plan, count_shown(plan.sources)) == 64'000'000'000 * (1 + 8 * 3));
}

TEST_CASE("snapshots: more than the disk has is refused before anything is written") {
  Plan plan = room_with_snapshots();
  plan.air = AirMask({4000, 4000, 4000});
  plan.grid.size = {4000, 4000, 4000};
  plan.snapshots = {{"volume1", 3, 0, std::vector<std::int64_t>(100000, 5)}};
  const TemporaryFolder folder;
  try {
    SnapshotWriter(folder.path(), plan, {}, false);
    FAIL("there is room for 51 PB");
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    CHECK_THAT(error.what(), Catch::Contains("51.2 PB on the disk"));
    CHECK_THAT(error.remedy, Catch::Contains("every"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("snapshots: the pulse is smooth, of unit slope, and ends where nothing is left of it") {
  const auto g = snapshot_pulse(1000.0, 2e-5);
  REQUIRE(g.size() % 2 == 1);
  const std::size_t half = g.size() / 2;
  double steepest = 0.0;
  for (std::size_t j = 1; j < g.size(); ++j) steepest = std::max(steepest, std::abs(g[j] - g[j - 1]));
  CHECK(steepest == Approx(1.0));
  // Even about half a step, so that what is seen of it, its differences, is odd about a step.
  for (std::size_t j = 0; j < half; ++j) CHECK(g[half - j] == Approx(g[half + 1 + j]));
  CHECK(g.front() < 1e-4 * g[half]);
  CHECK(snapshot_pulse(1e6, 1.0).size() == 3);  // a bandwidth that no grid has
}

namespace {

std::vector<float> made_up_frame(const Plan& plan, int source, std::int64_t snapshot, std::int64_t frame) {
  std::vector<float> values(
      static_cast<std::size_t>(frame_values(plan, plan.snapshots[static_cast<std::size_t>(snapshot)])));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(1000 * source + 100 * snapshot + 10 * frame) + 1e-3F * static_cast<float>(i);
  return values;
}

// Frames [first, last) of each source and snapshot.
void write_frames(SnapshotWriter& writer, const Plan& plan, std::int64_t first, std::int64_t last) {
  for (const int source : {0, 2})
    for (std::int64_t s = 0; s < static_cast<std::int64_t>(plan.snapshots.size()); ++s)
      for (std::int64_t f = first;
           f < std::min<std::int64_t>(last, std::ssize(plan.snapshots[static_cast<std::size_t>(s)].steps)); ++f)
        writer.write(source, s, f, made_up_frame(plan, source, s, f));
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    return error.what();
  }
  return "";
}

// Every plane across every axis is that part of the last frame, and of the air.
void check_planes(const SnapshotReader& reader, const SnapshotSet& set, const std::string& source,
                  const std::vector<std::uint8_t>& air) {
  const std::size_t last = set.times.size() - 1;
  const auto whole = reader.frame(set, source, last);
  const auto [nx, ny, nz] = set.size;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::vector<float>> planes(static_cast<std::size_t>(set.size[static_cast<std::size_t>(axis)]));
    std::vector<std::vector<std::uint8_t>> planes_of_air(planes.size());
    for (std::int64_t i = 0; i < set.values(); ++i) {
      const auto across = static_cast<std::size_t>(axis == 0 ? i % nx : axis == 1 ? i / nx % ny : i / nx / ny);
      planes[across].push_back(whole[static_cast<std::size_t>(i)]);
      planes_of_air[across].push_back(air[static_cast<std::size_t>(i)]);
    }
    for (std::size_t index = 0; index < planes.size(); ++index) {
      CHECK((reader.plane(set, source, last, axis, static_cast<std::int64_t>(index)) == planes[index]));
      CHECK((reader.plane_of_air(set, axis, static_cast<std::int64_t>(index)) == planes_of_air[index]));
    }
  }
  CHECK_FALSE(refusal_of([&] { reader.plane(set, source, set.times.size(), 2, 0); }).empty());
}

}  // namespace

TEST_CASE("snapshots: a file gives back its frames, also when it was resumed, the library finds them as well") {
  const Plan plan = room_with_snapshots();
  const TemporaryFolder whole_folder, folder;
  const std::array<double, 3> offset = {0.1, 0.2, 0.3};
  SnapshotWriter at_once(whole_folder.path(), plan, offset, false);
  write_frames(at_once, plan, 0, 100);
  REQUIRE(at_once.finish() == snapshot_files(whole_folder.path()));
  {
    SnapshotWriter first(folder.path(), plan, offset, false);
    write_frames(first, plan, 0, 2);
    first.flush();
  }
  SnapshotWriter second(folder.path(), plan, offset, true);
  write_frames(second, plan, 1, 100);
  second.finish();
  for (std::size_t i = 0; i < 2; ++i)
    CHECK((read_file(snapshot_files(folder.path())[i]) == read_file(snapshot_files(whole_folder.path())[i])));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"snapshots.h5", "snapshots.xdmf"});

  const auto file = snapshot_files(folder.path())[0];
  const SnapshotReader reader(file);
  CHECK(reader.list().sources == std::vector<std::string>{"S1", "S2"});
  REQUIRE(reader.list().sets.size() == plan.snapshots.size());
  for (std::size_t s = 0; s < plan.snapshots.size(); ++s) {
    const SnapshotSet& set = reader.list().sets[s];
    CHECK(set.name == plan.snapshots[s].name);
    CHECK(set.axis == plan.snapshots[s].axis);
    CHECK(set.size == frame_size(plan, plan.snapshots[s]));
    CHECK(set.times.size() == plan.snapshots[s].steps.size());
    const double first = set.axis == 0 ? plan.snapshots[s].index : 0.0;
    CHECK(set.origin[0] == Approx((first + 0.5) * plan.grid.spacing[0] - offset[0]));
    for (const int source : {0, 2}) {
      const std::string name = source == 0 ? "S1" : "S2";
      const auto all = h5_values(file, "/" + set.name + "/" + name + "/pressure");
      for (std::size_t f = 0; f < set.times.size(); ++f) {
        const auto frame = reader.frame(set, name, f);
        CHECK((frame == made_up_frame(plan, source, static_cast<std::int64_t>(s), static_cast<std::int64_t>(f))));
        for (std::size_t i = 0; i < frame.size(); ++i)
          REQUIRE(all.at(f * frame.size() + i) == static_cast<double>(frame[i]));
      }
    }
    const auto air = reader.air(set);
    check_planes(reader, set, "S2", air);
    REQUIRE(static_cast<std::int64_t>(air.size()) == set.values());
    CHECK(std::ranges::count(air, 1) > 0);
    CHECK(std::ranges::count(air, 0) > 0);
  }
}

TEST_CASE("snapshots: frames of another run, cut ones and missing ones are not resumed") {
  const Plan plan = room_with_snapshots();
  Plan other = plan;
  other.snapshots.pop_back();
  const TemporaryFolder folder;
  const auto go_on = [&](const Plan& with) {
    return refusal_of([&] { SnapshotWriter(folder.path(), with, {}, true); });
  };
  CHECK_THAT(go_on(plan), Catch::Contains("are missing"));
  { SnapshotWriter(folder.path(), plan, {}, false).flush(); }
  CHECK_THAT(go_on(other), Catch::Contains("to another run"));
  CHECK(go_on(plan).empty());
  const auto part = unfinished_snapshots(folder.path());
  std::filesystem::resize_file(part, std::filesystem::file_size(part) / 2);
  CHECK_THAT(go_on(plan), Catch::Contains("to another run"));
  CHECK_THAT(refusal_of([&] { SnapshotWriter(folder / "none", plan, {}, false); }), Catch::Contains("snapshots.h5"));
  CHECK_THAT(refusal_of([&] { SnapshotReader{part}; }), Catch::Contains("snapshots.h5.part"));
}

TEST_CASE("snapshots: a file that its disk has no room for is not begun") {
  Plan plan = room_with_snapshots();
  const TemporaryFolder folder;
  {
    const FileSizeLimit limit(3000);
    CHECK_THAT(refusal_of([&] { SnapshotWriter(folder.path(), plan, {}, false); }), Catch::Contains("snapshots.h5"));
  }
  // Frames of 1e18 bytes, which no disk holds: reported before a file is made.
  plan.snapshots.back().steps.resize(std::size_t{1} << 20);
  plan.grid.size = {100'000, 100'000, 100'000};
  CHECK_THAT(refusal_of([&] { SnapshotWriter(folder / "", plan, {}, false); }), Catch::Contains("are free"));
}
