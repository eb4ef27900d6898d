#include "engine/rays/ball_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vectors.hpp"
#include "scenes/mesh/tree/lanes.hpp"
#include "scenes/mesh/tree/rounded.hpp"

namespace fdtd {
namespace {

constexpr double wider = 1.0 + 1e-6;  // beyond the rounding of a radius and of its square

// The ball about the middle of the box that holds all.
Ball ball_about(std::span<const Ball> balls, std::span<const std::uint32_t> numbers) {
  Point low = balls[numbers[0]].centre, high = low;
  for (const std::uint32_t i : numbers)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], balls[i].centre[d]);
      high[d] = std::max(high[d], balls[i].centre[d]);
    }
  Ball all;
  for (std::size_t d = 0; d < 3; ++d) all.centre[d] = 0.5 * low[d] + 0.5 * high[d];
  for (const std::uint32_t i : numbers)
    all.radius = std::max(all.radius, norm(minus(balls[i].centre, all.centre)) + balls[i].radius);
  return all;
}

// Into parts of `size` numbers, of which the last may have fewer: halves across the longest axis.
void divide(std::span<const Ball> balls, std::span<std::uint32_t> numbers, std::size_t size,
            std::vector<std::span<std::uint32_t>>& parts) {
  const std::size_t pieces = (numbers.size() + size - 1) / size;
  if (pieces <= 1) {
    parts.push_back(numbers);
    return;
  }
  Point low = balls[numbers[0]].centre, high = low;
  for (const std::uint32_t i : numbers)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], balls[i].centre[d]);
      high[d] = std::max(high[d], balls[i].centre[d]);
    }
  const Point sides = minus(high, low);
  const auto axis = static_cast<std::size_t>(std::ranges::max_element(sides) - sides.begin());
  const std::size_t first = pieces / 2 * size;
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(first), numbers.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double x = balls[a].centre[axis], y = balls[b].centre[axis];
                     return x != y ? x < y : a < b;
                   });
  divide(balls, numbers.first(first), size, parts);
  divide(balls, numbers.subspan(first), size, parts);
}

}  // namespace

BallTree::BallTree(std::span<const Ball> balls) {
  if (balls.empty()) return;
  std::vector<std::uint32_t> numbers(balls.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  const Ball all = ball_about(balls, numbers);
  middle_ = all.centre;
  reach_ = all.radius;
  add_node(balls, numbers);
}

std::uint32_t BallTree::add_node(std::span<const Ball> balls, std::span<std::uint32_t> numbers) {
  const auto at = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  std::size_t size = 1;  // of a child's part
  while (size * width < numbers.size()) size *= width;
  std::vector<std::span<std::uint32_t>> parts;
  divide(balls, numbers, size, parts);
  Node node;
  node.leaf = size == 1;
  node.square.fill(-1e30F);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Ball ball = node.leaf ? balls[parts[i][0]] : ball_about(balls, parts[i]);
    for (std::size_t d = 0; d < 3; ++d) node.centre[d][i] = static_cast<float>(ball.centre[d] - middle_[d]);
    node.radius[i] = rounded_up(wider * ball.radius);
    node.square[i] = rounded_up(wider * wider * ball.radius * ball.radius);
    node.child[i] = node.leaf ? parts[i][0] : add_node(balls, parts[i]);
  }
  nodes_[at] = node;
  return at;
}

// With distances up to R and values of relative rounding u = 6e-8 the square of a ball's distance from the ray is off by
// less than 30 u R^2, and a place along it by less than 10 u R.
BallTree::Segment::Segment(const BallTree& tree, const Point& start, const Point& way, double first, double last) {
  const Point at = minus(start, tree.middle_);
  const double reach = norm(at) + tree.reach_;
  for (std::size_t d = 0; d < 3; ++d) {
    from[d] = static_cast<float>(at[d]);
    direction[d] = static_cast<float>(way[d]);
  }
  begin = rounded_down(first - 2e-6 * reach);
  end = rounded_up(std::min(last, 4.0 * reach) + 2e-6 * reach);
  slack = rounded_up(4e-6 * reach * reach);
}

unsigned BallTree::Segment::meets(const Node& node) const {
  Floats nearest = Floats::all(0.0F), square = Floats::all(0.0F);
  for (std::size_t d = 0; d < 3; ++d) {
    const Floats way = Floats::load(node.centre[d].data()) - Floats::all(from[d]);
    nearest = nearest + way * Floats::all(direction[d]);
    square = square + way * way;
  }
  const Floats radius = Floats::load(node.radius.data());
  return not_above(square - nearest * nearest, Floats::load(node.square.data()) + Floats::all(slack)) &
         not_above(Floats::all(begin), nearest + radius) & not_above(nearest - radius, Floats::all(end));
}

}  // namespace fdtd
