// Axis-parallel boxes in a binary tree: which of them does a segment or a box come near to?
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fdtd {

struct AxisBox {
  std::array<double, 3> low{}, high{};
};

class BoxTree {
 public:
  explicit BoxTree(std::vector<AxisBox> boxes);

  // Calls visit(number) for each box that the segment from a to b meets once it is widened by `reach`, in an order that
  // depends on the boxes alone; until it returns false.
  template <class Visit>
  void near(const std::array<double, 3>& a, const std::array<double, 3>& b, double reach, const Visit& visit) const {
    search([&](const AxisBox& box) { return meets(box, a, b, reach); }, visit);
  }
  // The same for the boxes that one of its own kind meets.
  template <class Visit>
  void meeting(const AxisBox& one, double reach, const Visit& visit) const {
    search(
        [&](const AxisBox& box) {
          bool touches = true;
          for (std::size_t d = 0; d < 3; ++d)
            touches = touches && box.low[d] - reach <= one.high[d] && box.high[d] + reach >= one.low[d];
          return touches;
        },
        visit);
  }

 private:
  template <class Meets, class Visit>
  void search(const Meets& meets_it, const Visit& visit) const {
    std::array<std::uint32_t, 64> waiting{};  // the tree is balanced: its depth is below 32
    std::size_t count = 0;
    if (!nodes_.empty()) waiting[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[waiting[--count]];
      if (!meets_it(node.box)) continue;
      if (node.below == 0) {
        for (std::uint32_t i = node.first; i < node.last; ++i)
          if (meets_it(boxes_[order_[i]]) && !visit(order_[i])) return;
      } else {
        waiting[count++] = node.below + 1;
        waiting[count++] = node.below;
      }
    }
  }

  struct Node {
    AxisBox box;
    std::uint32_t first = 0, last = 0;  // of order_
    std::uint32_t below = 0;            // number of the first of two nodes; 0: a leaf
  };

  static bool meets(const AxisBox& box, const std::array<double, 3>& a, const std::array<double, 3>& b, double reach);

  std::vector<AxisBox> boxes_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace fdtd
