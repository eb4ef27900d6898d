// Balls in a tree of balls, eight a node: which of them may a segment cross?
//
// Late sound is counted in balls that fill a fifteenth of a room's section and overlap, so that the boxes about them
// prune little: a node is judged by its children's balls as they are. In single precision and a little wider than they
// are, for the tree only prunes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

struct Ball {
  Point centre{};
  double radius = 0.0;  // m
};

class BallTree {
 public:
  explicit BallTree(std::span<const Ball> balls);

  // Calls visit(number) for each ball that is crossed between `begin` and `end` m on the ray, and for some beside.
  template <class Visit>
  void near(const Point& from, const Point& direction, double begin, double end, const Visit& visit) const {
    if (nodes_.empty()) return;
    const Segment segment(*this, from, direction, begin, end);
    std::array<std::uint32_t, most_nodes> waiting;
    std::size_t count = 1;
    waiting[0] = 0;
    while (count > 0) {
      const Node& node = nodes_[waiting[--count]];
      for (unsigned met = segment.meets(node); met != 0; met &= met - 1) {
        const std::uint32_t child = node.child[static_cast<std::size_t>(__builtin_ctz(met))];
        if (node.leaf)
          visit(child);
        else
          waiting[count++] = child;
      }
    }
  }

 private:
  static constexpr std::size_t width = 8, most_nodes = 7 * 12 + 1;  // a level has eight times the balls of the next

  struct Node {
    alignas(32) std::array<std::array<float, width>, 3> centre{};  // m, from the middle of all
    std::array<float, width> radius{}, square{};                   // of no child: square is below 0
    std::array<std::uint32_t, width> child{};                      // a ball of a leaf, else a node
    bool leaf = false;
  };

  struct Segment {
    std::array<float, 3> from{}, direction{};
    float begin = 0.0F, end = 0.0F, slack = 0.0F;  // m, m, m2
    Segment(const BallTree& tree, const Point& start, const Point& way, double first, double last);
    unsigned meets(const Node& node) const;  // a bit for each child
  };

  std::uint32_t add_node(std::span<const Ball> balls, std::span<std::uint32_t> numbers);

  std::vector<Node> nodes_;  // the root first
  Point middle_{};           // m
  double reach_ = 0.0;       // m: of all balls from there
};

}  // namespace fdtd
