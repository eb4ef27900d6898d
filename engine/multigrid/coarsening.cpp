// One level of a mask from the next finer one.
//
// Almost all coarse cells have children with all corners in the body, which share the node in the middle of their cell:
// one element, and eight bits say which children there are. Around a coarse position those bits decide which elements
// have a node together. Only cells with other children, beside walls of less than a cell, keep lists of their elements.
#include <algorithm>
#include <numeric>
#include <span>

#include "base/parallel_failure.hpp"
#include "engine/multigrid/coarse_position.hpp"
#include "engine/multigrid/mask_draft.hpp"

namespace fdtd::multigrid {
namespace {

// Elements of one coarse cell beyond this number become one: pockets of air no longer than a cell are many.
constexpr std::size_t max_in_cell = 8;
constexpr std::int64_t worth_threads = 1 << 14;  // cells

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

class Coarsening {
 public:
  Coarsening(Draft& fine, const Place& cells) : fine_(fine), cells_(cells) {
    coarse_.level.body = NodeGrid({cells[0] + 1, cells[1] + 1, cells[2] + 1});
  }
  Draft run() {
    find_children();
    list_irregular();
    find_nodes();
    place_elements();
    find_transfer();
    return std::move(coarse_);
  }

 private:
  // A corner of an element, by its number in lists_ or by the key of its cell.
  struct Corner {
    std::int64_t key = 0;  // of the cell
    std::size_t number = 0;
    unsigned corner = 0;
    std::int64_t node = 0;  // number of the further node, of those of a plane
  };
  struct Cell {
    Place at{};
    std::vector<Component> elements;
  };

  template <class Plane>
  void for_planes(int planes, const Plane& plane) const {
    const std::int64_t count = static_cast<std::int64_t>(cells_[0]) * cells_[1] * planes;
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (count > worth_threads)
    for (int z = 0; z < planes; ++z) failure.guard([&] { plane(z); });
    failure.rethrow();
  }
  std::size_t index(const Place& cell) const { return static_cast<std::size_t>(node_at(coarse_.level.body, cell)); }
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

  // Regular children, by the element's node: a halo of cells without any serves positions at the boundary.
  void find_children() {
    children_.assign(coarse_.level.body.size, 0);
    const NodeGrid& fine = fine_.level.body;
    const float* const element = fine_.level.element.data();
    for_planes(cells_[2], [&](int z) {
      for (int y = 0; y < cells_[1]; ++y)
        for (int c = 0; c < 8; ++c) {
          const int fy = 2 * y + c / 2 % 2, fz = 2 * z + c / 4;
          // Beyond the last cell lie nodes where no element begins; beyond those nothing is read.
          if (fy >= fine.nodes[1] || fz >= fine.nodes[2]) continue;
          const float* const from = element + fine.at(c % 2, fy, fz);
          std::uint8_t* const to = children_.data() + coarse_.level.body.at(0, y, z);
          for (int x = 0; x < cells_[0]; ++x)
            to[x] = static_cast<std::uint8_t>(to[x] | (from[2 * static_cast<std::ptrdiff_t>(x)] > 0.0F ? 1 << c : 0));
        }
    });
  }
  std::vector<Child> regular_children(const Place& cell) const {
    std::vector<Child> children;
    for (unsigned c = 0; c < 8; ++c)
      if ((children_[index(cell)] >> c & 1U) != 0)
        children.push_back({moved({2 * cell[0], 2 * cell[1], 2 * cell[2]}, c), -1});
    return children;
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
        number[i] = std::min(components.size(), max_in_cell - 1);
        if (components.size() < max_in_cell) components.push_back({{}, 0.0F, body_corners(coarse_.level.body, cell)});
      }
      Component& of = components[number[root]];
      of.children.push_back(children[i]);
      of.coefficient += coefficient_of(children[i]) / 8.0F;
    }
    return components;
  }

