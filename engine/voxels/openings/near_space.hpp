// The space about a narrow opening on a grid of its own, finer than the room's, and the steady flow through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/voxels/openings/flow_network.hpp"
#include "engine/voxels/openings/narrow_openings.hpp"
#include "engine/voxels/space/mesh_grid.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct SpaceBox {
  std::array<double, 3> low{}, high{};  // m
  bool has(const std::array<double, 3>& p) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (p[d] < low[d] || p[d] > high[d]) return false;
    return true;
  }
  double volume() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
};

// Which of the two parts its cells belong to, and the flow between them.
class NearSpace {
 public:
  NearSpace(const Mesh& mesh, const SpaceRegions& regions, const NarrowOpening& opening, const SpaceBox& box,
            const std::array<double, 3>& spacing);

  double conductance() const { return conductance_; }  // m
  // The integral of phi (1 - phi), phi the potential of the flow (m3). A wave of wave number k sees the conductance and
  // k^2 times it: the air between the parts gives way (opening_flow.hpp).
  double between_volume() const;
  FlowNetwork::Middle middle() const {  // of the flow between the parts
    return flow_.middle(between_, side_, [this](std::uint32_t n) { return centre(voxel(n)); });
  }
  double spacing(std::size_t axis) const { return grid_.spacing[axis]; }
  // The area of the border of the box that a part meets, over that of the opening; the smaller of the two parts'.
  double spread() const;
  // Scales the links within a box so that the flow between its borders has that conductance.
  void fit(const SpaceBox& box, double conductance);
  // Of the faces between voxels of the grid, by the lower voxel and the axis: the fraction that cells on both sides
  // leave open, and the flow through it.
  struct Face {
    double open = 0.0, flow = 0.0;
  };
  std::map<std::pair<std::array<int, 3>, std::size_t>, Face> faces(const MeshGrid& grid) const;
  // Of the cells in a box: how many belong to each part, and their mean potential.
  struct Content {
    std::array<double, 2> count{}, potential{};
  };
  Content within(const SpaceBox& box) const;
  double fraction(const SpaceBox& box) const;  // of a box, that is either part's

 private:
  static constexpr std::uint8_t neither = 2;
  std::size_t number(const std::array<int, 3>& v) const {
    return static_cast<std::size_t>(v[0]) +
           static_cast<std::size_t>(grid_.size[0]) *
               (static_cast<std::size_t>(v[1]) +
                static_cast<std::size_t>(grid_.size[1]) * static_cast<std::size_t>(v[2]));
  }
  std::array<int, 3> voxel(std::uint32_t n) const {
    const auto nx = static_cast<std::uint32_t>(grid_.size[0]), ny = static_cast<std::uint32_t>(grid_.size[1]);
    return {static_cast<int>(n % nx), static_cast<int>(n / nx % ny), static_cast<int>(n / nx / ny)};
  }
  std::array<double, 3> centre(const std::array<int, 3>& v) const {
    std::array<double, 3> p{};
    for (std::size_t d = 0; d < 3; ++d) p[d] = grid_.corner[d] + (v[d] + 0.5) * grid_.spacing[d];
    return p;
  }
  template <class Visit>
  void each(const Visit& visit) const {
    std::array<int, 3> v{};
    for (v[2] = 0; v[2] < grid_.size[2]; ++v[2])
      for (v[1] = 0; v[1] < grid_.size[1]; ++v[1])
        for (v[0] = 0; v[0] < grid_.size[0]; ++v[0]) visit(v);
  }
  std::vector<std::array<int, 3>> seeds(const SpaceRegions& regions);
  void give_potentials(const SpaceBox& box);
  double flow();

  MeshGrid grid_;
  const NarrowOpening* opening_;
  std::vector<std::uint8_t> side_;  // 0, 1: of the opening's parts
  FlowNetwork flow_;
  std::vector<std::size_t> between_;  // the parts: links
  double conductance_ = 0.0;
};

}  // namespace fdtd
