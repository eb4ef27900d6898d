// The block construction: any stencil, any mask, at the interior's Courant number (numerics: 3.4).
//
//   K = sum over the positions b of a small cube, and the parts c of the air in it, of w E^T B E,
//   M = diag(m),  m_i = sum w (E^T 1)_i / n^3,   S = 2 - M^-1 K,
// B the stencil's Gram block, E the fill of the cube's n^3 nodes from air (walls_fill.hpp), w the part's share of them.
// K is symmetric, not negative and keeps constants whatever the fill. From B <= 4 / n^3 and sum w E^T E <= n^3 M (E has no
// negative entries and rows that sum to 1) follows K <= 4 M: -2 <= S <= 2 in the inner product of M. Away from walls that
// is the plain stencil with mass 1; at planar walls, edges and corners it is the mirrored one, mass 1 again. The masses sum
// to the number of air nodes.
#include <algorithm>
#include <cmath>
#include <exception>

#include "engine/error.hpp"
#include "engine/walls_fill.hpp"
#include "engine/walls_gram.hpp"
#include "engine/walls_rows.hpp"
#include "engine/walls_walk.hpp"

namespace fdtd {
namespace {

// The fills of all cubes of a room, one a kind.
class RoomFills {
 public:
  RoomFills(const AirMask& air, int reach) : reach_(reach) {
    const std::array<int, 3> size = air.size();
    const Places places{{-reach, -reach, -reach}, {size[0] + reach, size[1] + reach, size[2] + reach}};
    const Window window = fill_window(reach);
    scan_ = scan_places(air, places, window);
    fills_.resize(scan_.example.size());
    const auto count = static_cast<std::int64_t>(fills_.size());
    std::exception_ptr failure;
#pragma omp parallel
    {
      Neighbourhood around(window);
#pragma omp for schedule(dynamic, 16)
      for (std::int64_t i = 0; i < count; ++i) {
        try {
          around.gather(air, places.at(scan_.example[static_cast<std::size_t>(i)]));
          fills_[static_cast<std::size_t>(i)] = fill_cube(around, reach);
        } catch (...) {
#pragma omp critical(walls_room_fills)
          failure = std::current_exception();
        }
      }
    }
    if (failure) std::rethrow_exception(failure);
    Neighbourhood open(window);
    open.gather(AirMask({4 * reach + 1, 4 * reach + 1, 4 * reach + 1}), {reach, reach, reach});
    open_ = fill_cube(open, reach);
  }

  // visit(offset of the cube from the node, its fill) for every cube whose window holds the air node.
  template <class Visit>
  void around(const Voxel& node, const Visit& visit) const {
    for (int dz = -2 * reach_; dz <= reach_; ++dz) {
      for (int dy = -2 * reach_; dy <= reach_; ++dy) {
        auto next = scan_.stretches.begin();
        bool searched = false;
        for (int dx = -2 * reach_; dx <= reach_; ++dx) {
          const Voxel cube = {node[0] + dx, node[1] + dy, node[2] + dz};
          if (!in_places(cube)) continue;
          const std::uint64_t number = scan_.places.number(cube);
          const auto ends_before = [](const Stretch& s, std::uint64_t n) { return s.first + s.length <= n; };
          if (!searched) next = std::lower_bound(next, scan_.stretches.end(), number, ends_before);
          searched = true;
          while (next != scan_.stretches.end() && ends_before(*next, number)) ++next;
          const bool cut = next != scan_.stretches.end() && next->first <= number;
          // A cube that is not listed sees air alone: there is this node.
          visit(Voxel{dx, dy, dz}, cut ? fills_[next->kind] : open_);
        }
      }
    }
  }

 private:
  bool in_places(const Voxel& cube) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (cube[d] < scan_.places.first[d] || cube[d] >= scan_.places.first[d] + scan_.places.size[d]) return false;
    }
    return true;
  }
  int reach_;
  WallScan scan_;
  std::vector<CubeFill> fills_;
  CubeFill open_;
};

// Makes rows of S less the plain ones.
class RowMaker {
 public:
  RowMaker(const GridStencil& stencil, const GramBlock& block, const RoomFills& fills)
      : stencil_(stencil), block_(block), fills_(fills), reach_(block.side - 1), width_(6 * reach_ + 1) {}

