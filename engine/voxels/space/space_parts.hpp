// The connected parts of the space of a grid that a mesh divides: voxels joined by links that no facet crosses. The
// search does not visit every voxel: rows along x are split into runs, and adjacent runs are joined (union-find; R.
// E. Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22, 1975). Processes that share the grid each
// join the runs of their planes, and then the parts that meet at the borders between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/shared/plane_partition.hpp"
#include "engine/voxels/shared/shared_mask.hpp"
#include "engine/voxels/space/crossings.hpp"

namespace fdtd {

// The open links of some planes of voxels, one mask for each axis with n + 1 links along it: open[d](x, y, z) joins voxel
// (x, y, z) of these planes and the one before it along d.
using OpenLinks = std::array<AirMask, 3>;
// Masks of all links of `planes` planes, open.
OpenLinks all_open(const std::array<int, 3>& size, int planes);
// Of the planes [begin, end), among those of which the crossings are known.
OpenLinks open_links(const std::array<int, 3>& size, const std::array<AxisCrossings, 3>& crossings,
                     const PlaneRange& planes);

class SpaceParts {
 public:
  static constexpr std::int64_t outside = -1;  // the part that is connected to the outside of the grid
  static constexpr std::int64_t none = -2;     // the voxel is not part of the space

  // `space` and `open`: of the planes of this process, partition.planes(size[2]), in a grid of `size`. All processes
  // make this call; `partition` must outlive the parts. A part has the same number at each, whatever their number.
  SpaceParts(const AirMask& space, const OpenLinks& open, const std::array<int, 3>& size,
             const PlanePartition& partition);

  // The number of the part that a voxel of the own planes belongs to, or `none` where the mask `space` is not set.
  std::int64_t part(int x, int y, int z) const;
  // The same for any voxels in the grid; all processes make this call, with the same voxels.
  std::vector<std::int64_t> parts_at(const std::vector<std::array<int, 3>>& voxels) const;
  // Voxels of a part in all planes; all processes make this call.
  std::int64_t voxels(std::int64_t part) const;
  // The voxels in the own planes of the parts for which `wanted` returns true.
  template <class Wanted>
  MaskPlanes mask(const Wanted& wanted) const {
    MaskPlanes air = walls_in_planes(size_, own_.begin, own_.end);
    for_each_run([&](int begin, int end, int y, int z, std::int64_t part) {
      if (wanted(part)) air.mask.set_run(begin, end, y, z);
    });
    return air;
  }

 private:
  struct Run {
    int begin, end;
    std::uint64_t root;  // another run of the same part; in the end the number of the part's first run, or 0: outside
  };
  struct BorderRun;
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
  void find_runs(const AirMask& space, const OpenLinks& open);
  std::uint64_t find(std::uint64_t run);
  void join(std::uint64_t a, std::uint64_t b);
  void join_rows(const AirMask& open, std::array<int, 3> link, std::size_t row, std::size_t before);
  void join_edge(const AirMask& open, std::array<int, 3> link, std::size_t row);
  void join_processes(const AirMask& open);

  std::array<int, 3> size_;  // of the grid
  const PlanePartition& partition_;
  PlaneRange own_;
  std::vector<Run> runs_;                 // of the own planes; runs_[0] is the outside
  std::vector<std::uint64_t> row_begin_;  // of row y + ny z
};

}  // namespace fdtd
