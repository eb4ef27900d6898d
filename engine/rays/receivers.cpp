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

// Each is independent of the others: any number of threads.
std::vector<ReceiverBall> balls_of(const TriangleTree& walls, std::span<const RayReceiver> receivers, bool late) {
  std::vector<ReceiverBall> balls;
  std::uint32_t directional = 0;
  for (const RayReceiver& receiver : receivers) {
    const double radius = late && receiver.late_radius > 0.0 ? receiver.late_radius : receiver.radius;
    balls.push_back({receiver.position, radius, 0.0, false, UINT32_MAX});
    if (receiver.directions) balls.back().directional = directional++;
  }
#pragma omp parallel for schedule(dynamic)
  for (std::size_t r = 0; r < balls.size(); ++r) {
    ReceiverBall& ball = balls[r];
    ball.cut = walls.distance(ball.centre, ball.radius) < ball.radius;
    ball.air = 4.0 / 3.0 * std::numbers::pi * ball.radius * ball.radius * ball.radius *
               (ball.cut ? seen_fraction(walls, ball.centre, ball.radius) : 1.0);
  }
  return balls;
}

}  // namespace

ReceiverBalls::ReceiverBalls(const TriangleTree& walls, std::vector<ReceiverBall> balls)
    : walls_(walls), balls_(std::move(balls)) {
  if (balls_.size() < many) return;
  std::vector<AxisBox> boxes(balls_.size());
  for (std::size_t r = 0; r < balls_.size(); ++r)
    for (std::size_t d = 0; d < 3; ++d) {
      boxes[r].low[d] = balls_[r].centre[d] - balls_[r].radius;
      boxes[r].high[d] = balls_[r].centre[d] + balls_[r].radius;
    }
  tree_.emplace(boxes);
}

RayReceivers::RayReceivers(const FacetRoom& room, std::span<const RayReceiver> receivers)
    : early_(room.tree, balls_of(room.tree, receivers, false)) {
  bool grown = false;
  for (const RayReceiver& one : receivers) {
    grown = grown || (one.late_radius > 0.0 && one.late_radius != one.radius);
    directional_ += one.directions ? 1 : 0;
  }
  if (grown) late_.emplace(room.tree, balls_of(room.tree, receivers, true));
}

}  // namespace fdtd
