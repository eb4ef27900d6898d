// Results of more responses than have a group each.
#include "engine/results/response_arrays.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forge.hpp"
#include "tests/support/h5_library.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t receivers = max_single_responses / 2 + 1;  // of two sources

Result many_responses() {
  Result result;
  Recording& recording = result.recording;
  recording.sample_rate = 12000.0;
  recording.samples = 60;
  recording.sources = {"S2", "S1"};
  recording.energy.resize(2);
  result.source_positions = {{1, 1, 1}, {2, 1, 1}};
  for (std::size_t r = 0; r < receivers; ++r) {
    recording.receivers.push_back(fmt::format("seat {}", r));
    result.receiver_positions.push_back({0.1 * static_cast<double>(r), 1.0, 2.0});
    result.receiver_directions.push_back({0.0, r == 7 ? 1.0 : 0.0, 0.0});
  }
  for (std::size_t c = 0; c < 2 * receivers; ++c)
    for (int n = 0; n < 60; ++n)
      recording.pressure.push_back(n == 0 ? 0.0 : std::exp(-0.2 * n) * std::sin(0.1 * static_cast<double>(c) + n));
  result.options.output_rate = 8000.0;
  result.options.low_cut = 0.0;
  result.options.gain = {{{1.0, 1.1, 1.3}}, std::vector<std::uint32_t>(2 * receivers, 0)};
  result.rendered = render(recording, result.options);
  FigureTableMaker figures(2 * receivers);
  Metrics metrics;
  metrics.broadband.Ts.value = 0.03;
  figures.put(5, metrics);
  result.figures = figures.finish();
  return result;
}

}  // namespace

TEST_CASE("result: many responses lie in arrays, and are read again to the last bit") {
  const TemporaryFolder folder;
  Result result = many_responses();
  for (const bool raw : {false, true}) {
    result.raw = raw;
    const auto file = folder / (raw ? "raw.h5" : "result.h5");
    write_result(file, result, false);
    const Result back = read_result(file);
    CHECK(back.recording.receivers == result.recording.receivers);
    CHECK(back.recording.sources == result.recording.sources);
    CHECK(back.receiver_positions == result.receiver_positions);
    CHECK(back.receiver_directions == result.receiver_directions);
    CHECK(back.recording.samples == 60);
    CHECK(back.recording.pressure == result.recording.pressure);
    CHECK(back.rendered.ir == result.rendered.ir);
    CHECK(back.rendered.sample_rate == 8000.0);
    CHECK(back.options.gain == result.options.gain);
    CHECK(back.raw == raw);
    REQUIRE(back.figures);
    CHECK(back.figures->centres == result.figures->centres);
    CHECK(back.figures->value(6, 5, 0) == 0.03);
    CHECK(render(back.recording, back.options).ir == result.rendered.ir);
  }
  // As other programs see it: no group of a receiver's name, names as texts.
  CHECK(h5_shape(folder / "raw.h5", "/responses/pressure") ==
        std::vector<std::int64_t>{2, static_cast<std::int64_t>(receivers), result.rendered.samples});
  CHECK(h5_shape(folder / "raw.h5", "/responses/name") ==
        std::vector<std::int64_t>{static_cast<std::int64_t>(receivers)});
  CHECK(h5_objects(folder / "raw.h5").size() < 200);
  const SealedFile sealed = SealedFile::open(folder / "raw.h5");
  const auto sums = sealed.read<double>("/responses/raw_pressure");
  double sum = 0.0;
  for (std::size_t n = 0; n < 60; ++n) sum += result.recording.pressure[3 * 60 + n];
  CHECK(sums[3 * 60 + 59] == sum);
}

TEST_CASE("result: forged arrays of responses are refused by name") {
  const TemporaryFolder folder;
  write_result(folder / "good.h5", many_responses(), false);
  const double infinite = std::numeric_limits<double>::infinity();
  using Change = std::function<void(H5Index&, std::string&)>;
  const auto element = [](const std::string& array, double to) -> Change {
    return [=](H5Index& index, std::string& image) { put_double(index, image, array, 5, to); };
  };
  const auto name = [](std::size_t i, const std::string& to) -> Change {
    return [=](H5Index& index, std::string& image) {
      const StoredArray& names = index.arrays.at("/responses/name");
      const auto at = static_cast<std::size_t>(names.offset) + i * static_cast<std::size_t>(names.shape[1]);
      for (std::size_t b = 0; b < static_cast<std::size_t>(names.shape[1]); ++b)
        image[at + b] = b < to.size() ? to[b] : '\0';
    };
  };
  const auto shape = [](const std::string& array, std::vector<std::int64_t> to) -> Change {
    return [=](H5Index& index, std::string&) { index.arrays.at(array).shape = to; };
  };
  const auto n = static_cast<std::int64_t>(receivers);
  for (const auto& [change, what] : std::vector<std::pair<Change, std::string>>{
           {element("/responses/pressure", infinite), "/responses/pressure: value 5"},
           {element("/responses/record", std::nan("")), "/responses/record: value 5"},
           {element("/responses/position", infinite), "/responses/position: value 5"},
           {element("/metrics/T20", infinite), "/metrics/T20: value 5"},
           {name(3, "a/b"), "/responses/name"},
           {name(3, "\x1b[2J"), "control or invisible characters"},
           {name(3, ""), "/responses/name"},
           {name(3, "seat 4"), "holds a name twice"},
           {shape("/responses/pressure", {1, 2 * n, 40}), "sources x receivers x samples"},
           {shape("/responses/record", {2 * n, 60}), "sources x receivers x samples"},
           {shape("/responses/position", {3, n}), "receivers x 3"}}) {
    INFO(what);
    forge(folder / "good.h5", folder / "bad.h5", change);
    try {
      read_result(folder / "bad.h5");
      FAIL("the forged file was taken");
    } catch (const Error& error) {
      CHECK(error.status == Status::file);
      CHECK_THAT(error.what(), Contains(what));
    }
  }
}
