// Down to how many points a wavelength walls absorb what they should, at all angles to 75 degrees: the figures of
// bench/results/walls.json, computed again.
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

using namespace fdtd;

namespace {

struct Study {
  GridStencil stencil;
  bool removal = false;
  double courant = 0.0, highest = 0.0;  // omega T of the bandwidth at a dispersion error of 2 %
  Grid grid;
  explicit Study(const std::string& name) {
    const Stencil& known = *find_stencil(name);
    courant = 0.999 * known.courant;
    stencil = on_grid(at_courant(known, courant), {courant, courant, courant});
    removal = known.time_dispersion_removal;
    highest = usable_omega(stencil, 0.02, removal);
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
    const auto laws = make_wall_laws({"wall"}, std::vector<MaterialFit>{fit}, grid, stencil, removal, max_frequency);
    const WallLaw& law = laws.at(1);
    REQUIRE(law.inward == 1);
    waves = wall_waves(stencil, 0, removal, highest);
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
