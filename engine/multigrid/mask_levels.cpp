#include "engine/multigrid/mask_levels.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "engine/multigrid/cycle.hpp"

namespace fdtd::multigrid {
namespace {

using Place = std::array<int, 3>;
using Corners = std::array<std::int64_t, 8>;

// Elements of one coarse cell beyond this number become one: pockets of air no longer than a cell are many.
constexpr std::size_t most_in_cell = 8;

Place halved(const Place& cells) { return {(cells[0] + 1) / 2, (cells[1] + 1) / 2, (cells[2] + 1) / 2}; }
Place corners_of(const Place& cells) { return {cells[0] + 1, cells[1] + 1, cells[2] + 1}; }
Place moved(const Place& at, unsigned corner, int step = 1) {
  return {at[0] + step * static_cast<int>(corner & 1U), at[1] + step * static_cast<int>(corner >> 1 & 1U),
          at[2] + step * static_cast<int>(corner >> 2)};
}
std::int64_t node_at(const NodeGrid& body, const Place& at) { return body.at(at[0], at[1], at[2]); }

// An element with a corner that is not in the body.
struct Irregular {
  Place cell{};
  float coefficient = 0.0F;
  Corners node{};
};

// A level while the next one is made of it.
struct Draft {
  MaskLevel level;
  std::vector<Irregular> irregular;  // by cell, rising
};

struct Child {
  Place cell{};
  std::int64_t irregular = -1;  // its number among these; -1: a regular element
};

struct Component {
  std::vector<Child> children;
  float coefficient = 0.0F;
  Corners node{};
};

// Trees of a few things, each known by its root, the lowest.
struct Forest {
  std::vector<std::size_t> above;
  explicit Forest(std::size_t n) : above(n) { std::iota(above.begin(), above.end(), std::size_t{0}); }
  std::size_t root(std::size_t i) const {
    while (above[i] != i) i = above[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    above[std::max(a, b)] = std::min(a, b);
  }
  // Things of one key are joined.
  void join_equal(std::vector<std::pair<std::int64_t, std::size_t>>& keys) {
    std::ranges::sort(keys);
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[i].first == keys[i - 1].first) join(keys[i].second, keys[i - 1].second);
  }
};

struct Entry {
  std::int64_t row = 0, column = 0;
  double value = 0.0;
};

// Entries of the same place are summed in the order in which they come.
SparseRows rows_of(std::vector<Entry> entries) {
  std::ranges::stable_sort(
      entries, [](const Entry& a, const Entry& b) { return std::tie(a.row, a.column) < std::tie(b.row, b.column); });
  SparseRows rows;
  for (std::size_t i = 0; i < entries.size();) {
    const Entry& first = entries[i];
    double sum = 0.0;
    for (; i < entries.size() && entries[i].row == first.row && entries[i].column == first.column; ++i)
      sum += entries[i].value;
    if (rows.row.empty() || rows.row.back() != first.row) {
      rows.row.push_back(first.row);
      rows.begin.push_back(rows.begin.back());
    }
    rows.column.push_back(first.column);
    rows.value.push_back(static_cast<float>(sum));
    ++rows.begin.back();
  }
  return rows;
}

class Coarsening {
 public:
  Coarsening(Draft& fine, const Place& cells) : fine_(fine) {
    coarse_.level.body = NodeGrid(corners_of(cells));
    cells_ = cells;
  }
  Draft run() {
    find_components();
    find_full();
    const NodeGrid& body = coarse_.level.body;
    for (int z = 0; z < body.nodes[2]; ++z)
      for (int y = 0; y < body.nodes[1]; ++y)
        for (int x = 0; x < body.nodes[0]; ++x) find_nodes({x, y, z});
    place_elements();
    find_transfer();
    return std::move(coarse_);
  }

