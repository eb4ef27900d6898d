// Finds the nodes near walls, and which of them have equal surroundings.
//
// A row of the wall operator depends only on the air bits around its node, so each different neighbourhood needs one
// row. The mask is read in words of 64 voxels: a planar wall costs a few operations per word.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"

namespace fdtd {

// The voxels from `low` to `high` relative to a place, both included. At most 63 along x.
struct Window {
  std::array<int, 3> low{}, high{};
  int width(std::size_t axis) const { return high[axis] - low[axis] + 1; }
  bool operator==(const Window&) const = default;
};

// The air bits in the window of one place.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Window& window);
  void gather(const AirMask& air, const std::array<int, 3>& place);
  // Whether the voxel at this offset from the place, within the window, is air.
  bool operator()(int dx, int dy, int dz) const {
    const int row = (dz - window_.low[2]) * window_.width(1) + dy - window_.low[1];
    return (rows_[static_cast<std::size_t>(row)] >> (dx - window_.low[0]) & 1U) != 0U;
  }
  const Window& window() const { return window_; }
  std::uint64_t hash() const;
  bool operator==(const Neighbourhood&) const = default;

 private:
  Window window_;
  std::vector<std::uint64_t> rows_;
};

// The places to scan: first + (0..size-1) along each axis, numbered x + size_x (y + size_y z) from `first`.
struct Places {
  std::array<int, 3> first{}, size{};
  std::array<int, 3> at(std::uint64_t number) const;
  std::uint64_t number(const std::array<int, 3>& place) const;
};

// Places in a row along x with the same neighbourhood.
struct Stretch {
  std::uint64_t first = 0;  // number of the first place
  std::uint32_t length = 0;
  std::uint32_t kind = 0;  // of neighbourhood
};

struct WallScan {
  Places places;
  std::vector<Stretch> stretches;      // ordered by place; within a row
  std::vector<std::uint64_t> example;  // by kind: its first place
};

// Every air node with wall in its window.
WallScan scan_nodes(const AirMask& air, const Window& window);

// Every place, in the grid or outside, with both air and wall in its window.
WallScan scan_places(const AirMask& air, const Places& places, const Window& window);

}  // namespace fdtd
