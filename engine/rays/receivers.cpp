#include "engine/rays/receivers.hpp"

#include <numbers>
#include <utility>

namespace fdtd {
namespace {

constexpr std::size_t many = 20;  // receivers, from which a tree of boxes is faster
constexpr int ball_points = 4096;

double halton(int index, int base) {
  double sum = 0.0, digit = 1.0;
  for (; index > 0; index /= base) sum += (digit /= base) * (index % base);
  return sum;
}

// The fraction of a ball that its centre sees.
double seen_fraction(const TriangleTree& walls, const Point& centre, double radius) {
  int points = 0, seen = 0;
  for (int i = 1; points < ball_points; ++i) {
    const Point in = {2.0 * halton(i, 2) - 1.0, 2.0 * halton(i, 3) - 1.0, 2.0 * halton(i, 5) - 1.0};
    if (dot(in, in) > 1.0) continue;
    ++points;
    if (walls.free_between(centre, along(centre, radius, in), no_facet, no_facet)) ++seen;
  }
  return static_cast<double>(seen) / ball_points;
}

}  // namespace

RayReceivers::RayReceivers(const FacetRoom& room, std::span<const RayReceiver> receivers) : tree_of_walls_(room.tree) {
  std::vector<AxisBox> boxes;
  for (const RayReceiver& receiver : receivers) {
    ReceiverBall ball{receiver.position, receiver.radius, 0.0, false, UINT32_MAX};
    const double whole = 4.0 / 3.0 * std::numbers::pi * receiver.radius * receiver.radius * receiver.radius;
    ball.cut = room.tree.distance(receiver.position, receiver.radius) < receiver.radius;
    ball.air = ball.cut ? whole * seen_fraction(room.tree, receiver.position, receiver.radius) : whole;
    if (receiver.directions) ball.directional = static_cast<std::uint32_t>(directional_++);
    balls_.push_back(ball);
    AxisBox box;
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = receiver.position[d] - receiver.radius;
      box.high[d] = receiver.position[d] + receiver.radius;
    }
    boxes.push_back(box);
  }
  if (balls_.size() >= many) tree_.emplace(std::move(boxes));
}

}  // namespace fdtd
