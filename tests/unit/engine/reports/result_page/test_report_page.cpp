#include "engine/reports/result_page/report_page.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// A response of one pulse, whose plan expects T30 by a model an octave.
std::string page_of(const char* first, const char* second) {
  Result result;
  result.recording.sample_rate = 8000.0;
  result.recording.samples = 1601;
  result.recording.sources = {"S"};
  result.recording.receivers = {"R"};
  result.recording.pressure.assign(1601, 0.0);
  result.recording.energy.resize(1);
  result.source_positions = {{1.0, 1.0, 1.0}};
  result.receiver_positions = {{2.0, 1.0, 1.0}};
  result.options.bandwidth = 1500.0;
  result.options.duration = 0.2;
  result.rendered.sample_rate = 8000.0;
  result.rendered.samples = 1600;
  result.rendered.ir.assign(1600, 0.0);
  result.rendered.ir[24] = 1.0;
  result.metrics_json = R"([{"source": "S", "receiver": "R", "bands": [{"centre": 250.0, "T30": 0.5}]}])";
  result.plan_json = fmt::format(
      R"({{"reverberation": [{{"centre": 250.0, "seconds": 0.6, "model": "{}"}}, {{"centre": 500.0, "seconds": 0.5, "model": "{}"}}]}})",
      first, second);
  return report_html(result, {{}, {}, {}, {{}, 0}});
}

}  // namespace

TEST_CASE("the page states what the models of its expectation leave out, at marks of octaves") {
  const std::string modes = page_of("box modes", "box modes");
  CHECK_THAT(modes,
             Catch::Contains("Box modes: energy in the modes of an empty box") && !Catch::Contains("without modes"));
  CHECK_THAT(page_of("diffusion", "Eyring"), Catch::Contains("diffuse sound, without modes"));
  CHECK_THAT(page_of("box modes", "Eyring"), Catch::Contains("the other expectations are of diffuse sound"));
  const std::size_t plot = modes.find("aria-label=\"Reverberation time: run and plan\"");
  REQUIRE(plot != modes.npos);
  const std::string axis = modes.substr(plot, modes.find("octave, Hz", plot) - plot);
  CHECK_THAT(axis, Catch::Contains(">250</text>") && Catch::Contains(">500</text>") && !Catch::Contains(">200</text>"));
  CHECK_THAT(modes, Catch::Contains("T30, s") && Catch::Contains("level, dB re free field at 1 m"));
}
