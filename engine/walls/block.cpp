// The block construction: any stencil, any mask, at the interior's Courant number (docs/explanation/walls.md,
// section 5).
//
//   K = sum over the positions b of a small cube, and the parts c of the air in it, of w E^T B E,
//   M = diag(m),  m_i = sum w (E^T 1)_i / n^3,   S = 2 - M^-1 K,
// B the stencil's Gram block, E the fill of the cube's n^3 nodes from air (block_fill.hpp), w the part's fraction of
// the cube. K is symmetric, not negative and keeps constants for any fill. From B <= 4 / n^3 and sum w E^T E <= n^3 M
// (E has no negative entries and rows that sum to 1) follows K <= 4 M: -2 <= S <= 2 in the inner product of M. Away
// from walls this is the plain stencil with mass 1; at planar walls, edges and corners it is the mirrored one, again
// with mass 1. The masses sum to the number of air nodes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "engine/walls/block_fill.hpp"
#include "engine/walls/gram_block.hpp"
#include "engine/walls/mirror_walk.hpp"
#include "engine/walls/rows.hpp"

namespace fdtd {
namespace {

std::uint64_t hash_of(const CubeFill& fill) {
  std::uint64_t h = fill.weight.size();
  for (std::size_t e = 0; e < fill.cell.size(); ++e) {
    h = (h ^ fill.cell[e] ^ std::bit_cast<std::uint64_t>(fill.fraction[e])) * 0xff51afd7ed558ccdU;
    h ^= h >> 31;
  }
  return h;
}

bool same(const CubeFill& a, const CubeFill& b) {
  return a.weight == b.weight && a.begin == b.begin && a.cell == b.cell && a.fraction == b.fraction;
}

// The fills of all cubes of a room; each different fill is stored once.
class RoomFills {
 public:
  RoomFills(const AirMask& air, int reach) : reach_(reach) {
    const std::array<int, 3> size = air.size();
    const Window window = fill_window(reach);
    scan_ = scan_places(air, {{-reach, -reach, -reach}, {size[0] + reach, size[1] + reach, size[2] + reach}}, window);
    Neighbourhood open(window);
    open.gather(AirMask({4 * reach + 1, 4 * reach + 1, 4 * reach + 1}), {reach, reach, reach});
    number(fill_cube(open, reach));  // fill 0: air alone
    fill_of_.resize(scan_.example.size());
    constexpr std::size_t batch = 4096;
    for (std::size_t from = 0; from < fill_of_.size(); from += batch) {
      const std::size_t to = std::min(fill_of_.size(), from + batch);
      const std::vector<CubeFill> fills = make_fills(air, from, to);
      for (std::size_t i = from; i < to; ++i) fill_of_[i] = number(fills[i - from]);
    }
  }

  const CubeFill& fill(std::uint32_t number) const { return fills_[number]; }

  // Calls visit(offset of the cube from the node, the node's cell in the cube's window, number of the fill) for every
  // cube that touches the air node.
  template <class Visit>
  void around(const Voxel& node, const Visit& visit) const {
    const int cells = 3 * reach_ + 1;
    for (int dz = -2 * reach_; dz <= reach_; ++dz) {
      for (int dy = -2 * reach_; dy <= reach_; ++dy) {
        if (!in_places(1, node[1] + dy) || !in_places(2, node[2] + dz)) continue;
        auto next = scan_.stretches.end();
        bool searched = false;
        for (int dx = -2 * reach_; dx <= reach_; ++dx) {
          if (!in_places(0, node[0] + dx)) continue;
          const std::uint64_t place = scan_.places.number({node[0] + dx, node[1] + dy, node[2] + dz});
          const auto ends_before = [](const Stretch& s, std::uint64_t n) { return s.first + s.length <= n; };
          if (!searched) next = std::lower_bound(scan_.stretches.begin(), scan_.stretches.end(), place, ends_before);
          searched = true;
          while (next != scan_.stretches.end() && ends_before(*next, place)) ++next;
          // The window of a cube that is not listed contains only air.
          const bool listed = next != scan_.stretches.end() && next->first <= place;
          const std::uint32_t number = listed ? fill_of_[next->kind] : 0;
          const int cell = reach_ - dx + cells * (reach_ - dy + cells * (reach_ - dz));
          if (fills_[number].touches(cell)) visit(Voxel{dx, dy, dz}, cell, number);
        }
      }
    }
  }

