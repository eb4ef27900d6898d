#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Two sources, three receivers, a record that rings and decays; rendered as a run would.
Result example() {
  Result result;
  result.version = "0.1.0";
  result.build = "Release, tests";
  result.scene_text = "schema = 1\n# Sch\u00f6n\n" + std::string(100000, '#');  // above the 64 KiB of a plain attribute
  result.overrides = {"room.box=[1,2,3]", "a.b=\"c\""};
  result.plan_json = R"({"stencil": "leggy-4"})";
  result.metrics_json = R"({"bands": []})";
  result.materials_json = R"([{"name": "stone"}])";
  result.surface = {
      {{0, 0, 0}, {8, 0, 0}, {0, 6, 0}, {0, 0, 7.1}}, {{0, 1, 2}, {0, 1, 3}}, {1, 0}, {"stone", "Sch\u00f6n"}};
  result.run = {"cpu, 2 threads", "2024-01-01T00:00:00Z", 12.5};
  auto& recording = result.recording;
  recording.sample_rate = 13123.4;
  recording.samples = 2000;
  recording.sources = {"S2", "S1"};
  recording.receivers = {"b", "a", "seat 12"};
  for (int c = 0; c < 6; ++c)
    for (int n = 0; n < 2000; ++n)
      recording.pressure.push_back(n == 0 ? 0.0 : std::exp(-0.01 * n) * std::sin(0.1 * (c + 1) * n));
  recording.energy.resize(2);
  for (std::size_t s = 0; s < 2; ++s)
    for (int i = 1; i <= 20; ++i) {
      const double injected = 1.0 + static_cast<double>(s), stored = 1.0 / i, dissipated = 0.5 * i;
      recording.energy[s].push_back(
          {90 * i, {stored, injected, dissipated}, (stored + dissipated - injected) / injected});
    }
  result.source_positions = {{1, 2, 3}, {4, 5, 6.5}};
  result.receiver_positions = {{0.1, 0.2, 0.3}, {1, 1, 1}, {2, 2, 2}};
  result.options.bandwidth = 1500.0;
  result.options.branch = 1700.0;
  result.sound_speed = 343.5;
  result.options.duration = 0.1;
  result.options.frequency_map = frequency_map(*find_stencil("compact-4/radial1"));
  result.options.air = AirState{15.0, 40.0, 95.0, 343.5};
  result.options.gain = {{{1.0, 1.1, 1.3}, {1.0, 1.2, 1.2}}, {0, 0, 0, 0, 1, 0}};
  result.rendered = render(recording, result.options);
  result.rendered.remarks = {"one", "and another"};
  return result;
}

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::done, "");
}

void check_equal(const Result& a, const Result& b) {
  CHECK(a.version == b.version);
  CHECK(a.build == b.build);
  CHECK(a.scene_text == b.scene_text);
  CHECK(a.overrides == b.overrides);
  CHECK(a.plan_json == b.plan_json);
  CHECK(a.metrics_json == b.metrics_json);
  CHECK(a.materials_json == b.materials_json);
  CHECK(a.surface == b.surface);
  CHECK(a.run.device == b.run.device);
  CHECK(a.run.date == b.run.date);
  CHECK(a.run.wall_seconds == b.run.wall_seconds);
  CHECK(a.source_positions == b.source_positions);
  CHECK(a.receiver_positions == b.receiver_positions);
  CHECK(a.recording.sources == b.recording.sources);
  CHECK(a.recording.receivers == b.recording.receivers);
  CHECK(a.recording.sample_rate == b.recording.sample_rate);
  CHECK(a.recording.samples == b.recording.samples);
  CHECK(a.recording.pressure == b.recording.pressure);
  CHECK(a.rendered.sample_rate == b.rendered.sample_rate);
  CHECK(a.rendered.samples == b.rendered.samples);
  CHECK(a.rendered.ir == b.rendered.ir);
  CHECK(a.rendered.remarks == b.rendered.remarks);
  CHECK(a.options.gain == b.options.gain);
  CHECK(a.options.branch == b.options.branch);
  CHECK(a.sound_speed == b.sound_speed);
  REQUIRE(a.options.air.has_value() == b.options.air.has_value());
  if (a.options.air) {
    CHECK(a.options.air->temperature == b.options.air->temperature);
    CHECK(a.options.air->relative_humidity == b.options.air->relative_humidity);
    CHECK(a.options.air->pressure == b.options.air->pressure);
    CHECK(a.options.air->sound_speed == b.options.air->sound_speed);
  }
  CHECK(a.options.frequency_map == b.options.frequency_map);
  CHECK(a.format == b.format);
  CHECK(a.raw == b.raw);
  REQUIRE(a.recording.energy.size() == b.recording.energy.size());
  for (std::size_t s = 0; s < a.recording.energy.size(); ++s) {
    REQUIRE(a.recording.energy[s].size() == b.recording.energy[s].size());
    for (std::size_t i = 0; i < a.recording.energy[s].size(); ++i) {
      const auto &x = a.recording.energy[s][i], &y = b.recording.energy[s][i];
      CHECK((x.step == y.step && x.energy.stored == y.energy.stored && x.energy.injected == y.energy.injected &&
             x.energy.dissipated == y.energy.dissipated && x.balance_error == y.balance_error));
    }
  }
}

}  // namespace

