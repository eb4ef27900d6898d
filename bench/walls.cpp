// Absorption of plane walls on the grid over theory's, stencil by stencil: bench/results/walls.json.
//
//     bench_walls bench/results/walls.json > walls.json && mv walls.json bench/results/walls.json
//
// Prints the document that it reads with the figures of this program in place of each wall's "now", and its own version
// and day; the list of stencils and walls, and the figures "before", stay. tests/physics/test_wall_limits.cpp holds the
// stored figures against those of the tree. Nothing is timed: any machine gives the same figures, but for rounding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/wall_study.hpp"
#include "engine/planning/judge/wall_phase.hpp"
#include "engine/system/version.hpp"

namespace {

using namespace fdtd;
using Json = nlohmann::ordered_json;

double rounded(double value) { return std::round(1000.0 * value) / 1000.0 + 0.0; }  // no -0

// [smallest, largest] ratio of waves with at least so many points a wavelength.
Json range(const std::vector<WallWave>& waves, const std::vector<double>& ratios, double points) {
  constexpr double rounding = 1e-3;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < waves.size(); ++i)
    if (waves[i].points >= points * (1.0 - rounding)) low = std::min(low, ratios[i]), high = std::max(high, ratios[i]);
  return {rounded(low), rounded(high)};
}

// [furthest in, furthest out] that the reflection's phase puts the wall, in cells.
Json displacements(const bench::Study& study, const std::vector<Branch>& branches, const std::vector<WallWave>& waves) {
  double low = 0.0, high = 0.0;
  for (const double one : wall_displacements(study.law_of(branches), branches, study.grid.time_step, waves))
    if (!std::isnan(one)) low = std::min(low, one), high = std::max(high, one);
  return {rounded(low), rounded(high)};
}

Json figures(const bench::Study& study, const std::vector<Branch>& branches) {
  std::vector<WallWave> waves;
  const std::vector<double> ratios = study.ratios(branches, waves);
  const double valid = valid_frequency(waves, ratios, 0.1);
  const WallLaw law = study.law_of(branches);
  Json now;
  now["valid_points"] = valid > 0.0 ? Json(rounded(study.points_of(valid))) : Json(nullptr);
  now["from_4_points"] = range(waves, ratios, 4.0);
  now["from_3_points"] = range(waves, ratios, 3.0);
  now["to_the_edge"] = range(waves, ratios, 0.0);
  now["displacement_cells"] = displacements(study, branches, waves);
  now["branches"] = law.branches.size();
  now["taps"] = law.taps.size();
  return now;
}

Json updated(Json document) {
  const std::time_t now = std::time(nullptr);
  std::string day(16, '\0');
  day.resize(std::strftime(day.data(), day.size(), "%Y-%m-%d", std::gmtime(&now)));
  document["command"] = "bench_walls bench/results/walls.json";
  document["program"] = version_line();
  document["date"] = day;
  for (Json& entry : document.at("walls")) {
    const bench::Study study(entry.at("stencil").get<std::string>());
    entry["edge_points"] = rounded(study.points_of(study.highest));
    entry["now"] = figures(study, entry.contains("resonance_points")
                                      ? study.resonance_at(entry["resonance_points"].get<double>())
                                      : bench::Study::real_wall(std::stod(entry["wall"].get<std::string>().substr(4))));
  }
  // Last, so that the document begins with what it is.
  Json walls = std::move(document["walls"]);
  document.erase("walls");
  document["walls"] = std::move(walls);
  return document;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_walls bench/results/walls.json\n");
    return 2;
  }
  try {
    std::ifstream file(argv[1]);
    fmt::print("{}\n", updated(Json::parse(file)).dump(1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_walls: {}: {}\n", argv[1], error.what());
    return 2;
  }
}