 private:
  std::vector<CubeFill> make_fills(const AirMask& air, std::size_t from, std::size_t to) const {
    std::vector<CubeFill> fills(to - from);
    const auto count = static_cast<std::int64_t>(fills.size());
    ParallelFailure failure;
#pragma omp parallel
    {
      std::optional<Neighbourhood> around;
      failure.guard([&] { around.emplace(fill_window(reach_)); });
#pragma omp for schedule(dynamic, 16)
      for (std::int64_t i = 0; i < count; ++i) {
        if (!around) continue;
        failure.guard([&] {
          around->gather(air, scan_.places.at(scan_.example[from + static_cast<std::size_t>(i)]));
          fills[static_cast<std::size_t>(i)] = fill_cube(*around, reach_);
        });
      }
    }
    failure.rethrow();
    return fills;
  }

  std::uint32_t number(const CubeFill& fill) {
    const std::uint64_t hash = hash_of(fill);
    const auto [from, to] = by_hash_.equal_range(hash);
    for (auto known = from; known != to; ++known) {
      if (same(fills_[known->second], fill)) return known->second;
    }
    fills_.push_back(fill);
    by_hash_.emplace(hash, static_cast<std::uint32_t>(fills_.size() - 1));
    return static_cast<std::uint32_t>(fills_.size() - 1);
  }

  bool in_places(std::size_t axis, int position) const {
    return position >= scan_.places.first[axis] && position < scan_.places.first[axis] + scan_.places.size[axis];
  }
  int reach_;
  WallScan scan_;
  std::vector<std::uint32_t> fill_of_;  // by kind of place
  std::vector<CubeFill> fills_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// Computes rows of S minus the plain rows.
class RowMaker {
 public:
  RowMaker(const GridStencil& stencil, const GramBlock& block, const RoomFills& fills)
      : stencil_(stencil), block_(block), fills_(fills), reach_(block.side - 1), width_(6 * reach_ + 1) {
    for (int z = 0; z <= 3 * reach_; ++z) {
      for (int y = 0; y <= 3 * reach_; ++y) {
        for (int x = 0; x <= 3 * reach_; ++x)
          from_first_.push_back(static_cast<std::size_t>(x + width_ * (y + width_ * z)));
      }
    }
  }

  WallRow operator()(const Neighbourhood& around, const Voxel& node) const {
    std::vector<double> row(
        static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_), 0.0);
    double mass = 0.0;
    fills_.around(node, [&](const Voxel& offset, int cell, std::uint32_t number) {
      mass += add_cube(offset, cell, fills_.fill(number), row);
    });
    mass /= cubed(block_.side);
    if (std::abs(mass - 1.0) < 1e-12) mass = 1.0;
    for (double& value : row) value /= -mass;
    const double unread = subtract_plain(around, row);
    return entries(row, mass, unread);
  }

  // All that the row depends on: the fills of the cubes that touch the node, and which of the plain row's points are
  // air.
  std::vector<std::uint32_t> key(const Neighbourhood& around, const Voxel& node) const {
    std::vector<std::uint32_t> key;
    std::uint32_t bits = 1;
    for_each_point([&](double, int x, int y, int z) {
      bits = bits << 1 | (around(x, y, z) ? 1U : 0U);
      if (bits >> 31 == 0U) return;
      key.push_back(bits);
      bits = 1;
    });
    key.push_back(bits);
    fills_.around(node, [&](const Voxel&, int cell, std::uint32_t number) {
      key.push_back(static_cast<std::uint32_t>(cell));
      key.push_back(number);
    });
    return key;
  }

