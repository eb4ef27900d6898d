// How marching kernels are launched: a block takes a tile of x and y and marches over tile.z planes (0: all of them).
// For .cu files alone.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/march/ring.cuh"
#include "engine/cuda/kernels/step_fields.hpp"
#include "engine/cuda/kernels/tile_footprint.hpp"

namespace fdtd::cuda {

inline dim3 march_blocks(const Layout& layout, const Tile& tile, int planes) {
  return dim3(static_cast<unsigned>(divide_up(layout.size[0], tile.x)),
              static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
              static_cast<unsigned>(tile.z > 0 ? divide_up(planes, tile.z) : 1));
}

// Lengths of march to try: all of z, or equal parts of it that the 2 R planes of warming up do not outweigh; where the
// grid lies in L2, shorter ones too, for there a block takes as long as its planes and few blocks leave multiprocessors
// idle.
inline std::vector<int> march_chunks(const Layout& layout, const Device& device) {
  const bool in_l2 = lies_in_l2(layout, device);
  std::vector<int> chunks;
  for (const int parts : {4, 8, 2, 16, 1, 32, 64}) {
    const int chunk = parts == 1 ? 0 : divide_up(layout.size[2], parts);
    if (!in_l2 && (parts > 16 || (parts > 1 && chunk < 8 * layout.radius))) continue;
    if (std::find(chunks.begin(), chunks.end(), chunk) == chunks.end()) chunks.push_back(chunk);
  }
  return chunks;
}

// Are offsets within a plane, halo included, of 31 bits, and the launch's blocks as many as the driver takes?
inline bool fits_march(const Layout& layout, int min_tile_y) {
  return layout.plane + (layout.radius + 1) * layout.row < std::int64_t{1} << 31U &&
         layout.size[1] <= 65535 * min_tile_y;
}

// Bytes that a marching tile moves a point: its halo of whole vectors and its planes of warming up counted.
inline double march_bytes_a_point(const Job& job, const Tile& tile) {
  const int R = job.layout.radius, V = 16 / static_cast<int>(job.layout.value_bytes);
  const int aside = divide_up(R, V) * V;
  const double march = tile.z > 0 ? std::min(tile.z, job.layout.size[2]) : job.layout.size[2];
  const double plane = static_cast<double>(tile.x + 2 * aside) * (tile.y + 2 * R) / (tile.x * tile.y);
  return static_cast<double>(job.layout.value_bytes) * (plane * (march + 2 * R) / march + 2.0);
}

// A kernel of ring_march, bound: tile.depth slots of `slot_bytes` bytes of shared memory.
template <class T, class Function, class Weights>
Prepared prepare_march(const Job& job, const Tile& tile, Function* kernel, int threads, int slot_bytes,
                       const Weights& weights, std::array<void*, 2> fields) {
  const std::size_t shared = static_cast<std::size_t>(slot_bytes) * static_cast<std::size_t>(tile.depth);
  Prepared prepared;
  prepared.resources = resources_of(kernel, threads, shared);
  const Layout layout = job.layout;
  prepared.step = [=](int which, int z_begin, int z_end, Stream stream) {
    const StepFields<T> at(layout, fields, which);
    const RingGrid grid{layout.size[0],
                        layout.size[1],
                        z_begin,
                        z_end,
                        static_cast<int>(layout.row),
                        layout.plane,
                        tile.z > 0 ? tile.z : z_end - z_begin,
                        tile.depth};
    const dim3 blocks = march_blocks(layout, tile, z_end - z_begin);
    kernel<<<blocks, static_cast<unsigned>(threads), shared, stream>>>(at.u1, at.u0, grid, weights);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

constexpr int min_march_depth = 2;

// Does shared memory hold a ring of some block?
template <class Variant>
bool fits_shared(const std::vector<Variant>& variants, const Device& device) {
  return std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
    return static_cast<std::size_t>(variant.slot_bytes * min_march_depth) <= device.shared_per_block;
  });
}

// Tiles of compiled blocks (slot_bytes, block, prepare), every one with the depths and chunks that are worth a try.
template <class Variant>
std::vector<Tile> march_tiles(const std::vector<Variant>& variants, const Job& job, const Device& device) {
  std::vector<Tile> all;
  for (const int chunk : march_chunks(job.layout, device))
    for (const int depth : {3, min_march_depth, 4})
      for (const Variant& variant : variants) {
        if (static_cast<std::size_t>(variant.slot_bytes * depth) > device.shared_per_block) continue;
        Tile tile = variant.block;
        tile.z = chunk;
        tile.depth = depth;
        all.push_back(tile);
      }
  return all;
}

// The compiled block of a tile. Throws Error (status scene) where there is none.
template <class Variant>
const Variant& march_variant(const char* kernel, const std::vector<Variant>& variants, const Tile& tile) {
  for (const Variant& variant : variants) {
    const Tile& block = variant.block;
    if (block.x == tile.x && block.y == tile.y && block.threads == tile.threads) return variant;
  }
  throw Error(Status::scene, std::string(kernel) + " has no such tile");
}

template <class Variant>
std::size_t march_shared_bytes(const char* kernel, const std::vector<Variant>& variants, const Tile& tile) {
  return static_cast<std::size_t>(march_variant(kernel, variants, tile).slot_bytes * tile.depth);
}

}  // namespace fdtd::cuda
