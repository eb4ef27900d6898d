// A room for the acoustic diffusion equation: cells of air, walls with their areas and materials, parts with their mean
// free paths.
//
// A part is a space that narrow openings connect with others: where a room's clearance (the distance to the nearest
// wall) falls, between two of its maxima, below a fraction of the smaller one. Each part has its own mean free path 4
// V/S, S with its openings, and so its own diffusion (A. Billon, V. Valeau, A. Sakout, J. Picaut, On the use of a
// diffusion model for acoustically coupled rooms, J. Acoust. Soc. Am. 120, 2006).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
  std::vector<float> air;                     // by cell: fraction of air, 0: wall
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

}  // namespace fdtd
