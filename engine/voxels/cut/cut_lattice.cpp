#include "engine/voxels/cut/cut_lattice.hpp"

#include <algorithm>

namespace fdtd {
namespace {

constexpr std::array<double, 3> offset = {1.1e-4, 1.7e-4, 2.3e-4};  // of a voxel

std::array<int, 3> grown(const std::array<int, 3>& size, int factor, int by) {
  return {factor * size[0] + by, factor * size[1] + by, factor * size[2] + by};
}

// The first and the last of the cells with a point in them.
std::array<int, 2> cells_with(int point, const PlaneRange& cells) {
  const int above = point / 2, below = point % 2 != 0 ? above : above - 1;
  return {std::max(cells.begin, below), std::min(cells.end - 1, above)};
}

}  // namespace

CutLattice::CutLattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                       const std::array<double, 3>& corner)
    : CutLattice(mesh, size, spacing, corner, {0, size[2] + 2}) {}

CutLattice::CutLattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                       const std::array<double, 3>& corner, const PlaneRange& planes)
    : size_(size), cells_(grown(size, 1, 2)), points_(grown(size, 2, 5)), planes_(planes) {
  std::array<double, 3> fine_corner{};
  for (std::size_t d = 0; d < 3; ++d) {
    step_[d] = spacing[d] / 2.0;
    first_[d] = corner[d] - spacing[d] + offset[d] * spacing[d];
    fine_corner[d] = first_[d] - step_[d] / 2.0;  // points are the centres of voxels of half the size
  }
  crossings_ = find_crossings(mesh, points_, step_, fine_corner, {2 * planes.begin, 2 * planes.end + 1}, {0, 0});
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

OpenLinks CutLattice::open_links(const PlaneRange& voxels) const {
  OpenLinks open = all_open(size_, voxels.end - voxels.begin);
  if (voxels.begin >= voxels.end) return open;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const PlaneRange across = b == 2 ? voxels : PlaneRange{0, size_[b]};
    const PlaneRange along = axis < 2 ? PlaneRange{0, size_[axis] + 1} : PlaneRange{voxels.begin, voxels.end + 1};
    for (int v = across.begin; v < across.end; ++v) {
      for (int u = 0; u < size_[a]; ++u) {
        // The line through the centres of voxels (u, v).
        const auto line =
            crossings_[axis].line(static_cast<std::size_t>(2 * u + 3) +
                                  static_cast<std::size_t>(points_[a]) * static_cast<std::size_t>(2 * v + 3));
        for (const Crossing& one : line) {
          std::array<int, 3> at{};
          at[a] = u, at[b] = v;
          at[axis] = (one.link - 2) / 2;  // voxel centre i is point 2i + 3; link i joins centres i - 1 and i
          if (one.link < 2 || at[axis] < along.begin || at[axis] >= along.end) continue;
          open[axis].set(at[0], at[1], at[2] - voxels.begin, false);
        }
      }
    }
  }
  return open;
}

AirMask CutLattice::cut_cells() const {
  AirMask cut = AirMask::walls({cells_[0], cells_[1], planes_.end - planes_.begin});
  const std::array<PlaneRange, 3> known = {PlaneRange{0, cells_[0]}, PlaneRange{0, cells_[1]}, planes_};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    for (int v = 2 * known[b].begin; v <= 2 * known[b].end; ++v) {
      for (int u = 0; u < points_[a]; ++u) {
        const auto line = crossings_[axis].line(static_cast<std::size_t>(u) +
                                                static_cast<std::size_t>(points_[a]) * static_cast<std::size_t>(v));
        if (line.empty()) continue;
        const auto along_a = cells_with(u, known[a]), along_b = cells_with(v, known[b]);
        for (const Crossing& one : line) {
          std::array<int, 3> at{};
          at[axis] = (one.link - 1) / 2;
          if (one.link < 1 || at[axis] < known[axis].begin || at[axis] >= known[axis].end) continue;
          for (at[b] = along_b[0]; at[b] <= along_b[1]; ++at[b])
            for (at[a] = along_a[0]; at[a] <= along_a[1]; ++at[a]) cut.set(at[0], at[1], at[2] - planes_.begin, true);
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
