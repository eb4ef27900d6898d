// A rectangle of nodes in the array, row after row: where its node i lies is found by arithmetic, no table is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/cuda/gpu/host_device.hpp"

namespace fdtd::cuda {

// Node i is in row i / width, and that is ((i multiplier) >> 32) >> shift for every i below 2^31: multiplier is
// 2^(32 + shift)/width rounded up, 2^shift < width <= 2^(shift + 1).
struct Rectangle {
  std::uint32_t width = 0;  // nodes of a row
  std::uint32_t step = 0;   // in the array, from node to node of a row
  std::uint32_t over =
      0;  // to the next row, from where the last one ends: (width step) less than from row to row, mod 2^32
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;

  // In the array, from node 0.
  FDTD_HOST_DEVICE std::uint32_t offset(std::uint32_t i) const {
    const auto row = static_cast<std::uint32_t>(std::uint64_t{i} * multiplier >> 32U) >> shift;
    return i * step + row * over;
  }
};

// Nodes at these offsets from the first, 0. None where they form no rectangle; its last row need not be full.
std::optional<Rectangle> rectangle_of(std::span<const std::uint32_t> offsets);

}  // namespace fdtd::cuda