  WallRow operator()(const Neighbourhood& around, const Voxel& node) const {
    std::vector<double> row(static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_), 0.0);
    double mass = 0.0;
    fills_.around(node, [&](const Voxel& offset, const CubeFill& fill) { mass += add_cube(offset, fill, row); });
    mass /= cubed(block_.side);
    if (std::abs(mass - 1.0) < 1e-12) mass = 1.0;
    for (double& value : row) value /= -mass;
    const double unread = subtract_plain(around, row);
    return entries(row, mass, unread);
  }

 private:
  // Adds the cube's part of K's row at the node; returns its part of the mass, times n^3.
  double add_cube(const Voxel& offset, const CubeFill& fill, std::vector<double>& row) const {
    const int cells = 3 * reach_ + 1;
    const auto nodes = static_cast<std::size_t>(cubed(block_.side));
    // The node's number among the cube's cells, which start at offset - reach.
    const int mine = reach_ - offset[0] + cells * (reach_ - offset[1] + cells * (reach_ - offset[2]));
    const auto from = std::lower_bound(fill.by_cell.begin(), fill.by_cell.end(), mine,
                                       [&](std::uint32_t entry, int cell) { return int{fill.cell[entry]} < cell; });
    double mass = 0.0;
    for (auto entry = from; entry != fill.by_cell.end() && fill.cell[*entry] == mine; ++entry) {
      const std::size_t part = fill.node_of[*entry] / nodes, p = fill.node_of[*entry] % nodes;
      const double scale = fill.weight[part] * fill.share[*entry];
      mass += scale;
      for (std::size_t q = 0; q < nodes; ++q) {
        const double value = scale * block_.matrix[p * nodes + q];
        for (std::uint32_t e = fill.begin[part * nodes + q]; e < fill.begin[part * nodes + q + 1]; ++e) {
          const int cell = fill.cell[e];
          row[index(offset[0] - reach_ + cell % cells, offset[1] - reach_ + cell / cells % cells,
                    offset[2] - reach_ + cell / (cells * cells))] += value * fill.share[e];
        }
      }
    }
    return mass;
  }

  // Returns the weights of the plain row's points in wall, which read zero.
  double subtract_plain(const Neighbourhood& around, std::vector<double>& row) const {
    double unread = 0.0;
    for (const Term& term : stencil_.terms) {
      const auto [a, b, c] = term.offset;
      for (int z = c == 0 ? 1 : -1; z <= 1; z += 2) {
        for (int y = b == 0 ? 1 : -1; y <= 1; y += 2) {
          for (int x = a == 0 ? 1 : -1; x <= 1; x += 2) {
            if (around(x * a, y * b, z * c)) {
              row[index(x * a, y * b, z * c)] -= term.weight;
            } else {
              unread += term.weight;
            }
          }
        }
      }
    }
    return unread;
  }

  // What is left, but for rounding. The node's own weight follows from the others: S keeps constants as the plain row does.
  WallRow entries(const std::vector<double>& row, double mass, double unread) const {
    WallRow out{{}, mass};
    const std::size_t centre = index(0, 0, 0);
    std::size_t own = 0;
    double others = 0.0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == centre) own = out.entries.size();
      if (i == centre || std::abs(row[i]) < rounding) continue;
      const auto n = static_cast<int>(i);
      const auto along = [&](int position) { return static_cast<std::int16_t>(position % width_ - 3 * reach_); };
      out.entries.push_back({{along(n), along(n / width_), along(n / (width_ * width_))}, row[i]});
      others += row[i];
    }
    if (std::abs(unread - others) >= rounding) {
      out.entries.insert(out.entries.begin() + static_cast<std::ptrdiff_t>(own), {{0, 0, 0}, unread - others});
    }
    return out;
  }

  static int cubed(int n) { return n * n * n; }
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>(x + 3 * reach_ + width_ * (y + 3 * reach_ + width_ * (z + 3 * reach_)));
  }
  static constexpr double rounding = 1e-14;
  const GridStencil& stencil_;
  const GramBlock& block_;
  const RoomFills& fills_;
  int reach_, width_;
};

}  // namespace

NearWall block_walls(const GridStencil& stencil, const AirMask& air) {
  const std::shared_ptr<const GramBlock> block = gram_block(stencil);
  const int reach = block->side - 1, far = 3 * reach;  // a cube sees 2 reach beyond its first voxel, a node sees such cubes
  return by_core(air, {far, far, far}, [&](const AirMask& room) {
    const RoomFills fills(room, reach);
    return collect_rows(room, {far, far, far}, RowMaker(stencil, *block, fills));
  });
}

}  // namespace fdtd
