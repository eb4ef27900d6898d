// Down to how many points a wavelength walls absorb what they should, at all angles to 75 degrees: the figures of
// bench/results/walls.json, computed again.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "engine/walls/grid_fit.hpp"
#include "engine/walls/wall_law.hpp"
#include "engine/walls/wall_waves.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;

namespace {

struct Study {
  GridStencil stencil;
  FrequencyMap map;
  double courant = 0.0, highest = 0.0;  // omega T of the bandwidth at a dispersion error of 2 %
  Grid grid;
  explicit Study(const std::string& name) {
    const Stencil& known = *find_stencil(name);
    courant = 0.999 * known.courant;
    stencil = on_grid(at_courant(known, courant), {courant, courant, courant});
    map = frequency_map(at_courant(known, courant));
    highest = usable_omega(stencil, 0.02, map);
    grid.size = {40, 40, 40};
    grid.spacing = {0.1, 0.1, 0.1};
    grid.sound_speed = 343.0;
    grid.time_step = courant * 0.1 / 343.0;
  }
  double omega_of(double points) const { return courant * 2.0 * std::numbers::pi / points; }
  double points_of(double omega) const { return courant * 2.0 * std::numbers::pi / omega; }

  // A real admittance; or D = 1 ms, E = 2, F = 2e4 1/s on a grid where its resonance has so many points.
  std::vector<Branch> wall_of(const nlohmann::json& entry) const {
    if (!entry.contains("resonance_points"))
      return {{0.0, 1.0 / std::stod(entry["wall"].get<std::string>().substr(4)), 0.0}};
    const double scale = omega_of(entry["resonance_points"].get<double>()) / grid.time_step / std::sqrt(2e4 / 1e-3);
    return {{1e-3 / scale, 2.0, 2e4 * scale}};
  }

  // Absorption over theory's at every wave.
  std::vector<double> ratios(const std::vector<Branch>& branches, std::vector<WallWave>& waves) const {
    MaterialFit fit;
    fit.name = "wall";
    fit.branches = branches;
    const double max_frequency = highest / grid.time_step / (2.0 * std::numbers::pi);
    const auto laws = make_wall_laws({"wall"}, std::vector<MaterialFit>{fit}, grid, stencil, map, max_frequency);
    const WallLaw& law = laws.at(1);
    REQUIRE(law.inward == 1);
    waves = wall_waves(stencil, 0, map, highest);
    load_waves(waves, stencil, 0, law.taps);
    return absorption_ratios(law, branches, grid.time_step, waves);
  }
};

nlohmann::json results() {
  std::ifstream file(std::filesystem::path(FDTD_SOURCE_DIR) / "bench/results/walls.json");
  return nlohmann::json::parse(file).at("walls");
}

}  // namespace

TEST_CASE("walls of seven stencils absorb as well as the stored results say", "[physics]") {
  const nlohmann::json entries = results();
  REQUIRE(entries.size() == 39);
  for (const auto& entry : entries) {
    const Study study(entry["stencil"].get<std::string>());
    std::vector<WallWave> waves;
    const std::vector<double> ratios = study.ratios(study.wall_of(entry), waves);
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
    const std::vector<double> ratios = study.ratios(study.wall_of(entry), waves);
    CAPTURE(entry["stencil"].get<std::string>(), entry["wall"].get<std::string>());
    for (std::size_t i = 0; i < waves.size(); ++i) {
      CHECK(std::abs(ratios[i] - 1.0) < 0.11);
      if (waves[i].points > 3.0) CHECK(std::abs(ratios[i] - 1.0) < 0.085);
      if (waves[i].points > 3.0 && !entry.contains("resonance_points")) CHECK(std::abs(ratios[i] - 1.0) < 0.05);
    }
  }
}

TEST_CASE("walls before stencils with a radial map absorb what they should up to the edge of the band", "[physics]") {
  for (const char* name :
       {"compact-3/radial1", "compact-4/radial1", "compact-4/radial03", "compact-5/radial03", "compact-9/radial03"}) {
    Study study(name);
    study.highest = rendered_omega(study.stencil, 0.01, study.map);
    std::vector<std::vector<Branch>> walls;
    for (const double admittance : {0.02, 0.1, 0.3, 0.5}) walls.push_back({{0.0, 1.0 / admittance, 0.0}});
    walls.push_back(study.wall_of({{"resonance_points", 9.6}}));
    walls.push_back(study.wall_of({{"resonance_points", 4.0}}));
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
