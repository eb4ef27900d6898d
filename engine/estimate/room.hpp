// A room for the acoustic diffusion equation: cells of air, walls with their areas and materials, parts with their mean
// free paths.
//
// A part is a space that narrow openings connect with others: where a room's clearance (the distance to the nearest
// wall) falls, between two of its maxima, below a share of the smaller one. Each part has its own mean free path 4 V/S,
// S with its openings, and so its own diffusion (A. Billon, V. Valeau, A. Sakout, J. Picaut, On the use of a diffusion
// model for acoustically coupled rooms, J. Acoust. Soc. Am. 120, 2006).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/voxels.hpp"

namespace fdtd {

struct DiffusionRoom {
  struct Part {
    double volume = 0.0;          // m3
    double area = 0.0;            // m2, of its walls
    double openings = 0.0;        // m2, to other parts
    double mean_free_path = 0.0;  // m
  };
  struct Wall {
    std::int32_t cell = 0;  // x + nx (y + ny z)
    std::uint8_t side = 0;  // as BoundaryFace::side
    std::uint16_t material = 0;
    double area = 0.0;  // m2
  };
  std::array<int, 3> cells{};
  std::array<double, 3> spacing{}, origin{};  // m; grid coordinates 0 lie at `origin` of the scene
  std::vector<float> air;                     // by cell: share of air, 0: wall
  std::vector<std::int16_t> part;             // by cell; -1: wall
  std::vector<Wall> walls;
  std::vector<std::string> materials;
  std::vector<Part> parts;
  double volume = 0.0, area = 0.0;                        // m3, m2
  bool open = false;                                      // no cell is wall
  std::vector<std::array<double, 3>> sources, receivers;  // m, in grid coordinates
  std::vector<double> areas;                              // m2, by material

  std::size_t cell_of(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(cells[0]) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(cells[1]) * static_cast<std::size_t>(z));
  }
  bool is_air(int x, int y, int z) const {
    return x >= 0 && y >= 0 && z >= 0 && x < cells[0] && y < cells[1] && z < cells[2] && air[cell_of(x, y, z)] > 0.0F;
  }
  std::array<int, 3> place_of(std::size_t cell) const {
    const auto nx = static_cast<std::size_t>(cells[0]), ny = static_cast<std::size_t>(cells[1]);
    return {static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny), static_cast<int>(cell / nx / ny)};
  }
  std::array<int, 3> cell_at(const std::array<double, 3>& place) const;  // clamped to the grid
};

// From voxels whose air is connected to the sources. `volume`: of the air, m3; areas and volumes of the voxels are scaled
// to it. Air voxels that touch others through an edge or a corner alone become wall, because trilinear elements would
// join them there; voxels of sources and receivers stay.
DiffusionRoom make_diffusion_room(const Voxels& voxels, double volume, std::vector<std::array<double, 3>> sources,
                                  std::vector<std::array<double, 3>> receivers);

// Is the straight line between two places in air? In grid coordinates, m.
bool in_sight(const DiffusionRoom& room, const std::array<double, 3>& from, const std::array<double, 3>& to);

double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b);

// Sound goes straight where a source sees at least this share of its part, or at least so many of its mean free paths far:
// among columns and screens level falls as that of diffuse sound, but along a corridor or a flat room with furniture as
// between smooth walls.
inline constexpr double seen_part = 0.9;
inline constexpr double long_sight = 5.0;

struct StraightPaths {
  double in_sight = 0.0;      // share of the source's part, by volume
  double farthest = 0.0;      // m, in sight
  std::vector<float> length;  // by cell: from the source, m; 0 out of its sight and part; empty where it sees less
};
StraightPaths straight_paths(const DiffusionRoom& room, const std::array<double, 3>& source);

}  // namespace fdtd
