// Forged files whose checksums are right: names and values are refused by name, with status 5.
#include "engine/results/stored_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/cpu/make_backend.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"
#include "engine/results/snapshot_file.hpp"
#include "engine/run/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forge.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();

using Change = std::function<void(H5Index&, std::string&)>;

Change value(const std::string& object, const std::string& name, StoredValue to) {
  return [=](H5Index& index, std::string&) {
    REQUIRE(index.values.count({object, name}) == 1);
    index.values[{object, name}] = to;
  };
}

Change element(const std::string& array, std::size_t i, double to) {
  return [=](H5Index& index, std::string& image) { put_double(index, image, array, i, to); };
}

// Element `i` of an array of the state, in the room's precision: not finite.
Change state_element(const std::string& array, std::size_t i) {
  return [=](H5Index& index, std::string& image) {
    const StoredArray& stored = index.arrays.at(array);
    const float none = std::numeric_limits<float>::quiet_NaN();
    char* const to = image.data() + stored.offset + i * bytes_of(stored.type);
    if (stored.type == ElementType::f32)
      std::memcpy(to, &none, sizeof none);
    else
      std::memcpy(to, &no_number, sizeof no_number);
  };
}

Change renamed(const std::string& from, const std::string& to) {
  return [=](H5Index& index, std::string&) { rename_group(index, from, to); };
}

template <class Read>
void check_refused(const std::filesystem::path& good, const Change& change, const std::string& name, const Read& read) {
  INFO(name);
  const std::filesystem::path bad = good.parent_path() / "bad.h5";
  forge(good, bad, change);
  try {
    read(bad);
    FAIL("the forged file was taken");
  } catch (const Error& error) {
    CHECK(error.status == Status::file);
    CHECK_THAT(error.what(), Contains("bad.h5") && Contains(name));
  }
}

Plan small_room() {
  RoomSpec spec;
  spec.size = {7, 6, 5};
  spec.stencil = "leggy-2";
  spec.laws = some_laws();
  Plan plan = plan_of(spec);
  std::mt19937 random(4);
  plan.sources.push_back(random_tap(plan, 3, random, "S"));
  plan.receivers.push_back(random_tap(plan, 3, random, "R"));
  plan.steps = 60;
  plan.energy_interval = 20;
  return plan;
}

}  // namespace

namespace {

// The checkpoint at step 40 of 60.
std::filesystem::path checkpoint_of(const Plan& plan, const CheckpointLabel& label,
                                    const std::filesystem::path& folder) {
  RunCallbacks callbacks;
  callbacks.due = [](const Progress& at) { return at.step >= 40; };
  callbacks.save = [&](Moment moment) {
    moment.frames = {{0, 1, {1.0F, 2.0F}}, {0, 2, {3.0F, 4.0F}}};
    write_checkpoint(CheckpointFiles(folder), label, moment);
  };
  run(plan, *make_cpu_backend({1, ""}), callbacks);
  return CheckpointFiles(folder).newest;
}

}  // namespace

TEST_CASE("values and names of a forged checkpoint are refused by name") {
  const Plan plan = small_room();
  const TemporaryFolder folder;
  const CheckpointLabel label{"1", fingerprint_of(plan), {}};
  const auto good = checkpoint_of(plan, label, folder.path());
  const auto read = [&](const std::filesystem::path& file) { read_checkpoint(file, label); };
  REQUIRE_NOTHROW(read(good));
  for (const auto& [change, name] : std::vector<std::pair<Change, std::string>>{
           {value("/recording", "sample_rate", 1.0), "/recording sample_rate"},
           {value("/recording", "sample_rate", no_number), "/recording sample_rate"},
           {value("/state", "seconds", -1.0), "/state seconds"},
           {value("/state", "seconds", infinite), "/state seconds"},
           {value("/state", "step", std::int64_t{61}), "/state step"},
           {value("/state", "step", std::int64_t{-1}), "/state step"},
           {value("/state", "source", std::int64_t{1}), "/state source"},
           {element("/state/injected", 0, no_number), "/state/injected"},
           {element("/state/dissipated", 0, infinite), "/state/dissipated"},
           {element("/recording/pressure", 3, no_number), "/recording/pressure"},
           {element("/recording/pressure", 55, 1e-3), "/recording/pressure"},
           {value("/state", "step", std::int64_t{30}), "energies at other steps"},
           {value("/state", "step", std::int64_t{45}), "/state step"},
           {value("/state", "step", std::int64_t{59}), "/state step"},
           {element("/energy/S/dissipated", 0, 1e-3), "/energy/S/balance_error"},
           {state_element("/state/u_now", 5), "/state/u_now: value 5"},
           {state_element("/state/u_before", 209), "/state/u_before: value 209"},
           {state_element("/state/velocity", 0), "/state/velocity: value 0"},
           {state_element("/state/displacement", 1), "/state/displacement: value 1"},
           {element("/energy/S/stored", 0, infinite), "/energy/S/stored"},
           {value("/frames", "count", std::int64_t{1} << 40), "/frames count"},
           {value("/frames", "count", std::int64_t{-1}), "/frames count"},
           {value("/frames/0", "frame", std::int64_t{-5}), "/frames/0 frame"},
           {value("/frames/1", "frame", std::int64_t{1}), "/frames/1 frame"},
           {value("/frames/0", "snapshot", std::int64_t{3}), "/frames/1 snapshot"},
           {value("/plan", "receivers", std::vector<std::string>{"R\x1b[2J"}), "/plan/receivers"},
           {value("/plan", "sources", std::vector<std::string>{std::string("S\0T", 3)}), "/plan/sources"}})
    check_refused(good, change, name, read);
}

