// Finds the nodes near walls, and which of them see the same surroundings.
//
// A row of the wall operator depends on the air bits around its node and on nothing else, so it is made once for each
// different neighbourhood. The mask is read by words of 64 voxels: a wall's plane costs a few operations a word.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/voxels.hpp"

namespace fdtd {

// The air bits of the box node +- reach. reach[0] <= 31.
class Neighbourhood {
 public:
  explicit Neighbourhood(std::array<int, 3> reach);
  void gather(const AirMask& air, int x, int y, int z);
  // Is the voxel at this offset from the node air? Offsets within reach.
  bool operator()(int dx, int dy, int dz) const {
    return (rows_[static_cast<std::size_t>((dz + reach_[2]) * (2 * reach_[1] + 1) + dy + reach_[1])] >> (dx + reach_[0]) & 1U) != 0U;
  }
  const std::array<int, 3>& reach() const { return reach_; }
  std::uint64_t hash() const;
  bool operator==(const Neighbourhood&) const = default;

 private:
  std::array<int, 3> reach_;
  std::vector<std::uint64_t> rows_;
};

// Nodes in a row along x that see the same neighbourhood.
struct Stretch {
  std::uint64_t node = 0;
  std::uint32_t length = 0;
  std::uint32_t kind = 0;  // of neighbourhood
};

struct WallScan {
  std::vector<Stretch> stretches;     // ordered by node; never longer than a row
  std::vector<std::uint64_t> example; // a node of each kind, the first
};

// Every air node that has a voxel of wall within reach. Kinds are numbered in order of their first node.
WallScan scan_walls(const AirMask& air, std::array<int, 3> reach);

}  // namespace fdtd