TEST_CASE("result: what is written is read again, to the last bit") {
  const TemporaryFolder folder;
  Result result = example();
  for (const bool raw : {false, true}) {
    result.raw = raw;
    result.format = raw ? "pcm24" : "float";
    write_result(folder / "result.h5", result, true);
    check_equal(read_result(folder / "result.h5"), result);
  }
  CHECK(folder.entries() == 1);
  result.recording.receivers = {"a"};
  result.recording.sources = {"S"};
  result.recording.pressure.resize(2000);
  result.recording.energy = {{}};
  result.options.gain = {};
  result.options.air.reset();
  result.rendered = render(result.recording, result.options);
  result.source_positions.resize(1);
  result.receiver_positions.resize(1);
  result.overrides.clear();
  result.metrics_json.clear();
  result.plan_json.clear();
  write_result(folder / "small.h5", result, false);
  check_equal(read_result(folder / "small.h5"), result);
}

TEST_CASE("result: where receivers sent, every source has an empty balance and every receiver its own") {
  const TemporaryFolder folder;
  Result result = example();
  result.recording.exchanged = true;
  CHECK_THROWS_WITH(write_result(folder / "result.h5", result, false),
                    Catch::Matchers::Contains("energies and passes differ"));
  result.recording.receivers[2] = "S1";  // as a source is called
  result.recording.energy.push_back({result.recording.energy[0].begin(), result.recording.energy[0].begin() + 7});
  write_result(folder / "result.h5", result, false);
  const Result again = read_result(folder / "result.h5");
  check_equal(again, result);
  CHECK(again.recording.exchanged);
  const SealedFile file = SealedFile::open(folder / "result.h5");
  CHECK(file.names("/energy") == std::vector<std::string>{"S1", "S2"});
  CHECK(file.read<std::int64_t>("/energy/S1/step").empty());
  CHECK(file.read<std::int64_t>("/exchanged/S1/step").size() == 7);
}

TEST_CASE("result: rendering what was read gives the responses in the file, bit for bit") {
  const TemporaryFolder folder;
  write_result(folder / "result.h5", example(), false);
  const Result again = read_result(folder / "result.h5");
  CHECK(render(again.recording, again.options).ir == again.rendered.ir);
}

TEST_CASE("result: the raw pressure is the record's sum at the grid's own rate") {
  const TemporaryFolder folder;
  Result result = example();
  result.raw = true;
  write_result(folder / "result.h5", result, false);
  const auto file = SealedFile::open(folder / "result.h5");
  CHECK(file.shape("/raw/seat 12/pressure") == std::vector<std::int64_t>{2, 2000});
  const auto values = file.read<double>("/raw/seat 12/pressure");
  double sum = 0.0;
  for (std::size_t n = 0; n < 2000; ++n) {  // second source, third receiver
    sum += result.recording.pressure[(1 * 3 + 2) * 2000 + n];
    REQUIRE(values[2000 + n] == sum);
  }
}

