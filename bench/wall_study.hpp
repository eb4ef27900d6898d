// A plane wall before one stencil, up to the stencil's bandwidth at a dispersion error of 2 %: what it absorbs on the grid
// over theory's, from the exact reflection of the scheme (engine/walls/half_space.hpp).
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/wall_law.hpp"
#include "engine/walls/wall_waves.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd::bench {

struct Study {
  GridStencil stencil;
  FrequencyMap map;
  double courant = 0.0, highest = 0.0;  // highest: omega T of the bandwidth
  Grid grid;

  // `name`: of the catalogue.
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

  static std::vector<Branch> real_wall(double admittance) { return {{0.0, 1.0 / admittance, 0.0}}; }

  // D = 1 ms, E = 2, F = 2e4 1/s on a grid where its resonance has so many points a wavelength.
  std::vector<Branch> resonance_at(double points) const {
    const double scale = omega_of(points) / grid.time_step / std::sqrt(2e4 / 1e-3);
    return {{1e-3 / scale, 2.0, 2e4 * scale}};
  }

  WallLaw law_of(const std::vector<Branch>& branches) const {
    MaterialFit fit;
    fit.name = "wall";
    fit.branches = branches;
    const double max_frequency = highest / grid.time_step / (2.0 * std::numbers::pi);
    // The plain law comes first, then the one that reads the most nodes.
    return make_wall_laws(std::vector<MaterialFit>{fit}, grid, stencil, map, max_frequency).at(1);
  }

  // Absorption over theory's at every wave; fills `waves`.
  std::vector<double> ratios(const std::vector<Branch>& branches, std::vector<WallWave>& waves) const {
    const WallLaw law = law_of(branches);
    waves = wall_waves(stencil, 0, map, highest);
    load_waves(waves, stencil, 0, law.taps);
    return absorption_ratios(law, branches, grid.time_step, waves);
  }
};

}  // namespace fdtd::bench