 private:
  // Adds the part of a cube to K's row of the node, cell `mine` of the cube; returns its part of the mass, times n^3.
  double add_cube(const Voxel& offset, int mine, const CubeFill& fill, std::vector<double>& row) const {
    const auto nodes = static_cast<std::size_t>(cubed(block_.side));
    const std::size_t first = index(offset[0] - reach_, offset[1] - reach_, offset[2] - reach_);  // of the cube's cells
    const auto from = std::lower_bound(fill.by_cell.begin(), fill.by_cell.end(), mine,
                                       [&](std::uint32_t entry, int cell) { return int{fill.cell[entry]} < cell; });
    double mass = 0.0;
    std::vector<double> across(
        nodes);  // the node's column of E^T, times B: the weight of each node of the cube in the row
    for (auto entry = from; entry != fill.by_cell.end() && fill.cell[*entry] == mine;) {
      const std::size_t part = fill.node_of[*entry] / nodes;
      std::fill(across.begin(), across.end(), 0.0);
      for (; entry != fill.by_cell.end() && fill.cell[*entry] == mine && fill.node_of[*entry] / nodes == part;
           ++entry) {
        const double scale = fill.weight[part] * fill.fraction[*entry];
        const double* const line = block_.matrix.data() + fill.node_of[*entry] % nodes * nodes;
        for (std::size_t q = 0; q < nodes; ++q) across[q] += scale * line[q];
        mass += scale;
      }
      for (std::size_t q = 0; q < nodes; ++q) {
        for (std::uint32_t e = fill.begin[part * nodes + q]; e < fill.begin[part * nodes + q + 1]; ++e) {
          row[first + from_first_[fill.cell[e]]] += across[q] * fill.fraction[e];
        }
      }
    }
    return mass;
  }

  // Calls visit(weight, offset) for every point of the plain row but the centre.
  template <class Visit>
  void for_each_point(const Visit& visit) const {
    for (const Term& term : stencil_.terms) {
      const auto [a, b, c] = term.offset;
      for (int z = c == 0 ? 1 : -1; z <= 1; z += 2) {
        for (int y = b == 0 ? 1 : -1; y <= 1; y += 2) {
          for (int x = a == 0 ? 1 : -1; x <= 1; x += 2) visit(term.weight, x * a, y * b, z * c);
        }
      }
    }
  }

  // Returns the sum of the weights of the plain row's points in walls, which read zero.
  double subtract_plain(const Neighbourhood& around, std::vector<double>& row) const {
    double unread = 0.0;
    for_each_point([&](double weight, int x, int y, int z) {
      if (around(x, y, z)) {
        row[index(x, y, z)] -= weight;
      } else {
        unread += weight;
      }
    });
    return unread;
  }

  // The entries above rounding. The node's own weight follows from the others: S keeps constants as the plain row does.
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
  std::vector<std::size_t> from_first_;  // index in the row of a cube's cell, relative to its first
};

}  // namespace

NearWall block_walls(const GridStencil& stencil, const AirMask& air) {
  constexpr int widest = 8;  // with a block two voxels wider, a Neighbourhood still holds all that a row depends on
  if (stencil.radius > widest) {
    throw Error(Status::scene, "walls: the block construction takes stencils of radius 8 at most; this one has " +
                                   std::to_string(stencil.radius));
  }
  const std::shared_ptr<const GramBlock> block = gram_block(stencil);
  const int reach = block->side - 1,
            far = 3 * reach;  // cubes read 2 reach beyond their first voxel; a node reads such cubes
  return by_core(air, {far, far, far}, [&](const AirMask& room) {
    const RoomFills fills(room, reach);
    const RowMaker rows(stencil, *block, fills);
    return collect_rows(room, {far, far, far}, rows,
                        [&](const Neighbourhood& around, const Voxel& node) { return rows.key(around, node); });
  });
}

}  // namespace fdtd
