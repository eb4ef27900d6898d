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
  double share = 1.0;
  bool across_edge = false;  // a CutLink
};

// What the grid has about openings, of all processes.
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
  double share(std::size_t axis, std::uint64_t node) const {
    const auto found = std::ranges::lower_bound(cut_.passages[axis], node, {}, &CutShare::node);
    return found != cut_.passages[axis].end() && found->node == node ? static_cast<double>(found->share) : 1.0;
  }
  const std::vector<CutLink>& links() const { return cut_.links; }
  void set(const GridLink& link, double share);
  // A voxel of wall through which the opening leads becomes a node, with no open passage.
  void add_node(const std::array<int, 3>& v, double volume);
  // Nodes beside passages that were set get as much volume as these need to be stable (secured_cut.hpp), at least: a neck
  // holds little, and its passages must not shrink.
  void support();
  void write(Voxels& voxels) const;

 private:
  const MeshGrid& grid_;
  Voxels& voxels_;
  CutVoxels cut_;
  std::array<std::map<std::uint64_t, float>, 3> passages_;
  std::map<std::array<std::uint64_t, 3>, float> links_;
  std::map<std::uint64_t, float> volumes_;
  std::set<std::uint64_t> touched_;
};

// An opening on the grid: the nodes about it as a network, and the links through which its parts meet.
class GridOpening {
 public:
  GridOpening(const MeshGrid& grid, const GridPassages& passages, const NearSpace& space, const SpaceBox& box);
  bool closed() const { return crossing_.empty(); }
  const std::vector<GridLink>& crossing() const { return crossing_; }
  // With the crossing links' shares, up to 1, times `factor`.
  double conductance(double factor);

 private:
  void give_farthest();

  FlowNetwork flow_;
  std::vector<GridLink> crossing_;
  std::vector<std::size_t> place_;  // of each among the network's links
  std::vector<double> of_whole_;    // its conductance with a share of 1
  std::vector<std::uint8_t> side_;  // of each node of the network
};

}  // namespace fdtd
