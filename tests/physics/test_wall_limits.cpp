// Down to how many points a wavelength walls absorb what they should, at all angles to 75 degrees: the figures of
// bench/results/walls.json (bench/walls.cpp), computed again.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/wall_study.hpp"
#include "engine/planning/judge/wall_phase.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;
using bench::Study;

namespace {

nlohmann::json results() {
  std::ifstream file(std::filesystem::path(FDTD_SOURCE_DIR) / "bench/results/walls.json");
  return nlohmann::json::parse(file).at("walls");
}

std::vector<Branch> wall_of(const Study& study, const nlohmann::json& entry) {
  return entry.contains("resonance_points") ? study.resonance_at(entry["resonance_points"].get<double>())
                                            : Study::real_wall(std::stod(entry["wall"].get<std::string>().substr(4)));
}

}  // namespace

TEST_CASE("walls of seven stencils absorb as well as the stored results say", "[physics]") {
  const nlohmann::json entries = results();
  REQUIRE(entries.size() == 39);
  for (const auto& entry : entries) {
    const Study study(entry["stencil"].get<std::string>());
    std::vector<WallWave> waves;
    const std::vector<double> ratios = study.ratios(wall_of(study, entry), waves);
    CAPTURE(entry["stencil"].get<std::string>(), entry["wall"].get<std::string>());
    const auto& now = entry["now"];
    const double valid = valid_frequency(waves, ratios, 0.1);
    REQUIRE(valid > 0.0);
    CHECK(study.points_of(valid) == Approx(now["valid_points"].get<double>()).margin(0.15));
    for (std::size_t i = 0; i < waves.size(); ++i) {
      if (waves[i].points < 3.996) continue;
      CHECK(ratios[i] > now["from_4_points"][0].get<double>() - 0.02);
      CHECK(ratios[i] < now["from_4_points"][1].get<double>() + 0.02);
    }
  }
}

TEST_CASE("walls absorb within a tenth to the stencil's edge, reactive ones too, real ones within 5 % from 3 points up",
          "[physics]") {
  for (const auto& entry : results()) {
    const Study study(entry["stencil"].get<std::string>());
    std::vector<WallWave> waves;
    const std::vector<double> ratios = study.ratios(wall_of(study, entry), waves);
    CAPTURE(entry["stencil"].get<std::string>(), entry["wall"].get<std::string>());
    for (std::size_t i = 0; i < waves.size(); ++i) {
      CHECK(std::abs(ratios[i] - 1.0) < 0.11);
      if (waves[i].points > 3.0) CHECK(std::abs(ratios[i] - 1.0) < 0.085);
      if (waves[i].points > 3.0 && !entry.contains("resonance_points")) CHECK(std::abs(ratios[i] - 1.0) < 0.05);
    }
  }
}

TEST_CASE("the phase of their reflection leaves walls in their place as the stored results say", "[physics]") {
  for (const auto& entry : results()) {
    const Study study(entry["stencil"].get<std::string>());
    const std::vector<Branch> wall = wall_of(study, entry);
    std::vector<WallWave> waves;
    study.ratios(wall, waves);
    const auto& stored = entry["now"]["displacement_cells"];
    CAPTURE(entry["stencil"].get<std::string>(), entry["wall"].get<std::string>());
    for (const double one : wall_displacements(study.law_of(wall), wall, study.grid.time_step, waves)) {
      if (std::isnan(one)) continue;
      CHECK(one > stored[0].get<double>() - 0.01);
      CHECK(one < stored[1].get<double>() + 0.01);
      CHECK(std::abs(one) < (entry.contains("resonance_points") ? 0.33 : 0.03));
    }
  }
}

TEST_CASE("walls before stencils with a radial map absorb what they should up to the edge of the band", "[physics]") {
  for (const char* name : {"compact-2/radial1", "compact-3/radial1", "compact-3/radial2", "compact-4/radial1",
                           "compact-4/radial03", "compact-5/radial03", "compact-9/radial03", "box-222/radial2"}) {
    Study study(name);
    study.highest = rendered_omega(study.stencil, 0.01, study.map);
    std::vector<std::vector<Branch>> walls;
    for (const double admittance : {0.02, 0.1, 0.3, 0.5}) walls.push_back({{0.0, 1.0 / admittance, 0.0}});
    walls.push_back(study.resonance_at(9.6));
    walls.push_back(study.resonance_at(4.0));
    for (const auto& wall : walls) {
      std::vector<WallWave> waves;
      const std::vector<double> ratios = study.ratios(wall, waves);
      double low = 2.0, high = 0.0, low3 = 2.0, high3 = 0.0;
      for (std::size_t i = 0; i < waves.size(); ++i) {
        low = std::min(low, ratios[i]), high = std::max(high, ratios[i]);
        if (waves[i].points > 3.0) low3 = std::min(low3, ratios[i]), high3 = std::max(high3, ratios[i]);
      }
      CAPTURE(name, wall[0].D, wall[0].E, low, high, low3, high3, waves.size());
      CHECK(low > 0.89);
      CHECK(high < 1.11);
      CHECK(low3 > 0.91);
      CHECK(high3 < 1.085);
    }
  }
}