 private:
  bool inside(const Place& cell) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (cell[d] < 0 || cell[d] >= cells_[d]) return false;
    return true;
  }
  Corners body_corners(const NodeGrid& body, const Place& cell) const {
    Corners node{};
    for (unsigned c = 0; c < 8; ++c) node[c] = node_at(body, moved(cell, c));
    return node;
  }
  Corners nodes_of(const Child& child) const {
    return child.irregular < 0 ? body_corners(fine_.level.body, child.cell)
                               : fine_.irregular[static_cast<std::size_t>(child.irregular)].node;
  }
  float coefficient_of(const Child& child) const {
    return child.irregular < 0 ? fine_.level.element[static_cast<std::size_t>(node_at(fine_.level.body, child.cell))]
                               : fine_.irregular[static_cast<std::size_t>(child.irregular)].coefficient;
  }
  std::vector<Child> regular_children(const Place& cell) const {
    std::vector<Child> children;
    const NodeGrid& body = fine_.level.body;
    for (unsigned c = 0; c < 8; ++c) {
      const Place at = moved({2 * cell[0], 2 * cell[1], 2 * cell[2]}, c);
      const bool there = at[0] + 1 < body.nodes[0] && at[1] + 1 < body.nodes[1] && at[2] + 1 < body.nodes[2];
      if (there && fine_.level.element[static_cast<std::size_t>(node_at(body, at))] > 0.0F)
        children.push_back({at, -1});
    }
    return children;
  }

  bool eight_children(const Place& cell) const {
    const NodeGrid& body = fine_.level.body;
    for (unsigned c = 0; c < 8; ++c) {
      const Place at = moved({2 * cell[0], 2 * cell[1], 2 * cell[2]}, c);
      // Beyond the last cell lie nodes, where no element begins, or the halo.
      if (at[0] >= body.nodes[0] || at[1] >= body.nodes[1] || at[2] >= body.nodes[2] ||
          !(fine_.level.element[static_cast<std::size_t>(node_at(body, at))] > 0.0F))
        return false;
    }
    return true;
  }

  // Children that share nodes are one element.
  std::vector<Component> split(const Place& cell, const std::vector<Child>& children) const {
    Forest forest(children.size());
    std::vector<std::pair<std::int64_t, std::size_t>> keys;
    for (std::size_t i = 0; i < children.size(); ++i)
      for (const std::int64_t node : nodes_of(children[i])) keys.emplace_back(node, i);
    forest.join_equal(keys);
    std::vector<Component> components;
    std::vector<std::size_t> number(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      const std::size_t root = forest.root(i);
      if (root == i) {
        number[i] = std::min(components.size(), most_in_cell - 1);
        if (components.size() < most_in_cell) components.push_back({{}, 0.0F, body_corners(coarse_.level.body, cell)});
      }
      Component& of = components[number[root]];
      of.children.push_back(children[i]);
      of.coefficient += coefficient_of(children[i]) / 8.0F;
    }
    return components;
  }

  void find_components() {
    std::unordered_map<std::int64_t, std::vector<Child>> irregular;
    std::vector<Place> cells;
    for (std::size_t i = 0; i < fine_.irregular.size(); ++i) {
      const Place& at = fine_.irregular[i].cell;
      const Place cell = {at[0] / 2, at[1] / 2, at[2] / 2};
      auto& children = irregular[node_at(coarse_.level.body, cell)];
      if (children.empty()) cells.push_back(cell);
      children.push_back({at, static_cast<std::int64_t>(i)});
    }
    for (const Place& cell : cells) {
      std::vector<Child> children = regular_children(cell);
      const std::int64_t key = node_at(coarse_.level.body, cell);
      children.insert(children.end(), irregular[key].begin(), irregular[key].end());
      components_[key] = split(cell, children);
    }
  }

  // Regular children share the node in the middle of their cell.
  std::vector<Component>& components(const Place& cell) {
    const std::int64_t key = node_at(coarse_.level.body, cell);
    const auto known = components_.find(key);
    if (known != components_.end()) return known->second;
    const std::vector<Child> children = regular_children(cell);
    return components_[key] = children.empty() ? std::vector<Component>() : split(cell, children);
  }

  void find_full() {
    full_.assign(coarse_.level.body.size, 0);
    for (int z = 0; z < cells_[2]; ++z)
      for (int y = 0; y < cells_[1]; ++y)
        for (int x = 0; x < cells_[0]; ++x) {
          const std::int64_t key = coarse_.level.body.at(x, y, z);
          full_[static_cast<std::size_t>(key)] = !components_.contains(key) && eight_children({x, y, z}) ? 1 : 0;
        }
  }

