// The frame of KernelA and KernelB: one thread a node, every point read from memory or cache. For .cu files alone.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/step_fields.hpp"

namespace fdtd::cuda {

constexpr int max_blocks_yz = 65535;  // of a launch along y, and along z

// The node of a thread.
struct PointNode {
  int x, y, z;
  __device__ __forceinline__ explicit PointNode(int z_begin)
      : x(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)),
        y(static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y)),
        z(z_begin + static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z)) {}
  __device__ __forceinline__ bool inside(int nx, int ny, int z_end) const { return x < nx && y < ny && z < z_end; }
};

// The tiles that the launch of this grid can hold, the tile of DAFx-15 first.
inline std::vector<Tile> point_tiles(const Job& job, const Device&) {
  std::vector<Tile> tiles = {{32, 4, 2}, {32, 8, 1}, {32, 2, 4}, {64, 4, 1}, {64, 2, 2}, {128, 2, 1}, {32, 4, 1}};
  std::erase_if(tiles, [&](const Tile& tile) {
    return divide_up(job.layout.size[1], tile.y) > max_blocks_yz ||
           divide_up(job.layout.size[2], tile.z) > max_blocks_yz;
  });
  return tiles;
}

// Every point is read once by every node.
inline double point_bytes(const Job& job, const Tile&) {
  return static_cast<double>(job.layout.value_bytes) * (2 + job.stencil.point_count());
}

// A kernel bound: launch(blocks, threads, stream, u1, u0, z_begin, z_end) is one step.
template <class T, class Launch>
Prepared prepare_points(const Job& job, const Tile& tile, const Resources& resources, std::array<void*, 2> fields,
                        const Launch& launch) {
  const dim3 threads(static_cast<unsigned>(tile.x), static_cast<unsigned>(tile.y), static_cast<unsigned>(tile.z));
  Prepared prepared;
  prepared.resources = resources;
  prepared.step = [=, layout = job.layout](int which, int z_begin, int z_end, Stream stream) {
    const StepFields<T> at(layout, fields, which);
    const dim3 blocks(static_cast<unsigned>(divide_up(layout.size[0], tile.x)),
                      static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
                      static_cast<unsigned>(divide_up(z_end - z_begin, tile.z)));
    launch(blocks, threads, stream, at.u1, at.u0, z_begin, z_end);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

}  // namespace fdtd::cuda
