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
