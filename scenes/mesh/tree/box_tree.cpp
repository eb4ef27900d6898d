#include "scenes/mesh/tree/box_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scenes/mesh/tree/lanes.hpp"
#include "scenes/mesh/tree/rounded.hpp"

namespace fdtd {

BoxTree::BoxTree(const std::vector<AxisBox>& boxes) {
  if (boxes.empty()) return;
  AxisBox all = boxes.front();
  for (const AxisBox& box : boxes)
    for (std::size_t d = 0; d < 3; ++d) {
      all.low[d] = std::min(all.low[d], box.low[d]);
      all.high[d] = std::max(all.high[d], box.high[d]);
    }
  double widest = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    middle_[d] = 0.5 * all.low[d] + 0.5 * all.high[d];
    widest = std::max({widest, all.high[d] - all.low[d], std::abs(middle_[d])});
  }
  beyond_ = 0x1p-30 * widest;
  std::vector<TightBox> tight(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      tight[i].low[d] = rounded_down(boxes[i].low[d] - middle_[d]);
      tight[i].high[d] = rounded_up(boxes[i].high[d] - middle_[d]);
    }
  BuiltTree built = build_tree(tight);
  nodes_ = std::move(built.nodes);
  order_ = std::move(built.order);
  root_ = built.root;
  boxes_.reserve(boxes.size());
  for (const std::uint32_t i : order_) boxes_.push_back(boxes[i]);
}

BoxTree::Segment::Segment(const Point& a, const Point& b, double reach, const Point& middle, double beyond) {
  for (std::size_t d = 0; d < 3; ++d) {
    auto way = static_cast<float>(b[d] - a[d]);
    if (std::abs(way) < 1e-30F) way = std::copysign(1e-30F, way);  // its inverse is finite
    inverse[d] = 1.0F / way;
    const double from = a[d] - middle[d], wide = reach + beyond;
    const bool backwards = std::signbit(way);
    near_from[d] = backwards ? rounded_down(from - wide) : rounded_up(from + wide);
    far_from[d] = backwards ? rounded_up(from + wide) : rounded_down(from - wide);
    near[d] = d + (backwards ? 3 : 0);
    far[d] = d + (backwards ? 0 : 3);
  }
}

unsigned BoxTree::Segment::meets(const TreeNode& node) const {
  constexpr float slack = 1.0F + 0x1p-20F;  // beyond the rounding of three products
  Floats enter = Floats::all(0.0F), leave = Floats::all(1.0F);
  for (std::size_t d = 0; d < 3; ++d) {
    const Floats over = Floats::all(inverse[d]);
    enter = most((Floats::load(node.sides[near[d]]) - Floats::all(near_from[d])) * over, enter);
    leave = least((Floats::load(node.sides[far[d]]) - Floats::all(far_from[d])) * over, leave);
  }
  return not_above(enter, leave * Floats::all(slack));
}

BoxTree::Within::Within(const AxisBox& one, double reach, const Point& middle, double beyond) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = rounded_down(one.low[d] - middle[d] - reach - beyond);
    box.high[d] = rounded_up(one.high[d] - middle[d] + reach + beyond);
  }
}

unsigned BoxTree::Within::meets(const TreeNode& node) const {
  unsigned met = (1U << node_width) - 1;
  for (std::size_t d = 0; d < 3; ++d)
    met &= not_above(Floats::load(node.sides[d]), Floats::all(box.high[d])) &
           not_above(Floats::all(box.low[d]), Floats::load(node.sides[d + 3]));
  return met;
}

bool BoxTree::meets(const AxisBox& box, const Point& a, const Point& b, double reach) {
  double from = 0.0, to = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double low = box.low[d] - reach - a[d], high = box.high[d] + reach - a[d], way = b[d] - a[d];
    if (way == 0.0) {
      if (low > 0.0 || high < 0.0) return false;
      continue;
    }
    const auto [enter, leave] = std::minmax({low / way, high / way});
    from = std::max(from, enter);
    to = std::min(to, leave);
    if (from > to) return false;
  }
  return true;
}

}  // namespace fdtd
