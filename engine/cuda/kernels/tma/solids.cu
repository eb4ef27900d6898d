#include "engine/cuda/kernels/tma/solids.cuh"

#include <climits>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;

struct SolidColumns {
  const std::uint8_t* bits;
  std::int64_t row;  // bytes
  int nx, ny, nz, tile_x, tile_y, across;
};

// A block a column, a warp a plane at a time.
__global__ void __launch_bounds__(threads) find_solids(SolidColumns c, int2* air, std::uint8_t* touched) {
  __shared__ int first, end;
  if (threadIdx.x == 0) first = INT_MAX, end = 0;
  __syncthreads();
  const auto column = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32;
  const int x_begin = column % c.across * c.tile_x, x_end = min(x_begin + c.tile_x, c.nx);
  const int y_begin = column / c.across * c.tile_y, y_end = min(y_begin + c.tile_y, c.ny);
  const int first_byte = x_begin / 8, bytes = (x_end - 1) / 8 + 1 - first_byte;
  for (int z = static_cast<int>(threadIdx.x) / 32; z < c.nz; z += warps) {
    bool has_air = false, has_solid = false;
    for (int i = lane; i < bytes * (y_end - y_begin); i += 32) {
      const int byte = first_byte + i % bytes, y = y_begin + i / bytes;
      const unsigned below = byte * 8 < x_begin ? (1U << (x_begin - byte * 8)) - 1 : 0;
      const unsigned inside = (byte * 8 + 8 > x_end ? (1U << (x_end - byte * 8)) - 1 : 0xFFU) & ~below;
      const unsigned solid = c.bits[(y + static_cast<std::int64_t>(c.ny) * z) * c.row + byte];
      has_solid = has_solid || (solid & inside) != 0;
      has_air = has_air || (~solid & inside) != 0;
    }
    has_air = __any_sync(0xFFFFFFFFU, has_air);
    has_solid = __any_sync(0xFFFFFFFFU, has_solid);
    if (lane > 0) continue;
    touched[static_cast<std::int64_t>(column) * c.nz + z] = has_solid;
    if (has_air) atomicMin(&first, z), atomicMax(&end, z + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) air[column] = make_int2(first, end);
}

}  // namespace

SolidTiles solid_tiles(const SolidBits& solids, std::array<int, 2> tile, std::array<int, 2> box) {
  const auto [nx, ny, nz] = solids.size;
  const int across = divide_up(nx, tile[0]), columns = across * divide_up(ny, tile[1]);
  struct Memory {
    DeviceArray<int2> air;
    DeviceArray<std::uint8_t> touched;
  };
  const auto memory = std::make_shared<Memory>();
  memory->air = DeviceArray<int2>(static_cast<std::size_t>(columns));
  memory->touched = DeviceArray<std::uint8_t>(static_cast<std::size_t>(columns) * static_cast<std::size_t>(nz));
  find_solids<<<static_cast<unsigned>(columns), threads, 0, own_stream()>>>(
      {solids.bits.data(), solids.row, nx, ny, nz, tile[0], tile[1], across}, memory->air.data(),
      memory->touched.data());
  FDTD_CUDA(cudaGetLastError());
  wait_for_device();
  const tma::TensorArray array{solids.bits.data(), {solids.row, ny, nz}, solids.row, solids.row * ny, 1};
  return {{tma::tensor_map(array, {box[0], box[1], 1}), memory->air.data(), memory->touched.data(), nz}, memory};
}

}  // namespace fdtd::cuda
