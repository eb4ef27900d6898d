#include "engine/voxels/openings/grid_sides.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

}  // namespace

GridSides::GridSides(const MeshGrid& grid, const SpaceRegions& regions, const Voxels& voxels) {
  const int nx = grid.size[0], ny = grid.size[1], nz = grid.size[2];
  part_.assign(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz),
               SpaceRegions::none);
#pragma omp parallel for schedule(static)
  for (int z = 0; z < nz; ++z) {
    std::size_t n = static_cast<std::size_t>(z) * static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x, ++n) {
        const Voxel v = {x, y, z};
        std::array<double, 3> low{}, high{};
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = grid.corner[d] + v[d] * grid.spacing[d];
          high[d] = low[d] + grid.spacing[d];
        }
        part_[n] = regions.part_in(low, high, 0.0);
      }
    }
  }
  join_lonely(grid, voxels);
}

// A node that is open to none of its own part would be closed on all sides: it is of the part to which it is open most.
void GridSides::join_lonely(const MeshGrid& grid, const Voxels& voxels) {
  const int nx = grid.size[0], ny = grid.size[1], nz = grid.size[2];
  const std::array<std::uint64_t, 3> stride = {1, static_cast<std::uint64_t>(nx),
                                               static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny)};
  std::map<std::uint64_t, std::map<std::uint32_t, double>> open;  // of nodes beside others' parts: to each part
  const auto each = [&](const auto& visit) {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<CutFraction> list = gathered(voxels.cut.passages[d], grid.partition);
      auto cut = list.begin();
      std::uint64_t n = 0;
      for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
          for (int x = 0; x < nx; ++x, ++n) {
            Voxel next = {x, y, z};
            ++next[d];
            while (cut != list.end() && cut->node < n) ++cut;
            if (next[d] >= grid.size[d] || !voxels.air(x, y, z) || !voxels.air(next[0], next[1], next[2])) continue;
            visit(n, n + stride[d], cut != list.end() && cut->node == n ? static_cast<double>(cut->fraction) : 1.0);
          }
        }
      }
    }
    for (const CutLink& one : gathered(voxels.cut.links, grid.partition))
      visit(one.node, one.to, static_cast<double>(one.fraction));
  };
  each([&](std::uint64_t a, std::uint64_t b, double fraction) {
    if (fraction > 0.0 && differ(a, b)) open[a][part_[b]] += fraction, open[b][part_[a]] += fraction;
  });
  each([&](std::uint64_t a, std::uint64_t b, double fraction) {
    if (fraction > 0.0 && part_[a] == part_[b]) open.erase(a), open.erase(b);
  });
  for (const auto& [node, to] : open)
    part_[node] = std::ranges::max_element(to, {}, [](const auto& one) { return one.second; })->first;
}

void GridSides::close_leaks(const MeshGrid& grid, const SpaceRegions& regions, Voxels& voxels) const {
  constexpr double reach = 2.0;  // voxels
  const int nx = grid.size[0], ny = grid.size[1], nz = grid.size[2];
  const std::array<std::uint64_t, 3> stride = {1, static_cast<std::uint64_t>(nx),
                                               static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny)};
  const auto voxel = [&](std::uint64_t node) {
    return Voxel{static_cast<int>(node % stride[1]), static_cast<int>(node / stride[1] % (stride[2] / stride[1])),
                 static_cast<int>(node / stride[2])};
  };
  const auto far = [&](std::uint64_t node) {
    const Voxel v = voxel(node);
    return std::ranges::none_of(regions.openings(), [&](const NarrowOpening& one) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double low = grid.corner[d] + v[d] * grid.spacing[d];
        if (low - reach * grid.spacing[d] >= one.high[d] || low + (1.0 + reach) * grid.spacing[d] <= one.low[d])
          return false;
      }
      return true;
    });
  };
  const auto [begin, end] = grid.partition.planes(nz);
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<CutFraction> closed;
    for (int z = begin; z < end; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          Voxel next = {x, y, z};
          ++next[d];
          if (next[d] >= grid.size[d] || !voxels.air(x, y, z) || !voxels.air(next[0], next[1], next[2])) continue;
          const std::uint64_t node = static_cast<std::uint64_t>(x) + stride[1] * static_cast<std::uint64_t>(y) +
                                     stride[2] * static_cast<std::uint64_t>(z);
          if (differ(node, node + stride[d]) && far(node)) closed.push_back({node, 0.0F});
        }
      }
    }
    auto& list = voxels.cut.passages[d];
    std::vector<CutFraction> all;
    all.reserve(list.size() + closed.size());
    std::ranges::set_union(closed, list, std::back_inserter(all), {}, &CutFraction::node, &CutFraction::node);
    list = std::move(all);
  }
  for (CutLink& one : voxels.cut.links)
    if (differ(one.node, one.to) && far(one.node)) one.fraction = 0.0F;
}

}  // namespace fdtd
