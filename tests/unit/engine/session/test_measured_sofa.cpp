// Responses in SOFA files: their names, by description and by place, and their figures.
#include "engine/session/measured_sofa.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/h5.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double sofa_rate = 8000.0;
constexpr std::size_t samples = 8000;

// Noise that decays by 60 dB in `time` s.
std::vector<double> response(double time, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> ir;
  for (std::size_t n = 0; n < samples; ++n)
    ir.push_back((random() % 2 == 0 ? 0.5 : -0.5) *
                 std::exp(-std::log(1e3) * static_cast<double>(n) / sofa_rate / time));
  return ir;
}

struct SofaText {
  std::string data_type = "FIR", listeners;
  std::vector<double> places = {90.0, 0.0, 2.0, 0.0, 0.0, 3.0};  // spherical, of the listeners
};

// Two measurements of two receivers, whose T is 0.4 and 0.6 s, and half of it at the second receiver.
std::filesystem::path sofa_file(const TemporaryFolder& folder, const SofaText& how) {
  const auto path = folder.path() / "room.sofa";
  H5File file = H5File::create(path, path);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "DataType", how.data_type);
  if (!how.listeners.empty()) file.set("/", "ListenerDescription", how.listeners);
  for (const auto& [name, length] : {std::pair("I", 1), {"C", 3}, {"M", 2}, {"R", 2}, {"N", 8000}})
    file.write_dimension(name, length);
  std::vector<double> ir;
  for (const double time : {0.4, 0.2, 0.6, 0.3}) {
    const std::vector<double> one = response(time, 3);
    ir.insert(ir.end(), one.begin(), one.end());
  }
  file.write_on("/Data.IR", ir, {"M", "R", "N"});
  file.write_on("/Data.SamplingRate", std::vector{sofa_rate}, {"I"});
  file.write_on("/SourcePosition", std::vector{1.0, 1.0, 1.0}, {"I", "C"});
  file.write_on("/ListenerPosition", how.places, {"M", "C"});
  file.set("/ListenerPosition", "Type", std::string("spherical"));
  file.close();
  return path;
}

RoomFigures known_places() {
  RoomFigures run;
  run.sources = {{"LS1", {1.0, 1.0, 1.05}}};
  run.receivers = {{"A", {0.0, 2.0, 0.0}}, {"B", {3.0, 0.0, 0.5}}};
  return run;
}

double t20_at(const RoomFigures& figures, std::size_t pair) {
  for (std::size_t b = 0; b < figures.centres.size(); ++b)
    if (figures.centres[b] == 1000.0) return figures.pairs.at(pair).octaves[b][1].value.value_or(0.0);
  return 0.0;
}

}  // namespace

TEST_CASE("SOFA: measurements are pairs, named by place or by description", "[session]") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  const RoomFigures figures = read_sofa_figures(sofa_file(folder, {}), known_places(), {}, warnings);
  REQUIRE(figures.pairs.size() == 2);
  CHECK(figures.pairs[0].source == "LS1");
  CHECK(figures.pairs[0].receiver == "A");
  CHECK(figures.pairs[1].receiver == "listener 2");  // B is half a metre away
  CHECK(t20_at(figures, 0) == Approx(0.4).epsilon(0.1));
  CHECK(t20_at(figures, 1) == Approx(0.6).epsilon(0.1));

  ResponseFileOptions second;
  second.channel = 2;
  CHECK(t20_at(read_sofa_figures(folder.path() / "room.sofa", known_places(), second, warnings), 1) ==
        Approx(0.3).epsilon(0.1));
  second.channel = 3;
  CHECK_THROWS_WITH(read_sofa_figures(folder.path() / "room.sofa", {}, second, warnings),
                    Catch::Matchers::Contains("has 2 receivers (R) a measurement, not 3"));

  SofaText described;
  described.listeners = "by measurement: front row, B";
  const RoomFigures named = read_sofa_figures(sofa_file(folder, described), known_places(), {}, warnings);
  CHECK(named.pairs.at(0).receiver == "front row");
  CHECK(named.pairs.at(1).receiver == "B");
  described.listeners = "by measurement: B, \"front, left\"";
  const RoomFigures quoted = read_sofa_figures(sofa_file(folder, described), known_places(), {}, warnings);
  CHECK(quoted.pairs.at(0).receiver == "B");
  CHECK(quoted.pairs.at(1).receiver == "front, left");
  for (const char* open : {"by measurement: \"front, B", "by measurement: B, \"front\" left"}) {
    described.listeners = open;
    const RoomFigures by_place = read_sofa_figures(sofa_file(folder, described), known_places(), {}, warnings);
    CHECK(by_place.pairs.at(0).receiver == "A");
  }
}

TEST_CASE("SOFA: files without responses of a room are refused", "[session]") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  SofaText bad;
  bad.data_type = "TF";
  CHECK_THROWS_WITH(read_sofa_figures(sofa_file(folder, bad), {}, {}, warnings),
                    Catch::Matchers::Contains("DataType is not FIR"));
  bad = {};
  bad.places = {90.0, 0.0, 2.0, 90.0, 0.0, 2.0};
  CHECK_THROWS_WITH(read_sofa_figures(sofa_file(folder, bad), {}, {}, warnings),
                    Catch::Matchers::Contains("measurement 2 is another of \"source 1\" at \"listener 1\""));
}