namespace {

// With everything that a result can hold.
Result full_result() {
  Result result;
  Recording& recording = result.recording;
  recording.sample_rate = 12000.0;
  recording.samples = 600;
  recording.sources = {"S"};
  recording.receivers = {"a", "b"};
  for (int i = 0; i < 1200; ++i) recording.pressure.push_back(i % 600 == 0 ? 0.0 : std::exp(-0.02 * (i % 600)));
  recording.energy = {{{10, {1, 1, 0}, 0.0}, {20, {0.5, 1, 0.5}, 0.0}}};
  result.source_positions = {{1, 1, 1}};
  result.receiver_positions = {{2, 1, 1}, {2, 2, 1}};
  result.options.output_rate = 48000.0;
  result.options.bandwidth = 1000.0;
  result.options.gain = {{{1.0, 1.1, 1.2}}, {0, 0}};
  result.options.air = AirState{20.0, 50.0, 101.325, 343.0};
  result.options.channels =
      ChannelOptions{{0}, {1, 2}, {}, {}, 343.0, {0.0, 5.0, 27.0}, {{0.5, -0.25}, {2.0, 4.0}}, {0.0, 300.0}};
  result.format = "float";
  result.sound_speed = 343.0;
  result.raw = true;
  result.room_box = {4, 3, 2.5};
  result.source_directions = {{0, 1, 0}};
  result.receiver_directions = {{1, 0, 0}, {0, 0, 1}};
  Room room;
  room.box = result.room_box;
  room.walls.fill("panel");
  result.surface = surface_of(room);
  result.rendered = render(recording, result.options);
  FigureTableMaker figures(2);
  Metrics metrics =
      measure(std::span(result.rendered.ir).first(static_cast<std::size_t>(result.rendered.samples)), 48000.0);
  figures.put(0, metrics);
  figures.put(1, metrics);
  result.figures = figures.finish();
  return result;
}

}  // namespace

TEST_CASE("values and names of a forged result are refused by name") {
  const Result result = full_result();
  const TemporaryFolder folder;
  const auto good = folder / "good.h5";
  write_result(good, result, false);
  const auto read = [](const std::filesystem::path& file) { read_result(file); };
  REQUIRE_NOTHROW(read(good));
  CHECK(read_result(good).options.channels->near_field == result.options.channels->near_field);
  CHECK(read_result(good).options.channels->near_corner == result.options.channels->near_corner);
  for (const auto& [change, name] : std::vector<std::pair<Change, std::string>>{
           {value("/raw", "sample_rate", 0.0), "/raw sample_rate"},
           {value("/raw", "sample_rate", 1e-9), "/raw sample_rate"},
           {value("/raw", "sample_rate", no_number), "/raw sample_rate"},
           {value("/receivers/b/pressure", "sample_rate", 0.0), "/receivers/b/pressure sample_rate"},
           {value("/render", "output_rate", 1e300), "/render output_rate"},
           {value("/render", "output_rate", 44100.0), "/receivers/a/pressure sample_rate"},
           {value("/render", "low_cut", no_number), "/render low_cut"},
           {value("/render", "bandwidth", -1.0), "/render bandwidth"},
           {value("/render", "duration", infinite), "/render duration"},
           {value("/render", "format", std::string("\x1b[31m")), "/render format"},
           {value("/render/air", "pressure", 0.0), "/render/air pressure"},
           {value("/render/air", "relative_humidity", 101.0), "/render/air relative_humidity"},
           {element("/render/gain", 1, 0.0), "/render/gain"},
           {element("/render/gain", 1, no_number), "/render/gain"},
           {element("/render/capsules/near_field", 3, no_number), "/render/capsules/near_field"},
           {element("/render/capsules/near_corner", 1, no_number), "/render/capsules/near_corner"},
           {element("/raw/a/record", 5, no_number), "/raw/a/record"},
           {element("/receivers/a/pressure", 5, infinite), "/receivers/a/pressure"},
           {element("/energy/S/injected", 0, no_number), "/energy/S/injected"},
           {value("/receivers/a", "position", std::vector<double>{no_number, 0, 0}), "/receivers/a position"},
           {value("/provenance/run", "wall_seconds", -2.0), "/provenance/run wall_seconds"},
           {renamed("/receivers/a", "/receivers/a\x1b[2J"), "control or invisible characters"},
           {renamed("/receivers/a", "/receivers/a\xC2\x9B"), "control or invisible characters"},
           {renamed("/receivers/a", "/receivers/a\xE2\x80\xAE"), "control or invisible characters"},
           {renamed("/receivers/a", std::string("/receivers/a\0", 13)), "control or invisible characters"},
           {renamed("/sources/S", "/sources/S\x7F"), "control or invisible characters"}})
    check_refused(good, change, name, read);
}

TEST_CASE("no number of a result can be replaced by one that is absurd") {
  const Result result = full_result();
  const TemporaryFolder folder;
  const auto good = folder / "good.h5";
  write_result(good, result, false);
  std::vector<std::string> taken = taken_numbers(good, [](const std::filesystem::path& file) { read_result(file); });
  // A figure that is no number is one that the response does not have.
  std::erase_if(taken, [](const std::string& name) {
    return name.starts_with("/metrics/") && name.ends_with(" = nan") && !name.starts_with("/metrics/centre");
  });
  CHECK(taken == std::vector<std::string>{});
}

TEST_CASE("no number of a checkpoint can be replaced by one that is absurd") {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    Plan plan = small_room();
    plan.precision = precision;
    const TemporaryFolder folder;
    const CheckpointLabel label{"1", fingerprint_of(plan), {}};
    const auto good = checkpoint_of(plan, label, folder.path());
    CHECK(taken_numbers(good, [&](const std::filesystem::path& file) { read_checkpoint(file, label); }) ==
          std::vector<std::string>{});
  }
}
