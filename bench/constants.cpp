// Figures that the constants of fits decide: bench/constants.py builds it with one constant changed after another.
//
//     bench_constants bench/results/walls.json
//
// Prints an object: of the walls of that document the largest |absorption over theory's - 1| up to the stencil's band
// edge and from 3 points a wavelength on, its mean over the walls, and the largest displacement in cells; mean and
// displacement of walls before sets with a radial map, at an edge for which plans take a finer grid; the fewest points a
// wavelength that sources and receivers of the pressure, and of the third order, send and read alike.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "bench/wall_study.hpp"
#include "engine/planning/choose/transducer_limit.hpp"
#include "engine/planning/judge/wall_phase.hpp"

namespace {

using namespace fdtd;

struct WallFigures {
  double to_the_edge = 0.0, from_3_points = 0.0, sum = 0.0, displacement = 0.0;
  int walls = 0;

  void add(const bench::Study& study, const std::vector<Branch>& branches) {
    std::vector<WallWave> waves;
    const std::vector<double> ratios = study.ratios(branches, waves);
    double largest = 0.0;
    for (std::size_t i = 0; i < waves.size(); ++i) {
      const double error = std::abs(ratios[i] - 1.0);
      largest = std::max(largest, error);
      if (waves[i].points >= 2.997) from_3_points = std::max(from_3_points, error);
    }
    to_the_edge = std::max(to_the_edge, largest);
    sum += largest;
    ++walls;
    for (const double one : wall_displacements(study.law_of(branches), branches, study.grid.time_step, waves))
      if (!std::isnan(one)) displacement = std::max(displacement, std::abs(one));
  }
};

WallFigures walls_of(const nlohmann::json& document) {
  WallFigures figures;
  for (const auto& entry : document.at("walls")) {
    const bench::Study study(entry.at("stencil").get<std::string>());
    figures.add(study, entry.contains("resonance_points")
                           ? study.resonance_at(entry["resonance_points"].get<double>())
                           : bench::Study::real_wall(std::stod(entry["wall"].get<std::string>().substr(4))));
  }
  return figures;
}

// Sets with a radial map, whose admittance on the grid must fall towards the band's edge.
WallFigures radial_walls() {
  WallFigures figures;
  for (const char* name : {"box-111/radial1", "box-222/radial1", "compact-4/radial1"}) {
    const bench::Study study(name);
    for (const double admittance : {0.02, 0.1, 0.3}) figures.add(study, bench::Study::real_wall(admittance));
    figures.add(study, study.resonance_at(6.0));
  }
  return figures;
}

double points(const std::vector<FieldOperator>& operations) {
  return 2.0 * std::numbers::pi / search_transducer_wave(operations);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_constants bench/results/walls.json\n");
    return 2;
  }
  try {
    std::ifstream file(argv[1]);
    const WallFigures walls = walls_of(nlohmann::json::parse(file));
    const WallFigures radial = radial_walls();
    fmt::print(
        "{{\"to_the_edge\": {:.4f}, \"from_3_points\": {:.4f}, \"mean\": {:.4f}, \"displacement_cells\": {:.3f}, "
        "\"radial_mean\": {:.4f}, \"radial_displacement_cells\": {:.3f}, "
        "\"pressure_points\": {:.3f}, \"third_order_points\": {:.3f}}}\n",
        walls.to_the_edge, walls.from_3_points, walls.sum / walls.walls, walls.displacement, radial.sum / radial.walls,
        radial.displacement, points({FieldOperator{}}), points({solid_harmonic(12)}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_constants: {}: {}\n", argv[1], error.what());
    return 2;
  }
}