  // Cells with irregular children get lists of their elements.
  void list_irregular() {
    listed_.assign(coarse_.level.body.size, -1);
    std::vector<std::vector<Child>> children;
    for (std::size_t i = 0; i < fine_.irregular.size(); ++i) {
      const Place& at = fine_.irregular[i].cell;
      const Place cell = {at[0] / 2, at[1] / 2, at[2] / 2};
      std::int64_t& list = listed_[index(cell)];
      if (list < 0) {
        list = static_cast<std::int64_t>(lists_.size());
        lists_.push_back({cell, {}});
        children.push_back(regular_children(cell));
      }
      children[static_cast<std::size_t>(list)].push_back({at, static_cast<std::int64_t>(i)});
    }
    const auto count = static_cast<std::int64_t>(lists_.size());
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic, 64) if (count > worth_threads / 64)
    for (std::int64_t i = 0; i < count; ++i)
      failure.guard([&] {
        Cell& of = lists_[static_cast<std::size_t>(i)];
        of.elements = split(of.at, children[static_cast<std::size_t>(i)]);
      });
    failure.rethrow();
  }

  // Calls take(number, children, coefficient) for the elements of a cell.
  template <class Take>
  void for_elements(const Place& cell, const Take& take) const {
    const std::size_t i = index(cell);
    if (listed_[i] >= 0) {
      const std::vector<Component>& here = lists_[static_cast<std::size_t>(listed_[i])].elements;
      for (std::size_t k = 0; k < here.size(); ++k) take(k, std::span(here[k].children), here[k].coefficient);
      return;
    }
    std::array<Child, 8> children;
    std::size_t count = 0;
    float coefficient = 0.0F;
    for (unsigned c = 0; c < 8; ++c) {
      if ((children_[i] >> c & 1U) == 0) continue;
      children[count].cell = moved({2 * cell[0], 2 * cell[1], 2 * cell[2]}, c);
      coefficient += coefficient_of(children[count++]) / 8.0F;
    }
    if (count > 0) take(0, std::span<const Child>(children.data(), count), coefficient);
  }

  std::vector<Component> elements_of(const Place& cell) const {
    std::vector<Component> all;
    for_elements(cell, [&](std::size_t, std::span<const Child> children, float coefficient) {
      all.push_back({{children.begin(), children.end()}, coefficient, body_corners(coarse_.level.body, cell)});
    });
    return all;
  }

  // The nodes at a position: elements around it that share a child's node with a value from there have one together.
  // That of the largest is in the body, the others are further nodes, numbered by position.
  void find_nodes() {
    const NodeGrid& body = coarse_.level.body;
    std::vector<std::vector<Corner>> corners(static_cast<std::size_t>(body.nodes[2]));
    std::vector<std::int64_t> further(corners.size(), 0);
    for_planes(body.nodes[2], [&](int z) {
      const auto plane = static_cast<std::size_t>(z);
      for (int y = 0; y < body.nodes[1]; ++y)
        for (int x = 0; x < body.nodes[0]; ++x)
          if (!one_node({x, y, z})) find_nodes({x, y, z}, corners[plane], further[plane]);
    });
    for (std::size_t z = 0; z < corners.size(); ++z) {
      for (const Corner& one : corners[z]) {
        std::int64_t& list = listed_[static_cast<std::size_t>(one.key)];
        if (list < 0) {
          const Place cell = place_of(one.key);
          std::vector<Component> elements = elements_of(cell);
          list = static_cast<std::int64_t>(lists_.size());
          lists_.push_back({cell, std::move(elements)});
        }
        lists_[static_cast<std::size_t>(list)].elements[one.number].node[one.corner] =
            further_node(further_ + one.node);
      }
      further_ += further[z];
    }
  }
  Place place_of(std::int64_t key) const {
    const NodeGrid& body = coarse_.level.body;
    const std::int64_t from = key - body.at(0, 0, 0), z = from / body.plane, y = from % body.plane / body.row;
    return {static_cast<int>(from % body.row), static_cast<int>(y), static_cast<int>(z)};
  }

  // Is there one node at most, by the bits of the cells around?
  bool one_node(const Place& at) const {
    static const std::array<std::uint8_t, meeting_kinds> table = meeting_table();
    const NodeGrid& body = coarse_.level.body;
    const std::size_t own = index(at);
    std::array<unsigned, 8> meets{};
    unsigned here = 0, full = 255;
    for (unsigned k = 0; k < 8; ++k) {
      const std::size_t i = own - (k & 1U) - (k >> 1 & 1U) * static_cast<std::size_t>(body.row) -
                            (k >> 2) * static_cast<std::size_t>(body.plane);
      if (listed_[i] >= 0) return false;
      if (children_[i] == 0) continue;
      here |= 1U << k;
      full &= children_[i];
      // A cell below the position along an axis has its higher children next to it.
      meets[k] = table[static_cast<std::size_t>(children_[i]) * 8 + k];
    }
    if (here == 0 || (here == 255 && full == 255)) return true;
    unsigned joined = here & (~here + 1U);
    while (joined != here) {
      const unsigned before = joined;
      for (unsigned k = 0; k < 8; ++k) {
        if ((joined >> k & 1U) == 0) continue;
        for (unsigned axes = 1; axes < 8; ++axes)
          if ((meets[k] & meets[k ^ axes]) >> axes & 1U) joined |= 1U << (k ^ axes);
      }
      if (joined == before) return false;
    }
    return true;
  }

  void find_nodes(const Place& at, std::vector<Corner>& corners, std::int64_t& count) const {
    constexpr std::size_t most = 8 * max_in_cell;
    std::array<Corner, most> parents{};
    std::array<float, most> coefficients{};
    std::array<std::uint8_t, most> above{};  // of a tree's members: another member; itself: the root
    std::size_t n = 0;
    const auto root = [&](std::size_t i) {
      while (above[i] != i) i = above[i];
      return i;
    };
    std::array<Known, 27> known;
    for (unsigned corner = 0; corner < 8; ++corner) {
      const Place cell = moved(at, corner, -1);
      if (!inside(cell)) continue;
      for_elements(cell, [&](std::size_t number, std::span<const Child> children, float coefficient) {
        parents[n] = {node_at(coarse_.level.body, cell), number, corner, 0};
        coefficients[n] = coefficient;
        above[n] = static_cast<std::uint8_t>(n);
        for (const Child& child : children) {
          const Corners node = nodes_of(child);
          for (unsigned c = 0; c < 8; ++c) {
            const int offset = common_place(at, moved(child.cell, c));
            if (offset < 0) continue;
            const std::size_t a = root(known[static_cast<std::size_t>(offset)].first_with(node[c], n)), b = root(n);
            above[std::max(a, b)] = static_cast<std::uint8_t>(std::min(a, b));
          }
        }
        ++n;
      });
    }
    std::array<float, most> sum{};
    for (std::size_t i = 0; i < n; ++i) sum[root(i)] += coefficients[i];
    const std::span<const float> sums(sum.data(), n);
    const auto first = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
    std::array<std::int64_t, most> further{};  // by root, from 1
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t of = root(i);
      if (of == first) continue;
      if (further[of] == 0) further[of] = ++count;
      corners.push_back(parents[i]);
      corners.back().node = further[of] - 1;
    }
  }

  std::int64_t further_node(std::int64_t number) const {
    const auto& n = coarse_.level.body.nodes;
    const std::int64_t in_plane = static_cast<std::int64_t>(n[0]) * n[1];
    return coarse_.level.body.at(static_cast<int>(number % n[0]), static_cast<int>(number / n[0] % n[1]),
                                 n[2] + static_cast<int>(number / in_plane));
  }
  static std::int64_t end_of_body(const NodeGrid& body) { return body.at(0, -1, body.nodes[2]); }

  void place_elements() {
    MaskLevel& level = coarse_.level;
    const auto& n = level.body.nodes;
    const std::int64_t in_plane = static_cast<std::int64_t>(n[0]) * n[1];
    const auto planes = static_cast<int>((further_ + in_plane - 1) / in_plane);
    level.grid = NodeGrid({n[0], n[1], n[2] + planes});
    level.element.assign(level.grid.size, 0.0F);
    const NodeGrid& fine = fine_.level.body;
    for_planes(cells_[2], [&](int z) {
      for (int y = 0; y < cells_[1]; ++y)
        for (int c = 0; c < 8; ++c) {
          const int fy = 2 * y + c / 2 % 2, fz = 2 * z + c / 4;
          if (fy >= fine.nodes[1] || fz >= fine.nodes[2]) continue;
          const float* const from = fine_.level.element.data() + fine.at(c % 2, fy, fz);
          float* const to = level.element.data() + level.body.at(0, y, z);
          for (int x = 0; x < cells_[0]; ++x) to[x] += from[2 * static_cast<std::ptrdiff_t>(x)] / 8.0F;
        }
    });
    std::ranges::sort(lists_, {}, [&](const Cell& one) { return index(one.at); });
    for (const Cell& one : lists_) {
      float& element = level.element[index(one.at)];
      element = 0.0F;
      const Corners own = body_corners(level.body, one.at);
      for (const Component& of : one.elements)
        if (of.node == own)
          element += of.coefficient;
        else
          coarse_.irregular.push_back({one.at, of.coefficient, of.node});
    }
  }

  // Fine nodes that are further nodes or have values from some.
  void find_transfer() {
    const std::int64_t end = end_of_body(fine_.level.body), coarse_end = end_of_body(coarse_.level.body);
    std::vector<Entry> up, down;
    std::vector<bool> known(fine_.level.grid.size, false);
    for (const Cell& one : lists_)
      for (const Component& parent : one.elements)
        for (const Child& child : parent.children) {
          const Corners node = nodes_of(child);
          for (unsigned c = 0; c < 8; ++c) {
            const auto of = static_cast<std::size_t>(node[c]);
            if (known[of]) continue;
            const Place at = moved(child.cell, c);
            bool regular = node[c] < end;
            for (unsigned k = 0; k < 8; ++k)
              regular = regular && (weight_of(one.at, at, k) == 0.0 || parent.node[k] < coarse_end);
            if (regular) continue;
            known[of] = true;
            for (unsigned k = 0; k < 8; ++k)
              if (const double weight = weight_of(one.at, at, k); weight > 0.0) {
                up.push_back({node[c], parent.node[k], weight});
                down.push_back({parent.node[k], node[c], weight});
              }
          }
        }
    fine_.level.interpolation = rows_of(std::move(up), fine_.level.grid.size);
    fine_.level.restriction = rows_of(std::move(down), coarse_.level.grid.size);
  }

  Draft& fine_;
  Draft coarse_;
  Place cells_{};
  std::vector<std::uint8_t> children_;  // by cell: which regular ones there are
  std::vector<std::int64_t> listed_;    // by cell: its place in lists_; -1: at most one element, with regular children
  std::vector<Cell> lists_;
  std::int64_t further_ = 0;
};

}  // namespace

Draft coarsened(Draft& fine, const Place& cells) { return Coarsening(fine, cells).run(); }

}  // namespace fdtd::multigrid
