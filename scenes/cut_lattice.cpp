#include "scenes/cut_lattice.hpp"

#include <algorithm>

namespace fdtd {
namespace {

constexpr std::array<double, 3> offset = {1.1e-4, 1.7e-4, 2.3e-4};  // of a voxel

std::array<int, 3> grown(const std::array<int, 3>& size, int factor, int by) {
  return {factor * size[0] + by, factor * size[1] + by, factor * size[2] + by};
}

// The first and the last cell with a point in them.
std::array<int, 2> cells_with(int point, int cells) {
  if (point % 2 != 0) return {point / 2, point / 2};
  return {std::max(0, point / 2 - 1), std::min(cells - 1, point / 2)};
}

}  // namespace

CutLattice::CutLattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                       const std::array<double, 3>& corner)
    : size_(size), cells_(grown(size, 1, 2)), points_(grown(size, 2, 5)) {
  std::array<double, 3> fine_corner{};
  for (std::size_t d = 0; d < 3; ++d) {
    step_[d] = spacing[d] / 2.0;
    first_[d] = corner[d] - spacing[d] + offset[d] * spacing[d];
    fine_corner[d] = first_[d] - step_[d] / 2.0;  // points are the centres of voxels of half the size
  }
  crossings_ = find_crossings(mesh, points_, step_, fine_corner);
}

std::span<const Crossing> CutLattice::between(const std::array<int, 3>& point, std::size_t axis) const {
  const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  const auto line = crossings_[axis].line(static_cast<std::size_t>(point[a]) +
                                          static_cast<std::size_t>(points_[a]) * static_cast<std::size_t>(point[b]));
  if (line.empty()) return {};
  const int link = point[axis] + 1;
  const auto first =
      std::lower_bound(line.begin(), line.end(), link, [](const Crossing& one, int l) { return one.link < l; });
  auto last = first;
  while (last != line.end() && last->link == link) ++last;
  return {first, last};
}

OpenLinks CutLattice::open_links() const {
  OpenLinks open;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto links = size_;
    ++links[axis];
    open[axis] = AirMask(links);
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    for (int v = 0; v < size_[b]; ++v) {
      for (int u = 0; u < size_[a]; ++u) {
        // The line through the centres of voxels (u, v).
        const auto line =
            crossings_[axis].line(static_cast<std::size_t>(2 * u + 3) +
                                  static_cast<std::size_t>(points_[a]) * static_cast<std::size_t>(2 * v + 3));
        for (const Crossing& one : line) {
          std::array<int, 3> at{};
          at[a] = u, at[b] = v;
          at[axis] = (one.link - 2) / 2;  // voxel centre i is point 2i + 3; link i joins centres i - 1 and i
          if (one.link >= 2 && at[axis] <= size_[axis]) open[axis].set(at[0], at[1], at[2], false);
        }
      }
    }
  }
  return open;
}

AirMask CutLattice::cut_cells() const {
  AirMask cut = AirMask::walls(cells_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    for (int v = 0; v < points_[b]; ++v) {
      for (int u = 0; u < points_[a]; ++u) {
        const auto line = crossings_[axis].line(static_cast<std::size_t>(u) +
                                                static_cast<std::size_t>(points_[a]) * static_cast<std::size_t>(v));
        if (line.empty()) continue;
        const auto along_a = cells_with(u, cells_[a]), along_b = cells_with(v, cells_[b]);
        for (const Crossing& one : line) {
          std::array<int, 3> at{};
          at[axis] = (one.link - 1) / 2;
          if (one.link < 1 || at[axis] >= cells_[axis]) continue;
          for (at[b] = along_b[0]; at[b] <= along_b[1]; ++at[b])
            for (at[a] = along_a[0]; at[a] <= along_a[1]; ++at[a]) cut.set(at[0], at[1], at[2], true);
        }
      }
    }
  }
  return cut;
}

std::array<double, 3> CutLattice::position(const std::array<int, 3>& point) const {
  return {first_[0] + point[0] * step_[0], first_[1] + point[1] * step_[1], first_[2] + point[2] * step_[2]};
}

}  // namespace fdtd
