// The frame of the two shared-plane kernels of Micikevicius 2009: blocks of 32 x H threads, each with a plane of its
// tile and the halo in shared memory. For .cu files alone.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "engine/cuda/field/star_weights.cuh"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/step_fields.hpp"

namespace fdtd::cuda {

constexpr int shared_columns = 32;  // of a tile

// Of a tile's plane with R halo nodes on every side, row by row.
inline std::size_t shared_plane_bytes(int R, int rows, std::size_t value_bytes) {
  return static_cast<std::size_t>((shared_columns + 2 * R) * (rows + 2 * R)) * value_bytes;
}

inline std::size_t shared_tile_bytes(const Job& job, const Tile& tile) {
  return shared_plane_bytes(job.stencil.radius, tile.y, job.layout.value_bytes);
}

inline std::vector<Tile> shared_tiles(const Job& job, const Device& device) {
  std::vector<Tile> tiles;
  for (const int z : {128, 64, 256, 0})
    for (const int rows : {16, 8, 4}) tiles.push_back({shared_columns, rows, z});
  std::erase_if(tiles, [&](const Tile& tile) { return shared_tile_bytes(job, tile) > device.shared_per_block; });
  return tiles;
}

// A launch has at most 65535 blocks along y, each of 4 rows at least.
inline bool supports_shared(const Job& job, const Device& device) {
  return star_weights(job.stencil).has_value() && job.layout.size[1] <= 65535 * 4 && !shared_tiles(job, device).empty();
}

// How often the two parts of the scheme read u1 a point, on tiles of n x m nodes: those that couple x and y, with the
// halo of every plane (the paper's access redundancy, (n m + k (n + m)) / (n m) of a stencil of order k = 2 R), and
// those that couple z, with the halo of a march over Z planes.
struct SharedReads {
  double planes, columns;
};
inline SharedReads shared_reads(const Job& job, const Tile& tile) {
  const double R = star_weights(job.stencil).value().radius, n = tile.x, m = tile.y;
  const double depth = tile.z > 0 ? std::min(tile.z, job.layout.size[2]) : job.layout.size[2];
  return {1 + 2 * R * (n + m) / (n * m), (depth + 2 * R) / depth};
}

// A kernel bound: launch(blocks, threads, stream, at, z_begin, z_end, chunk) is one step; blocks.z counts chunks of
// planes.
template <class T, class Launch>
Prepared prepare_shared(const Job& job, const Tile& tile, const Resources& resources, std::array<void*, 2> fields,
                        const Launch& launch) {
  Prepared prepared;
  prepared.resources = resources;
  prepared.step = [=, layout = job.layout](int which, int z_begin, int z_end, Stream stream) {
    const int chunk = tile.z > 0 ? tile.z : z_end - z_begin;
    const dim3 blocks(static_cast<unsigned>(divide_up(layout.size[0], shared_columns)),
                      static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
                      static_cast<unsigned>(divide_up(z_end - z_begin, chunk)));
    launch(blocks, dim3(shared_columns, static_cast<unsigned>(tile.y)), stream, StepFields<T>(layout, fields, which),
           z_begin, z_end, chunk);
  };
  return prepared;
}

// Calls prepare_for(value type, radius) of the job.
template <class Function>
Prepared with_type_and_radius(const Job& job, const Function& prepare_for) {
  return with_value_type(job.precision, [&](auto value) {
    return with_radius(star_weights(job.stencil).value().radius,
                       [&](auto radius) { return prepare_for(value, radius); });
  });
}

}  // namespace fdtd::cuda
