#include "scenes/mesh/tree/tree_build.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace fdtd {
namespace {

constexpr std::size_t bins = 16;
constexpr int deepest_heuristic = 40;  // levels; below them halves by number, so that the depth stays below 70
constexpr double cost_of_node = 0.5;   // of a level of two children, in tests of four triangles

std::uint32_t packets_of(std::uint32_t triangles) { return (triangles + 3) / 4; }

TightBox nothing() {
  TightBox box;
  box.low.fill(std::numeric_limits<float>::infinity());
  box.high.fill(-std::numeric_limits<float>::infinity());
  return box;
}

void add(TightBox& box, const TightBox& other) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = std::min(box.low[d], other.low[d]);
    box.high[d] = std::max(box.high[d], other.high[d]);
  }
}

double half_area(const TightBox& box) {
  const double x = double{box.high[0]} - box.low[0], y = double{box.high[1]} - box.low[1],
               z = double{box.high[2]} - box.low[2];
  return x < 0.0 ? 0.0 : x * y + y * z + z * x;
}

float centre(const TightBox& box, std::size_t d) { return 0.5F * box.low[d] + 0.5F * box.high[d]; }

struct Pair {  // a node of two children
  TightBox box;
  std::uint32_t first = 0, count = 0, below = 0;  // below: the first of two children; 0: a leaf
  int level = 0;
};

struct Cut {
  std::size_t axis = 3;  // 3: none
  std::size_t bin = 0;
  double cost = std::numeric_limits<double>::infinity();
};

// The bins of centres along an axis.
struct Bins {
  float low = 0.0F, scale = 0.0F;
  std::size_t of(float x) const {
    return static_cast<std::size_t>(std::clamp((x - low) * scale, 0.0F, static_cast<float>(bins - 1)));
  }
};

class PairTree {
 public:
  PairTree(const std::vector<TightBox>& boxes, std::vector<std::uint32_t>& order) : boxes_(boxes), order_(order) {
    nodes_.reserve(boxes.size());
    nodes_.push_back(
        {box_of(0, static_cast<std::uint32_t>(boxes.size())), 0, static_cast<std::uint32_t>(boxes.size()), 0, 0});
    for (std::size_t n = 0; n < nodes_.size(); ++n) split(n);  // it grows
  }
  const Pair& operator[](std::size_t n) const { return nodes_[n]; }

 private:
  TightBox box_of(std::uint32_t first, std::uint32_t count) const {
    TightBox box = nothing();
    for (std::uint32_t i = first; i < first + count; ++i) add(box, boxes_[order_[i]]);
    return box;
  }

