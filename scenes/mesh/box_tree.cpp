#include "scenes/mesh/box_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace fdtd {
namespace {

constexpr std::uint32_t leaf_size = 8;

AxisBox around(const AxisBox& a, const AxisBox& b) {
  AxisBox both;
  for (std::size_t d = 0; d < 3; ++d) {
    both.low[d] = std::min(a.low[d], b.low[d]);
    both.high[d] = std::max(a.high[d], b.high[d]);
  }
  return both;
}

double centre(const AxisBox& box, std::size_t d) { return box.low[d] + box.high[d]; }  // twice

}  // namespace

BoxTree::BoxTree(std::vector<AxisBox> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  if (boxes_.empty()) return;
  std::iota(order_.begin(), order_.end(), 0U);
  nodes_.push_back({{}, 0, static_cast<std::uint32_t>(boxes_.size()), 0});
  for (std::size_t n = 0; n < nodes_.size(); ++n) {  // it grows
    const auto [first, last] = std::pair{nodes_[n].first, nodes_[n].last};
    AxisBox box = boxes_[order_[first]], centres;
    centres.low.fill(std::numeric_limits<double>::infinity());
    centres.high.fill(-std::numeric_limits<double>::infinity());
    for (std::uint32_t i = first; i < last; ++i) {
      const AxisBox& one = boxes_[order_[i]];
      box = around(box, one);
      for (std::size_t d = 0; d < 3; ++d) {
        centres.low[d] = std::min(centres.low[d], centre(one, d));
        centres.high[d] = std::max(centres.high[d], centre(one, d));
      }
    }
    nodes_[n].box = box;
    if (last - first <= leaf_size) continue;
    std::size_t along = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (centres.high[d] - centres.low[d] > centres.high[along] - centres.low[along]) along = d;
    const std::uint32_t half = first + (last - first) / 2;
    std::nth_element(order_.begin() + first, order_.begin() + half, order_.begin() + last,
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double x = centre(boxes_[a], along), y = centre(boxes_[b], along);
                       return x != y ? x < y : a < b;
                     });
    nodes_[n].below = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({{}, first, half, 0});
    nodes_.push_back({{}, half, last, 0});
  }
}

bool BoxTree::meets(const AxisBox& box, const std::array<double, 3>& a, const std::array<double, 3>& b, double reach) {
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
