// Walls that no grid fits, of one stencil: by how much they absorb too much or too little, and shift modes, from waves
// between two oblique planes (tests/support/solutions/oblique_slab.hpp) on the program's own operator.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/stencil.hpp"
#include "tests/support/solutions/oblique_slab.hpp"

namespace fdtd::bench {

// At the Courant number at which the program runs it beside oblique walls.
inline GridStencil beside_oblique_walls(const Stencil& stencil) {
  const double courant = own_courant(stencil, true);
  return on_grid(at_courant(stencil, courant), {courant, courant, courant});
}

// Normals of whole numbers, from those along which voxels repeat at once to some that meet voxels in many ways.
struct Planes {
  std::array<int, 3> normal{};
  double offset = 0.0;  // of the first plane, in voxels times the normal's length
};
inline constexpr std::array<Planes, 13> oblique_planes = {{{{1, 2, 3}, 0.37},
                                                           {{2, 3, 5}, 0.2},
                                                           {{3, 4, 0}, 0.37},
                                                           {{1, 3, 0}, 0.37},
                                                           {{1, 1, 4}, 0.2},
                                                           {{2, 2, 1}, 0.37},
                                                           {{1, 1, 0}, 0.1},
                                                           {{1, 1, 0}, 0.35},
                                                           {{1, 1, 0}, 0.6},
                                                           {{1, 1, 0}, 0.85},
                                                           {{1, 1, 1}, 0.2},
                                                           {{1, 1, 1}, 0.5},
                                                           {{1, 1, 1}, 0.85}}};

// Nodes a wavelength.
inline constexpr std::array<double, 28> oblique_points = {
    2.25, 2.375, 2.5,  2.625, 2.75, 2.875, 3.0, 3.125, 3.25, 3.375, 3.5, 3.625, 3.75, 3.875,
    4.0,  4.125, 4.25, 4.375, 4.5,  4.75,  5.0, 5.5,   6.0,  7.0,   8.0, 12.0,  16.0, 24.0};
inline constexpr double oblique_thickness = 20.3;  // voxels

// The sides of the slab must be out of reach of its middle.
inline test::ObliqueSlab oblique_slab(const GridStencil& stencil, const Planes& planes) {
  return {stencil, planes.normal, oblique_thickness, planes.offset, std::max(15.0, stencil.radius + 8.0)};
}

// Of waves of one length, means over directions along the planes.
struct SlabErrors {
  double decay = 0.0;    // over the exact one, less 1: mean over half waves between the planes
  double grazing = 0.0;  // of waves without
  double all = 0.0;      // the mean of the decays of all of them, of which grazing ones decay half as fast
  double shift = 0.0;    // of frequencies, times the volume over that of a layer of a voxel on the walls: mean square
};

// Wave number over the exact one of the interior, of a wave of half waves between the planes: the mean of its two parts.
inline double interior_wave(const GridStencil& stencil, const std::array<double, 3>& along, double k_t,
                            const std::array<double, 3>& across, double k_n) {
  double sum = 0.0;
  for (const double sign : {1.0, -1.0}) {
    double symbol = 2.0 - stencil.centre;
    for (const Term& term : stencil.terms) {
      double images = image_count(term);
      for (std::size_t d = 0; d < 3; ++d)
        images *= std::cos((k_t * along[d] + sign * k_n * across[d]) * term.offset[d]);
      symbol -= term.weight * images;
    }
    sum += 0.5 * symbol;
  }
  return std::sqrt(sum) / (stencil.courant[0] * std::hypot(k_t, k_n));
}

inline SlabErrors slab_errors(const test::ObliqueSlab& slab, const GridStencil& stencil, double points) {
  constexpr int directions = 3;
  const double k = 2.0 * std::numbers::pi / points;
  const int highest = static_cast<int>(k * slab.thickness() / std::numbers::pi);
  SlabErrors errors;
  for (int m = 0; m <= highest; ++m) {
    const double k_n = std::numbers::pi * m / slab.thickness(), k_t = std::sqrt(k * k - k_n * k_n);
    for (int i = 0; i < directions; ++i) {
      const auto along = slab.along_planes(std::numbers::pi * (i + 0.37) / directions);
      const test::ObliqueSlab::Wave wave = slab.wave(m, k_t, along);
      (m == 0 ? errors.grazing : errors.decay) += (wave.decay - 1.0) / directions;
      if (m == 0) continue;
      const double beyond =
          std::exp2(wave.cents / 1200.0) / interior_wave(stencil, along, k_t, slab.normal(), k_n) - 1.0;
      errors.shift += std::pow(beyond * 0.5 * slab.thickness(), 2) / (directions * highest);
    }
  }
  errors.all = (errors.decay + 0.5 * errors.grazing) / (highest + 0.5);
  errors.decay /= highest;
  errors.shift = std::sqrt(errors.shift);
  return errors;
}

// Of all planes. Decays: of each the larger error, with or without grazing waves, which compensate others or add to them
// by the size of the room; the mean square of all planes, or where that is more, the largest over the root of 2: walls of
// a room that are not all as the worst may be half of them.
struct ObliqueErrors {
  double decay = 0.0, shift = 0.0;
  double rms = 0.0, most = 0.0;  // of decays
};

// One for each of `points`, nodes a wavelength.
inline std::vector<ObliqueErrors> oblique_errors(const Stencil& stencil, const std::vector<double>& points) {
  const GridStencil grid = beside_oblique_walls(stencil);
  std::vector<ObliqueErrors> found(points.size());
  constexpr double fraction = 1.0 / oblique_planes.size();
  for (const Planes& planes : oblique_planes) {
    const test::ObliqueSlab slab = oblique_slab(grid, planes);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SlabErrors one = slab_errors(slab, grid, points[i]);
      const double decay = std::max(std::abs(one.decay), std::abs(one.all));
      found[i].rms += fraction * decay * decay;
      found[i].most = std::max(found[i].most, decay);
      found[i].shift += fraction * one.shift * one.shift;
    }
  }
  for (ObliqueErrors& one : found) {
    one.rms = std::sqrt(one.rms);
    one.shift = std::sqrt(one.shift);
    one.decay = std::max(one.rms, one.most / std::numbers::sqrt2);
  }
  return found;
}

}  // namespace fdtd::bench
