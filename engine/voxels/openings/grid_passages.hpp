// Passages of a room's grid about narrow openings, where they are changed, and the nodes about one as a network.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/openings/near_space.hpp"
#include "engine/voxels/space/mesh_grid.hpp"

namespace fdtd {

// A passage or a link of the grid, with its place in the lists.
struct GridLink {
  std::uint64_t node = 0, to = 0;
  std::size_t axis = 0;
  double fraction = 1.0;
  bool across_edge = false;  // a CutLink
};

// The grid's passages about openings, of all processes.
class GridPassages {
 public:
  GridPassages(const MeshGrid& grid, Voxels& voxels, const std::vector<SpaceBox>& boxes);

  bool air(const std::array<int, 3>& v) const { return voxels_.air(v[0], v[1], v[2]); }
  std::uint64_t number(const std::array<int, 3>& v) const {
    return static_cast<std::uint64_t>(v[0]) +
           static_cast<std::uint64_t>(grid_.size[0]) *
               (static_cast<std::uint64_t>(v[1]) +
                static_cast<std::uint64_t>(grid_.size[1]) * static_cast<std::uint64_t>(v[2]));
  }
  double fraction(std::size_t axis, std::uint64_t node) const {
    const auto found = std::ranges::lower_bound(cut_.passages[axis], node, {}, &CutFraction::node);
    return found != cut_.passages[axis].end() && found->node == node ? static_cast<double>(found->fraction) : 1.0;
  }
  const std::vector<CutLink>& links() const { return cut_.links; }
  void set(const GridLink& link, double fraction);
  // A voxel of wall through which the opening leads becomes a node, with no open passage.
  void add_node(const std::array<int, 3>& v, double volume);
  // Of a node, in voxels. Nodes beside passages that were set have as much as these need to be stable (secured_cut.hpp),
  // at least: a neck holds little, and its passages must not shrink.
  double volume(std::uint64_t node) const;
  // Sets it to that much, or to as much as its passages need.
  void set_volume(std::uint64_t node, double volume);
  void write(Voxels& voxels) const;

 private:
  double needed(std::uint64_t node) const;
  const MeshGrid& grid_;
  Voxels& voxels_;
  CutVoxels cut_;
  std::array<std::map<std::uint64_t, float>, 3> passages_;
  std::map<std::array<std::uint64_t, 3>, float> links_;
  std::map<std::uint64_t, float> volumes_;
  std::set<std::uint64_t> touched_;
};

// An opening on the grid: the nodes about it as a network, and the links on the way from one of its parts to the other.
class GridOpening {
 public:
  GridOpening(const MeshGrid& grid, const GridPassages& passages, const NearSpace& space, const SpaceBox& box);
  bool closed() const { return crossing_.empty(); }
  // Links between the parts, and those of a neck on both sides of them (widen_way).
  const std::vector<GridLink>& way() const { return way_; }
  // With the way's fractions, up to 1, times `factor`.
  double conductance(double factor);
  // Adds to the way the cut links across which more than `drop` of the potential falls in the flow computed last.
  void widen_way(double drop);
  // Of that flow (NearSpace).
  double between_volume(const MeshGrid& grid, const GridPassages& passages) const;
  FlowNetwork::Middle middle(const MeshGrid& grid) const;
  // The volume (m3) of the nodes on the side of the smaller part, or 0 where it reaches beyond the box.
  double behind(const MeshGrid& grid, const GridPassages& passages) const;
  void scale_behind(double factor, GridPassages& passages) const;

 private:
  void find_crossing();
  void give_farthest(const std::vector<char>& pure);

  FlowNetwork flow_;
  std::vector<GridLink> links_;        // of the network
  std::vector<std::size_t> crossing_;  // the parts: their numbers
  std::vector<GridLink> way_;
  std::vector<std::size_t> place_;   // of each among the network's links
  std::vector<double> whole_;        // its conductance with a fraction of 1
  std::vector<std::uint8_t> side_;   // of each node of the network: where the potential is nearer to 1, or to 0
  std::vector<std::uint64_t> node_;  // its number on the grid
  bool beyond_ = false;              // the smaller part reaches beyond the box
};

}  // namespace fdtd
