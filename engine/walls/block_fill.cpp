#include "engine/walls/block_fill.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "engine/walls/mirror_walk.hpp"

namespace fdtd {
namespace {

class Cube {
 public:
  Cube(const Neighbourhood& around, int reach) : around_(around), side_(reach + 1), part_of_(nodes(), -1) {
    for (std::size_t q = 0; q < nodes(); ++q) {
      if (part_of_[q] < 0 && is_air(at(q))) grow(q);
    }
  }
  std::size_t nodes() const { return static_cast<std::size_t>(side_ * side_ * side_); }
  const std::vector<std::vector<std::size_t>>& parts() const { return parts_; }
  int part_of(std::size_t node) const { return part_of_[node]; }
  Voxel at(std::size_t node) const {
    const auto n = static_cast<int>(node);
    return {n % side_, n / side_ % side_, n / (side_ * side_)};
  }

 private:
  bool is_air(const Voxel& v) const { return around_(v[0], v[1], v[2]); }

  void grow(std::size_t first) {
    const auto part = static_cast<int>(parts_.size());
    std::vector<std::size_t> members = {first};
    part_of_[first] = part;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        for (const int step : {-1, 1}) {
          Voxel next = at(members[i]);
          next[d] += step;
          if (next[d] < 0 || next[d] >= side_ || !is_air(next)) continue;
          const auto q = static_cast<std::size_t>(next[0] + side_ * (next[1] + side_ * next[2]));
          if (part_of_[q] >= 0) continue;
          part_of_[q] = part;
          members.push_back(q);
        }
      }
    }
    parts_.push_back(std::move(members));
  }

  const Neighbourhood& around_;
  int side_;
  std::vector<int> part_of_;
  std::vector<std::vector<std::size_t>> parts_;
};

struct CellFraction {
  std::uint16_t cell;
  double fraction;
};

void add(std::vector<CellFraction>& fractions, std::uint16_t cell, double fraction) {
  const auto known =
      std::find_if(fractions.begin(), fractions.end(), [&](const CellFraction& s) { return s.cell == cell; });
  if (known == fractions.end()) {
    fractions.push_back({cell, fraction});
  } else {
    known->fraction += fraction;
  }
}

// The members of `part` nearest to `to`.
std::vector<Voxel> nearest(const Cube& cube, const std::vector<std::size_t>& part, const Voxel& to) {
  std::vector<Voxel> found;
  int best = std::numeric_limits<int>::max();
  for (const std::size_t member : part) {
    const Voxel at = cube.at(member);
    const int steps = std::abs(to[0] - at[0]) + std::abs(to[1] - at[1]) + std::abs(to[2] - at[2]);
    if (steps < best) found.clear();
    if (steps <= best) found.push_back(at);
    best = std::min(best, steps);
  }
  return found;
}

}  // namespace

Window fill_window(int reach) { return {{-reach, -reach, -reach}, {2 * reach, 2 * reach, 2 * reach}}; }

CubeFill fill_cube(const Neighbourhood& around, int reach) {
  const Cube cube(around, reach);
  const int width = 3 * reach + 1;
  const auto cell_of = [&](const Voxel& v) {
    return static_cast<std::uint16_t>(v[0] + reach + width * (v[1] + reach + width * (v[2] + reach)));
  };
  CubeFill fill;
  fill.begin.push_back(0);
  std::vector<CellFraction> fractions;
  for (std::size_t part = 0; part < cube.parts().size(); ++part) {
    const auto& members = cube.parts()[part];
    fill.weight.push_back(static_cast<double>(members.size()) / static_cast<double>(cube.nodes()));
    for (std::size_t q = 0; q < cube.nodes(); ++q) {
      const Voxel to = cube.at(q);
      fractions.clear();
      if (cube.part_of(q) == static_cast<int>(part)) {
        fractions.push_back({cell_of(to), 1.0});
      } else {
        const std::vector<Voxel> anchors = nearest(cube, members, to);
        const double sixth = 1.0 / (6.0 * static_cast<double>(anchors.size()));
        for (const Voxel& from : anchors) {
          folded_walks(around, from, {to[0] - from[0], to[1] - from[1], to[2] - from[2]},
                       [&](const Voxel& end, int sixths) { add(fractions, cell_of(end), sixths * sixth); });
        }
        if (fractions.size() == 1) fractions[0].fraction = 1.0;  // six sixths
      }
      for (const CellFraction& s : fractions) {
        fill.cell.push_back(s.cell);
        fill.fraction.push_back(s.fraction);
        fill.node_of.push_back(static_cast<std::uint32_t>(part * cube.nodes() + q));
      }
      fill.begin.push_back(static_cast<std::uint32_t>(fill.cell.size()));
    }
  }
  fill.touched.assign(static_cast<std::size_t>(width * width * width) / 64 + 1, 0);
  for (const std::uint16_t cell : fill.cell) fill.touched[cell / 64U] |= std::uint64_t{1} << (cell % 64);
  fill.by_cell.resize(fill.cell.size());
  std::iota(fill.by_cell.begin(), fill.by_cell.end(), 0U);
  std::stable_sort(fill.by_cell.begin(), fill.by_cell.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return fill.cell[a] < fill.cell[b]; });
  return fill;
}

}  // namespace fdtd
