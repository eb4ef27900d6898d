// The connected parts of the space of a grid that a mesh divides: voxels joined by links that no facet crosses. The
// search does not visit every voxel: rows along x are split into runs, and adjacent runs are joined (union-find; R.
// E. Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22, 1975).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/crossings.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// The open links, one mask for each axis with n + 1 links along it: open[d](x, y, z) joins voxel (x, y, z) and the one
// before it along d.
using OpenLinks = std::array<AirMask, 3>;
OpenLinks open_links(const std::array<int, 3>& size, const std::array<AxisCrossings, 3>& crossings);

class SpaceParts {
 public:
  static constexpr std::int64_t outside = -1;  // the part that is connected to the outside of the grid
  static constexpr std::int64_t none = -2;     // the voxel is not part of the space

  SpaceParts(const AirMask& space, const OpenLinks& open);

  // The number of the part that a voxel belongs to, `outside`, or `none` where the mask `space` is not set.
  std::int64_t part(int x, int y, int z) const;
  std::int64_t voxels(std::int64_t part) const;
  // The voxels of the parts for which `wanted` returns true.
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
    std::uint64_t root;  // another run of the same part; in the end its first run, or 0: outside
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
