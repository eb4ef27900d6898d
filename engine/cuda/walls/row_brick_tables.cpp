#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/cuda/walls/row_bricks.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::size_t min_points = 57;
constexpr std::uint32_t max_rows = 1U << unit_row_bits;

struct NodeOfRow {
  std::uint32_t row, place;
};

template <class T>
class BrickPacker {
 public:
  BrickPacker(NearTables<T>& near, const Layout& layout, std::pair<int, int> inside)
      : near_(near), layout_(layout), inside_(inside) {
    int point = 0;
    for (int z = -brick_radius; z <= brick_radius; ++z)
      for (int y = -brick_radius; y <= brick_radius; ++y)
        for (int x = -brick_radius; x <= brick_radius; ++x)
          point_of_[static_cast<std::int32_t>(x + y * layout.row + z * layout.plane)] = point++;
    across_ = static_cast<std::size_t>((layout.size[0] + brick_size[0] - 1) / brick_size[0]);
    const auto up = static_cast<std::size_t>((layout.size[1] + brick_size[1] - 1) / brick_size[1]);
    of_brick_.resize(across_ * up);
  }

  RowBrickTables<T> pack() {
    NearTables<T> rest;
    std::size_t node = 0;
    const int nz = layout_.size[2];
    // No brick lies on both sides of a border between inside and outside.
    for (int z = 0; z < nz;) {
      const int border = z < inside_.first ? inside_.first : z < inside_.second ? inside_.second : nz;
      const int end = std::min({z + brick_size[2], border, nz});
      if (z == inside_.first) begin_inside(rest);
      if (z == inside_.second) end_inside(rest);
      node = take_planes(z, end, node, rest);
      z = end;
    }
    if (inside_.first >= nz) begin_inside(rest);
    if (inside_.second >= nz) end_inside(rest);
    if (out_.head.empty()) return {};
    out_.bricks.push_back({0, 0, 0, units()});
    near_.base = std::move(rest.base);
    near_.offset = std::move(rest.offset);
    near_.begin = std::move(rest.begin);
    near_.groups = std::move(rest.groups);
    near_.inside_begin = rest.inside_begin;
    near_.inside_end = rest.inside_end;
    return std::move(out_);
  }

 private:
  std::uint32_t units() const { return static_cast<std::uint32_t>(out_.head.size()); }
  void begin_inside(NearTables<T>& rest) {
    out_.inside_begin = static_cast<std::int64_t>(out_.bricks.size());
    rest.inside_begin = static_cast<std::int64_t>(rest.groups.size());
  }
  void end_inside(NearTables<T>& rest) {
    out_.inside_end = static_cast<std::int64_t>(out_.bricks.size());
    rest.inside_end = static_cast<std::int64_t>(rest.groups.size());
  }

  // Nodes of planes [z, end), the next of the list from `node` on; returns the one behind them.
  std::size_t take_planes(int z, int end, std::size_t node, NearTables<T>& rest) {
    const std::int64_t behind = layout_.offset(0, 0, end) - 1 - layout_.first;
    for (; node < near_.groups.size(); ++node) {
      if (near_.groups[node] == idle_lane) continue;
      const std::int64_t at = near_.base[node / row_lanes] + near_.offset[node], place = at - layout_.first;
      if (place > behind) break;
      const std::optional<std::uint32_t> row = row_of(near_.begin[node], near_.groups[node]);
      if (!row) {
        rest.add(at, {near_.begin[node], near_.groups[node]});
        continue;
      }
      const auto own_z = static_cast<int>(place / layout_.plane) - z;
      const auto in_plane = place % layout_.plane;
      const auto y = static_cast<int>(in_plane / layout_.row), x = static_cast<int>(in_plane % layout_.row);
      const auto brick =
          static_cast<std::size_t>(x / brick_size[0]) + across_ * static_cast<std::size_t>(y / brick_size[1]);
      of_brick_[brick].push_back(
          {*row, static_cast<std::uint32_t>(place_in_box(x % brick_size[0], y % brick_size[1], own_z))});
    }
    for (std::size_t brick = 0; brick < of_brick_.size(); ++brick) {
      if (of_brick_[brick].empty()) continue;
      out_.bricks.push_back({static_cast<int>(brick % across_) * brick_size[0],
                             static_cast<int>(brick / across_) * brick_size[1], z, units()});
      add_units(of_brick_[brick]);
      of_brick_[brick].clear();
    }
    return node;
  }

  void add_units(std::vector<NodeOfRow>& nodes) {
    std::stable_sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    for (std::size_t i = 0; i < nodes.size();) {
      const std::uint32_t row = nodes[i].row;
      UnitPlaces places{};
      std::uint32_t count = 0;
      for (; count < unit_nodes && i < nodes.size() && nodes[i].row == row; ++count, ++i)
        places.of[count] = static_cast<std::uint16_t>(nodes[i].place);
      out_.head.push_back(row | count << unit_row_bits);
      out_.place.push_back(places);
    }
  }

  // The number of a row whose groups begin there; none: bricks do not hold it.
  std::optional<std::uint32_t> row_of(std::uint32_t begin, std::uint32_t groups) {
    const auto [known, fresh] = rows_.try_emplace(begin);
    if (fresh) known->second = add_row(begin, groups);
    return known->second;
  }

  std::optional<std::uint32_t> add_row(std::uint32_t begin, std::uint32_t groups) {
    std::array<T, 128> weights{};
    std::array<bool, 128> used{};
    for (std::uint32_t g = begin; g < begin + groups; ++g)
      for (std::uint32_t e = 0; e < entry_group; ++e) {
        const T weight = near_.entry_weight[g].of[e];
        if (weight == T{}) continue;
        const auto point = point_of_.find(near_.entry_offset[g].of[e]);
        if (point == point_of_.end()) return std::nullopt;
        const auto p = static_cast<std::size_t>(point->second);
        if (used[p]) return std::nullopt;
        used[p] = true;
        weights[p] = weight;
      }
    const auto number = static_cast<std::uint32_t>(out_.weights.size() / 32);
    if (number == max_rows) return std::nullopt;
    for (std::size_t lane = 0; lane < 32; ++lane)
      out_.weights.push_back({{weights[lane], weights[lane + 32], weights[lane + 64], weights[lane + 96]}});
    return number;
  }

  NearTables<T>& near_;
  const Layout& layout_;
  std::pair<int, int> inside_;
  std::unordered_map<std::int32_t, int> point_of_;  // by the distance in the array
  std::unordered_map<std::uint32_t, std::optional<std::uint32_t>> rows_;
  std::size_t across_ = 0;                        // bricks side by side
  std::vector<std::vector<NodeOfRow>> of_brick_;  // of the planes at hand
  RowBrickTables<T> out_;
};

}  // namespace

bool has_long_rows(const GridStencil& stencil) {
  return stencil.radius == brick_radius && stencil.point_count() >= static_cast<int>(min_points);
}

template <class T>
RowBrickTables<T> take_long_rows(NearTables<T>& near, const Layout& layout, std::pair<int, int> inside) {
  return BrickPacker<T>(near, layout, inside).pack();
}

template RowBrickTables<float> take_long_rows(NearTables<float>&, const Layout&, std::pair<int, int>);
template RowBrickTables<double> take_long_rows(NearTables<double>&, const Layout&, std::pair<int, int>);

}  // namespace fdtd::cuda
