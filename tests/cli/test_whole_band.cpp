// Rooms with waves to 1000 Hz and geometry above, beside waves alone (bench/whole_band.py wrote their figures): mean
// differences over the receivers in the octaves that geometry has a part of.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct RoomBounds {
  double T20 = 0.0, C80 = 0.0, G = 0.0;  // per cent, dB, dB
};

const nlohmann::json& band_of(const nlohmann::json& receiver, double centre) {
  for (const nlohmann::json& band : receiver["metrics"]["bands"])
    if (band["centre"] == centre) return band;
  throw std::runtime_error("no such octave");
}

// Runs the room and checks the octaves whose figures waves alone have.
nlohmann::json checked_room(const std::string& room, const RoomBounds& bounds) {
  const std::filesystem::path bench = std::filesystem::path(FDTD_SOURCE_DIR) / "bench";
  const auto waves = nlohmann::json::parse(std::ifstream(bench / "results/whole-band-waves.json"))["rooms"][room];
  const TemporaryFolder folder;
  const Outcome run = run_fdtd({"run", (bench / "whole_band" / (room + ".toml")).string(), "-o", "out", "--json",
                                "--set", "simulation.max_frequency=1000", "--set", "above.method=rays"},
                               folder.path());
  nlohmann::json document = json_of(run);
  int octaves = 0;
  for (const auto& [centre, due] : waves["octaves"].items()) {
    if (std::stod(centre) < 1000.0) continue;
    ++octaves;
    double T20 = 0.0, C80 = 0.0, G = 0.0;
    const auto number = static_cast<double>(document["receivers"].size());
    REQUIRE(document["receivers"].size() == due.size());
    for (const nlohmann::json& receiver : document["receivers"]) {
      const nlohmann::json &band = band_of(receiver, std::stod(centre)),
                           &exact = due[receiver["name"].get<std::string>()];
      T20 += 100.0 * (band["T20"].get<double>() / exact["T20"].get<double>() - 1.0) / number;
      C80 += (band["C80"].get<double>() - exact["C80"].get<double>()) / number;
      G += (band["G"].get<double>() - exact["G"].get<double>()) / number;
    }
    INFO(fmt::format("{} at {} Hz: T20 {:+.1f} %, C80 {:+.2f} dB, G {:+.2f} dB", room, centre, T20, C80, G));
    CHECK(std::abs(T20) <= bounds.T20);
    CHECK(std::abs(C80) <= bounds.C80);
    CHECK(std::abs(G) <= bounds.G);
  }
  REQUIRE(octaves > 0);
  return document;
}

// Of a box with receivers a to f: how geometry and waves to 700 Hz agree below the crossover.
nlohmann::json agreement_of_box(const std::string& sides, const std::array<double, 3>& absorption, double scattering) {
  std::string text = fmt::format(R"(schema = 1
[simulation]
duration = 0.8
max_frequency = 700
[room]
box = {}
[room.walls]
default = "x"
y_min = "y"
y_max = "y"
z_min = "z"
z_max = "z"
[[source]]
name = "S"
position = [1.13, 0.97, 1.41]
)",
                                 sides);
  for (std::size_t d = 0; d < 3; ++d)
    text += fmt::format(
        "[materials.{}]\nscattering = {}\nabsorption = {{ bands = [125, 500, 2000], alpha = [{}, {}, {}] }}\n",
        "xyz"[d], scattering, absorption[d], absorption[d], absorption[d]);
  const std::array<const char*, 6> places = {"3.31, 2.47, 1.17", "4.23, 1.29, 1.63", "2.39, 3.33, 0.83",
                                             "1.57, 2.87, 2.03", "4.51, 3.19, 1.93", "2.93, 1.03, 0.77"};
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format("[[receiver]]\nname = \"{}\"\nposition = [{}]\n", "abcdef"[i], places[i]);
  const TemporaryFolder folder;
  folder.write("box.toml", text);
  return json_of(
      run_fdtd({"run", "box.toml", "-o", "out", "--json", "--set", "above.rays=10000"}, folder.path()))["agreement"];
}

}  // namespace

TEST_CASE("whole band: a box with alike walls has T20 within 12 %, C80 within 1 dB, G within 0.5 dB of waves alone",
          "[above]") {
  checked_room("even", {12.0, 1.0, 0.5});
}

TEST_CASE("whole band: a box with an absorbing ceiling has T20 within 8 %, C80 within 1 dB, G within 0.5 dB",
          "[above]") {
  checked_room("uneven", {8.0, 1.0, 0.5});
}

TEST_CASE("whole band: an L has T20 within 16 %, C80 within 1.5 dB, G within 1 dB, and responses begin as waves do",
          "[above]") {
  const nlohmann::json document = checked_room("l", {16.0, 1.5, 1.0});
  CHECK(document["plan"]["blocked"]["blocked"] == 2);
  CHECK(document["plan"]["blocked"]["diffracted"] == 2);
  for (const nlohmann::json& receiver : document["receivers"]) {  // by the edge, in milliseconds
    const double due = receiver["name"] == "around" ? 12.27 : receiver["name"] == "behind" ? 9.72 : 0.0;
    if (due > 0.0) CHECK(1e3 * receiver["metrics"]["onset"].get<double>() == Approx(due).margin(0.1));
  }
}

TEST_CASE("whole band: a classroom has T20 within 16 %, C80 and G within 1 dB of waves alone", "[above]") {
  checked_room("class", {16.0, 1.0, 1.0});
}

TEST_CASE("whole band: a furnished room has T20 within 30 %, C80 within 1.5 dB, G within 1 dB of waves alone",
          "[above]") {
  checked_room("furnished", {30.0, 1.5, 1.0});
}

// Image sources of a smooth box are exact but for the phase of their reflections. C80 has no part in the word of trust: over
// six receivers its mean has a standard error of some 0.6 dB.
TEST_CASE("whole band: below the crossover geometry of smooth boxes has the waves' T20 within 10 % and G within 1 dB",
          "[above]") {
  for (const std::array<double, 3>& absorption : {std::array{0.12, 0.12, 0.12}, {0.3, 0.12, 0.12}}) {
    const nlohmann::json agreement = agreement_of_box("[5.3, 4.1, 2.9]", absorption, 0.0);
    INFO(absorption[0] << ": " << agreement.dump());
    CHECK(std::abs(agreement["T20"]["mean"].get<double>()) <= 10.0);
    CHECK(std::abs(agreement["G"]["mean"].get<double>()) <= 1.0);
    CHECK(agreement["trust"] == "good");
    CHECK(agreement["reasons"].empty());
  }
}

// Energies of rays know no interference: little scattering keeps sound that grazes the absorbing walls.
TEST_CASE("whole band: a flat box with little scattering is no good below the crossover, and the run names it",
          "[above]") {
  const nlohmann::json agreement = agreement_of_box("[4.7, 5.9, 2.7]", {0.03, 0.04, 0.45}, 0.1);
  INFO(agreement.dump());
  CHECK(agreement["trust"] != "good");
  CHECK(agreement["T20"]["mean"].get<double>() > 10.0);
  CHECK(agreement["reasons"].dump().find("materials have scattering") != std::string::npos);
}
