// The solid voxels of a room, a bit a node, for kernels that keep them at zero themselves (Job::solids).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cuda/gpu/device_array.hpp"
#include "engine/plan/voxels.hpp"

namespace fdtd::cuda {

// Bytes of a row: the tensor copy engine takes 16 at a time.
constexpr std::int64_t solid_row_bytes(int nx) { return (std::int64_t{nx} + 127) / 128 * 16; }

// Bit x % 8 of byte x / 8 of row y + ny z is set where the voxel is solid; beyond nx none is.
std::vector<std::uint8_t> pack_solids(const AirMask& air);

struct SolidBits {
  SolidBits(std::array<int, 3> size_, const std::vector<std::uint8_t>& packed)
      : size(size_), row(solid_row_bytes(size_[0])), bits(packed) {}
  std::array<int, 3> size;
  std::int64_t row;  // bytes
  DeviceArray<std::uint8_t> bits;
};

}  // namespace fdtd::cuda
