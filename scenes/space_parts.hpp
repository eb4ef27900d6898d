// The parts that a mesh divides a grid's space into: voxels that can be reached from each other along links that no
// facet crosses. Found without visiting voxels: rows along x fall into runs, and runs that touch are joined
// (union-find; R. E. Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22, 1975).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/crossings.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// Which links are open, one mask an axis, n + 1 links along it: open[d](x, y, z) leads to voxel (x, y, z) from the one
// before it along d. Bits, as AirMask has them.
using OpenLinks = std::array<AirMask, 3>;
OpenLinks open_links(const std::array<int, 3>& size, const std::array<AxisCrossings, 3>& crossings);

class SpaceParts {
 public:
  static constexpr std::int64_t outside = -1;  // the part that open links lead to from beyond the grid
  static constexpr std::int64_t none = -2;     // no space there

  SpaceParts(const AirMask& space, const OpenLinks& open);

  // The part that a voxel belongs to: a number, the same for all its voxels, or `outside`; `none` where space is not
  // set.
  std::int64_t part(int x, int y, int z) const;
  std::int64_t voxels(std::int64_t part) const;
  // The voxels of the parts for which `wanted` says so.
  template <class Wanted>
  AirMask mask(const Wanted& wanted) const {
    AirMask air = AirMask::walls(size_);
    for_each_run([&](int begin, int end, int y, int z, std::int64_t part) {
      if (wanted(part)) air.set_run(begin, end, y, z);
    });
    return air;
  }

 private:
  struct Run {
    int begin, end;
    std::uint64_t root;  // another run of the part, and at last the part itself: its first run, or 0, outside
  };
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    for (std::size_t row = 0; row + 1 < row_begin_.size(); ++row) {
      const int y = static_cast<int>(row % static_cast<std::size_t>(size_[1]));
      const int z = static_cast<int>(row / static_cast<std::size_t>(size_[1]));
      for (std::uint64_t r = row_begin_[row]; r < row_begin_[row + 1]; ++r)
        visit(runs_[r].begin, runs_[r].end, y, z, number(r));
    }
  }
  std::int64_t number(std::uint64_t run) const {
    return runs_[run].root == 0 ? outside : static_cast<std::int64_t>(runs_[run].root);
  }
  std::uint64_t find(std::uint64_t run);
  void join(std::uint64_t a, std::uint64_t b);
  void join_rows(const AirMask& open, std::array<int, 3> link, std::size_t row, std::size_t before);
  void join_edge(const AirMask& open, std::array<int, 3> link, std::size_t row);

  std::array<int, 3> size_;
  std::vector<Run> runs_;                 // runs_[0] is the outside
  std::vector<std::uint64_t> row_begin_;  // of row y + ny z
};

}  // namespace fdtd
