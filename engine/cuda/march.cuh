// How marching kernels are launched: a block takes a tile of x and y and marches over tile.z planes (0: all of them). For
// .cu files alone.
#pragma once

#include "engine/cuda/launch.cuh"

namespace fdtd::cuda {

inline dim3 march_blocks(const Layout& layout, const Tile& tile, int planes) {
  return dim3(static_cast<unsigned>(divide_up(layout.size[0], tile.x)),
              static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
              static_cast<unsigned>(tile.z > 0 ? divide_up(planes, tile.z) : 1));
}

// Lengths of march to try: all of z, or equal parts of it that the 2 R planes of warming up do not outweigh.
inline std::vector<int> march_chunks(const Layout& layout) {
  std::vector<int> chunks;
  for (int parts : {4, 8, 2, 16, 1}) {
    const int chunk = divide_up(layout.size[2], parts);
    if (parts == 1 || chunk >= 8 * layout.radius) chunks.push_back(parts == 1 ? 0 : chunk);
  }
  return chunks;
}

// Are offsets within a plane, halo included, of 31 bits, and the launch's blocks as many as the driver takes?
inline bool fits_march(const Layout& layout, int least_tile_y) {
  return layout.plane + (layout.radius + 1) * layout.row < std::int64_t{1} << 31U &&
         layout.size[1] <= 65535 * least_tile_y;
}

// Bytes that a marching tile moves a point: its halo of whole vectors and its planes of warming up counted.
inline double march_bytes_a_point(const Job& job, const Tile& tile) {
  const int R = job.layout.radius, V = 16 / static_cast<int>(job.layout.value_bytes);
  const int aside = divide_up(R, V) * V;
  const double march = tile.z > 0 ? std::min(tile.z, job.layout.size[2]) : job.layout.size[2];
  const double plane = static_cast<double>(tile.x + 2 * aside) * (tile.y + 2 * R) / (tile.x * tile.y);
  return static_cast<double>(job.layout.value_bytes) * (plane * (march + 2 * R) / march + 2.0);
}

}  // namespace fdtd::cuda