  // The nodes at a position: elements around it that share a child's node with a value from there have one together.
  void find_nodes(const Place& at) {
    const NodeGrid& body = coarse_.level.body;
    std::vector<std::pair<Place, unsigned>> around;  // cells, and which of their corners the position is
    bool full = true;
    for (unsigned c = 0; c < 8; ++c) {
      const Place cell = moved(at, c, -1);
      if (!inside(cell)) continue;
      around.emplace_back(cell, c);
      full = full && full_[static_cast<std::size_t>(node_at(body, cell))] != 0;
    }
    if (full) return;
    std::vector<std::tuple<std::int64_t, std::size_t, unsigned>> parents;
    std::vector<float> share;
    std::vector<std::pair<std::int64_t, std::size_t>> keys;
    for (const auto& [cell, corner] : around) {
      const std::vector<Component>& here = components(cell);
      for (std::size_t i = 0; i < here.size(); ++i) {
        for (const Child& child : here[i].children) {
          const Corners node = nodes_of(child);
          for (unsigned c = 0; c < 8; ++c)
            if (weight_of(cell, moved(child.cell, c), corner) > 0.0) keys.emplace_back(node[c], parents.size());
        }
        parents.emplace_back(node_at(body, cell), i, corner);
        share.push_back(here[i].coefficient);
      }
    }
    Forest forest(parents.size());
    forest.join_equal(keys);
    std::vector<float> sum(parents.size(), 0.0F);
    for (std::size_t i = 0; i < parents.size(); ++i) sum[forest.root(i)] += share[i];
    const auto first = static_cast<std::size_t>(std::ranges::max_element(sum) - sum.begin());
    std::unordered_map<std::size_t, std::int64_t> further;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const std::size_t root = forest.root(i);
      if (root == first) continue;
      const auto [known, is_new] = further.emplace(root, further_);
      if (is_new) ++further_;
      const auto& [key, number, corner] = parents[i];
      components_[key][number].node[corner] = further_node(known->second);
    }
  }

  std::int64_t further_node(std::int64_t number) const {
    const auto& n = coarse_.level.body.nodes;
    const std::int64_t in_plane = static_cast<std::int64_t>(n[0]) * n[1];
    return coarse_.level.body.at(static_cast<int>(number % n[0]), static_cast<int>(number / n[0] % n[1]),
                                 n[2] + static_cast<int>(number / in_plane));
  }
  static std::int64_t end_of_body(const NodeGrid& body) { return body.at(0, -1, body.nodes[2]); }

  // What a fine node gets from a corner of a coarse element.
  static double weight_of(const Place& cell, const Place& fine, unsigned corner) {
    double weight = 1.0;
    for (unsigned d = 0; d < 3; ++d) {
      const double t = 0.5 * (fine[d] - 2 * cell[d]);
      weight *= (corner >> d & 1U) != 0 ? t : 1.0 - t;
    }
    return weight;
  }

  void place_elements() {
    MaskLevel& level = coarse_.level;
    const auto& n = level.body.nodes;
    const std::int64_t in_plane = static_cast<std::int64_t>(n[0]) * n[1];
    const auto planes = static_cast<int>((further_ + in_plane - 1) / in_plane);
    level.grid = NodeGrid({n[0], n[1], n[2] + planes});
    level.element.assign(level.grid.size, 0.0F);
    for (int z = 0; z < cells_[2]; ++z)
      for (int y = 0; y < cells_[1]; ++y)
        for (int x = 0; x < cells_[0]; ++x) {
          const Place cell = {x, y, z};
          const std::int64_t key = node_at(level.body, cell);
          float& element = level.element[static_cast<std::size_t>(key)];
          const auto known = components_.find(key);
          if (known == components_.end()) {
            for (const Child& child : regular_children(cell)) element += coefficient_of(child) / 8.0F;
            continue;
          }
          const Corners own = body_corners(level.body, cell);
          for (const Component& one : known->second)
            if (one.node == own)
              element += one.coefficient;
            else
              coarse_.irregular.push_back({cell, one.coefficient, one.node});
        }
  }

