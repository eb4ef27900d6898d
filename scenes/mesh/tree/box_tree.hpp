// Axis-parallel boxes in the tree of boxes (tree_build.hpp): which of them does a segment or a box come near to?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/tree/tree_build.hpp"

namespace fdtd {

struct AxisBox {
  std::array<double, 3> low{}, high{};
};

class BoxTree {
 public:
  explicit BoxTree(const std::vector<AxisBox>& boxes);

  // Calls visit(number) for each box that the segment from a to b meets once it is widened by `reach`, in an order that
  // depends on the boxes alone; until it returns false.
  template <class Visit>
  void near(const Point& a, const Point& b, double reach, const Visit& visit) const {
    const Segment segment(a, b, reach, middle_, beyond_);
    search([&](const TreeNode& node) { return segment.meets(node); },
           [&](const AxisBox& box) { return meets(box, a, b, reach); }, visit);
  }
  // The same for the boxes that one of its own kind meets.
  template <class Visit>
  void meeting(const AxisBox& one, double reach, const Visit& visit) const {
    const Within within(one, reach, middle_, beyond_);
    search([&](const TreeNode& node) { return within.meets(node); },
           [&](const AxisBox& box) {
             bool touches = true;
             for (std::size_t d = 0; d < 3; ++d)
               touches = touches && box.low[d] - reach <= one.high[d] && box.high[d] + reach >= one.low[d];
             return touches;
           },
           visit);
  }

 private:
  // Both in single precision and a little wider than they are: they only prune.
  struct Segment {
    std::array<float, 3> near_from{}, far_from{}, inverse{};
    std::array<std::size_t, 3> near{}, far{};
    Segment(const Point& a, const Point& b, double reach, const Point& middle, double beyond);
    unsigned meets(const TreeNode& node) const;  // a bit for each child
  };
  struct Within {
    TightBox box;
    Within(const AxisBox& one, double reach, const Point& middle, double beyond);
    unsigned meets(const TreeNode& node) const;
  };

  template <class NodeMeets, class BoxMeets, class Visit>
  void search(const NodeMeets& node_meets, const BoxMeets& box_meets, const Visit& visit) const {
    std::array<std::uint32_t, most_waiting> waiting;
    std::size_t count = 0;
    if (root_ != no_child) waiting[count++] = root_;
    while (count > 0) {
      const std::uint32_t child = waiting[--count];
      if ((child & leaf_bit) != 0) {
        const std::uint32_t first = child & leaf_first, last = first + ((child & ~leaf_bit) >> leaf_shift);
        for (std::uint32_t i = first; i <= last; ++i)
          if (box_meets(boxes_[i]) && !visit(order_[i])) return;
      } else {
        const TreeNode& node = nodes_[child];
        for (unsigned met = node_meets(node); met != 0; met &= met - 1)
          waiting[count++] = node.child[static_cast<std::size_t>(__builtin_ctz(met))];
      }
    }
  }

  static bool meets(const AxisBox& box, const Point& a, const Point& b, double reach);

  std::vector<AxisBox> boxes_;  // in the order of leaves
  std::vector<std::uint32_t> order_;
  std::vector<TreeNode> nodes_;
  std::uint32_t root_ = no_child;
  Point middle_{};       // m: boxes of nodes are relative to it
  double beyond_ = 0.0;  // m: queries are wider by that
};

}  // namespace fdtd