TEST_CASE("result: the same result gives the same bytes, another clock changes those of /provenance/run alone") {
  const TemporaryFolder folder;
  Result result = example();
  write_result(folder / "a.h5", result, false);
  write_result(folder / "b.h5", result, false);
  const auto a = read_file(folder / "a.h5");
  CHECK((a == read_file(folder / "b.h5")));
  result.run = {"cuda:0, NVIDIA H200, a far longer name than that of a processor", "2031-12-31T23:59:59Z", 1e-3};
  write_result(folder / "c.h5", result, false);
  const auto c = read_file(folder / "c.h5");
  REQUIRE(c.size() == a.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differing += a[i] != c[i] ? 1 : 0;
  CHECK(differing > 20);
  CHECK(differing <= 2 * (128 + 32 + 8) + 3 * 4 + 2 * 8);  // the values, in HDF5 and in the index, and their checksums
}

TEST_CASE("result: an existing file is kept, impossible results and names are refused") {
  const TemporaryFolder folder;
  const Result result = example();
  write_result(folder / "result.h5", result, false);
  CHECK(error_of([&] { write_result(folder / "result.h5", result, false); }).status == Status::file);
  for (const char* name : {"", ".", "..", "a/b", "a"}) {
    Result wrong = result;
    wrong.recording.receivers[0] = name;
    CHECK(error_of([&] { write_result(folder / "x.h5", wrong, false); }).status == Status::scene);
  }
  Result wrong = result;
  wrong.recording.samples = 1999;
  CHECK(error_of([&] { write_result(folder / "x.h5", wrong, false); }).status == Status::scene);
  CHECK(folder.entries() == 1);
}

TEST_CASE("result: a full disk gives an error, no file, and a program that continues") {
  const TemporaryFolder folder;
  const Result result = example();
  for (const std::size_t bytes : {200, 5000, 120000, 300000, 420000}) {
    {
      const FileSizeLimit limit(bytes);
      const auto error = error_of([&] { write_result(folder / "result.h5", result, false); });
      CHECK(error.status == Status::file);
      CHECK(std::string(error.what()).find("/result.h5: cannot be written: File too large") != std::string::npos);
    }
    CHECK(folder.entries() == 0);
  }
  write_result(folder / "result.h5", result, false);
  check_equal(read_result(folder / "result.h5"), result);
}

TEST_CASE("result: missing, foreign and cut files are refused") {
  const TemporaryFolder folder;
  CHECK(error_of([&] { read_result(folder / "none.h5"); }).status == Status::file);
  CHECK(error_of([&] { read_result(folder.path()); }).status == Status::file);
  std::ofstream(folder / "text.h5") << "not HDF5";
  CHECK(error_of([&] { read_result(folder / "text.h5"); }).status == Status::file);
  H5File::create(folder / "foreign.h5", "foreign.h5").close();
  CHECK(error_of([&] { read_result(folder / "foreign.h5"); }).status == Status::file);
  {
    auto file = H5File::create(folder / "newer.h5", "newer.h5");
    file.set("/", "format", std::string("fdtd result"));
    file.set("/", "schema_version", std::int64_t{99});
    file.close();
  }
  CHECK(std::string(error_of([&] { read_result(folder / "newer.h5"); }).what()).find("schema version 99") !=
        std::string::npos);
  write_result(folder / "good.h5", example(), false);
  const auto good = read_file(folder / "good.h5");
  for (const double part : {0.01, 0.3, 0.7, 0.99}) {
    std::ofstream(folder / "cut.h5", std::ios::binary)
        << good.substr(0, static_cast<std::size_t>(part * static_cast<double>(good.size())));
    CHECK(error_of([&] { read_result(folder / "cut.h5"); }).status == Status::file);
  }
}

TEST_CASE("result: a damaged byte is found or does no harm") {
  const TemporaryFolder folder;
  Result result = example();
  result.scene_text = "schema = 1\n";
  write_result(folder / "good.h5", result, false);
  const auto good = read_file(folder / "good.h5");
  int refused = 0, harmless = 0;
  for (std::size_t place = 0; place < good.size(); place += 997) {
    auto bytes = good;
    bytes[place] = static_cast<char>(bytes[place] ^ 0x5A);
    std::ofstream(folder / "bad.h5", std::ios::binary) << bytes;
    try {
      const Result read = read_result(folder / "bad.h5");
      ++harmless;  // unused space, or what only other readers look at
      REQUIRE(read.recording.pressure == result.recording.pressure);
      REQUIRE(read.rendered.ir == result.rendered.ir);
    } catch (const Error& error) {
      ++refused;
      REQUIRE(error.status == Status::file);
    }
  }
  CHECK(refused > 4 * harmless);
}