  void find_transfer() {
    const std::int64_t end = end_of_body(fine_.level.body), coarse_end = end_of_body(coarse_.level.body);
    std::vector<Entry> up, down;
    std::vector<bool> known(fine_.level.grid.size, false);
    for (const auto& [key, here] : components_)
      for (const Component& parent : here)
        for (const Child& child : parent.children) {
          const Corners node = nodes_of(child);
          // The cell of the parent is that of any child.
          const Place cell = {child.cell[0] / 2, child.cell[1] / 2, child.cell[2] / 2};
          for (unsigned c = 0; c < 8; ++c) {
            const auto of = static_cast<std::size_t>(node[c]);
            if (known[of]) continue;
            const Place at = moved(child.cell, c);
            bool regular = node[c] < end;
            for (unsigned k = 0; k < 8; ++k)
              regular = regular && (weight_of(cell, at, k) == 0.0 || parent.node[k] < coarse_end);
            if (regular) continue;
            known[of] = true;
            for (unsigned k = 0; k < 8; ++k)
              if (const double weight = weight_of(cell, at, k); weight > 0.0) {
                up.push_back({node[c], parent.node[k], weight});
                down.push_back({parent.node[k], node[c], weight});
              }
          }
        }
    fine_.level.interpolation = rows_of(std::move(up));
    fine_.level.restriction = rows_of(std::move(down));
  }

  Draft& fine_;
  Draft coarse_;
  Place cells_{};
  std::unordered_map<std::int64_t, std::vector<Component>> components_;  // where they are not one full element
  std::vector<std::uint8_t> full_;                                       // by cell: all eight children, all regular
  std::int64_t further_ = 0;
};

// The operator's rows that are no stencil computation, and the diagonal.
void finish(Draft& draft, const std::array<double, 3>& spacing) {
  MaskLevel& level = draft.level;
  level.weight = element_stiffness(spacing);
  level.stiffness.assign(level.grid.size, 0.0);
  const NodeGrid& body = level.body;
  for (int z = 0; z < body.nodes[2]; ++z)
    for (int y = 0; y < body.nodes[1]; ++y)
      for (int x = 0; x < body.nodes[0]; ++x) {
        double sum = 0.0;
        for (int e = 0; e < 8; ++e)
          sum += static_cast<double>(level.element[body.index(x - e % 2, y - e / 2 % 2, z - e / 4)]);
        level.stiffness[body.index(x, y, z)] = level.weight[0] * sum;
      }
  std::vector<Entry> entries;
  for (const Irregular& element : draft.irregular)
    for (std::size_t a = 0; a < 8; ++a) {
      const auto k = static_cast<double>(element.coefficient);
      level.stiffness[static_cast<std::size_t>(element.node[a])] += level.weight[0] * k;
      for (std::size_t b = 0; b < 8; ++b)
        entries.push_back({element.node[a], element.node[b], level.weight[a ^ b] * k});
    }
  level.irregular = rows_of(std::move(entries));
  level.nodes = std::ranges::count_if(level.stiffness, [](double one) { return one > 0.0; });
}

}  // namespace

std::vector<MaskLevel> mask_levels(const Elements& elements) {
  const auto& n = elements.cells;
  const std::size_t count =
      static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
  if (n[0] < 1 || n[1] < 1 || n[2] < 1 || elements.coefficient.size() != count)
    throw std::invalid_argument("multigrid: the coefficients do not match the cells");
  if (std::ranges::none_of(elements.coefficient, [](float k) { return k > 0.0F; }))
    throw std::invalid_argument("multigrid: the mask is empty");
  Draft draft;
  draft.level.body = draft.level.grid = NodeGrid(corners_of(n));
  draft.level.element.assign(draft.level.grid.size, 0.0F);
  std::size_t c = 0;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) draft.level.element[draft.level.grid.index(x, y, z)] = elements.coefficient[c++];
  std::array<double, 3> h = elements.spacing;
  finish(draft, h);
  std::vector<MaskLevel> levels;
  for (Place cells = n; draft.level.nodes > coarsest_nodes && halved(cells) != cells;) {
    cells = halved(cells);
    for (double& side : h) side *= 2.0;
    Draft next = Coarsening(draft, cells).run();
    finish(next, h);
    levels.push_back(std::move(draft.level));
    draft = std::move(next);
  }
  levels.push_back(std::move(draft.level));
  return levels;
}

}  // namespace fdtd::multigrid