  std::array<Bins, 3> bins_of(const Pair& node) const {
    std::array<Bins, 3> found;
    for (std::size_t d = 0; d < 3; ++d) {
      float low = std::numeric_limits<float>::infinity(), high = -low;
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const float x = centre(boxes_[order_[i]], d);
        low = std::min(low, x);
        high = std::max(high, x);
      }
      const float width = high - low;
      found[d] = {low, width > 0.0F ? static_cast<float>(bins) / width : 0.0F};
      if (!std::isfinite(found[d].scale)) found[d].scale = 0.0F;
    }
    return found;
  }

  Cut best_cut(const Pair& node, const std::array<Bins, 3>& where) const {
    std::array<std::array<TightBox, bins>, 3> box;
    std::array<std::array<std::uint32_t, bins>, 3> count{};
    for (auto& axis : box) axis.fill(nothing());
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      const TightBox& one = boxes_[order_[i]];
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t b = where[d].of(centre(one, d));
        add(box[d][b], one);
        ++count[d][b];
      }
    }
    Cut best;
    for (std::size_t d = 0; d < 3; ++d) {
      if (where[d].scale == 0.0F) continue;
      std::array<double, bins> right{};  // cost of the bins from b on
      TightBox all = nothing();
      std::uint32_t sum = 0;
      for (std::size_t b = bins - 1; b > 0; --b) {
        add(all, box[d][b]);
        sum += count[d][b];
        right[b] = half_area(all) * packets_of(sum);
      }
      all = nothing();
      sum = 0;
      for (std::size_t b = 0; b + 1 < bins; ++b) {
        add(all, box[d][b]);
        sum += count[d][b];
        const double cost = half_area(all) * packets_of(sum) + right[b + 1];
        if (sum > 0 && sum < node.count && cost < best.cost) best = {d, b, cost};
      }
    }
    return best;
  }

  void split(std::size_t n) {
    const Pair node = nodes_[n];
    if (node.count <= 1) return;
    const auto first = order_.begin() + node.first, last = first + node.count;
    const std::array<Bins, 3> where = bins_of(node);
    const Cut cut = node.level < deepest_heuristic ? best_cut(node, where) : Cut{};
    auto middle = first + node.count / 2;
    if (cut.axis < 3) {
      const double whole = half_area(node.box);
      if (node.count <= largest_leaf && cut.cost + cost_of_node * whole >= whole * packets_of(node.count)) return;
      middle = std::stable_partition(
          first, last, [&](std::uint32_t i) { return where[cut.axis].of(centre(boxes_[i], cut.axis)) <= cut.bin; });
    } else if (node.count <= largest_leaf) {
      return;
    }
    const auto left = static_cast<std::uint32_t>(middle - first);
    nodes_[n].below = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({box_of(node.first, left), node.first, left, 0, node.level + 1});
    nodes_.push_back(
        {box_of(node.first + left, node.count - left), node.first + left, node.count - left, 0, node.level + 1});
  }

  const std::vector<TightBox>& boxes_;
  std::vector<std::uint32_t>& order_;
  std::vector<Pair> nodes_;
};

std::uint32_t leaf_of(const Pair& node) { return leaf_bit | (node.count - 1) << leaf_shift | node.first; }

}  // namespace

BuiltTree build_tree(const std::vector<TightBox>& boxes) {
  BuiltTree tree;
  if (boxes.empty()) return tree;
  tree.order.resize(boxes.size());
  std::iota(tree.order.begin(), tree.order.end(), 0U);
  const PairTree pairs(boxes, tree.order);
  if (pairs[0].below == 0) {
    tree.root = leaf_of(pairs[0]);
    return tree;
  }
  tree.root = 0;
  // Depth first: what a ray visits one after the other lies together.
  struct Waiting {
    std::uint32_t pair, parent;  // a node of two; the child of which node
    std::size_t child;
  };
  std::vector<Waiting> waiting{{0, no_child, 0}};
  while (!waiting.empty()) {
    const Waiting one = waiting.back();
    waiting.pop_back();
    const auto number = static_cast<std::uint32_t>(tree.nodes.size());
    if (one.parent != no_child) tree.nodes[one.parent].child[one.child] = number;
    std::array<std::uint32_t, node_width> wide{pairs[one.pair].below, pairs[one.pair].below + 1};
    std::size_t count = 2;
    while (count < node_width) {
      std::size_t widest = node_width;
      for (std::size_t i = 0; i < count; ++i)
        if (pairs[wide[i]].below != 0 &&
            (widest == node_width || half_area(pairs[wide[i]].box) > half_area(pairs[wide[widest]].box)))
          widest = i;
      if (widest == node_width) break;
      const std::uint32_t below = pairs[wide[widest]].below;
      wide[widest] = below;
      wide[count++] = below + 1;
    }
    TreeNode node;
    std::fill(std::begin(node.child), std::end(node.child), no_child);
    for (std::size_t i = 0; i < node_width; ++i) {
      const TightBox box = i < count ? pairs[wide[i]].box : nothing();
      for (std::size_t d = 0; d < 3; ++d) {
        node.sides[d][i] = box.low[d];
        node.sides[d + 3][i] = box.high[d];
      }
      if (i >= count) continue;
      const Pair& pair = pairs[wide[i]];
      if (pair.below == 0) node.child[i] = leaf_of(pair);
    }
    tree.nodes.push_back(node);
    for (std::size_t i = count; i-- > 0;)
      if (pairs[wide[i]].below != 0) waiting.push_back({wide[i], number, i});
  }
  return tree;
}

}  // namespace fdtd
