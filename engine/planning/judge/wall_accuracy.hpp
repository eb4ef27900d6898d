// How far the absorption of walls on the grid is that of their materials, and how far its phase displaces them.
#pragma once

#include <string>
#include <vector>

#include "engine/materials/material_fit.hpp"
#include "engine/planning/choose/grid_choice.hpp"

namespace fdtd {

// Of the laws that plane walls of a material have; by the reflection of the scheme at waves of up to max_frequency and
// 75 degrees (walls/wall_waves.hpp).
struct WallAccuracy {
  std::string material;
  double valid_bandwidth = 0.0;  // Hz, at most max_frequency: up to here absorption is within wall_error
  std::vector<double> on_grid;   // random-incidence absorption on the grid, by band of the fit; NaN above max_frequency
  // m, outward: where the reflection's phase puts the wall, the furthest from its place at any angle and any frequency
  // up to valid_bandwidth (wall_phase.hpp).
  double displacement = 0.0;
};

// For every material of `fits` that is not rigid and has walls on the grid, by name; the laws' numbers mean `fits`.
// `wall_error`: the largest relative error of the absorption coefficient at any angle.
std::vector<WallAccuracy> judge_walls(const std::vector<MaterialFit>& fits, const std::vector<WallLaw>& laws,
                                      const GridChoice& choice, double wall_error);

// The least valid_bandwidth; max_frequency if there are no walls with losses.
double wall_bandwidth(const std::vector<WallAccuracy>& walls, const GridChoice& choice);

}  // namespace fdtd
