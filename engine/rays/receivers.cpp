#include "engine/rays/receivers.hpp"

#include <numbers>
#include <utility>

namespace fdtd {
namespace {

constexpr std::size_t many = 4;  // receivers, from which a tree is faster
constexpr int ball_points = 4096;

double halton(int index, int base) {
  double sum = 0.0, digit = 1.0;
  for (; index > 0; index /= base) sum += (digit /= base) * (index % base);
  return sum;
}

// The fraction of a ball that its centre sees.
double seen_fraction(const BallWalls& walls, const ReceiverBall& ball) {
  int points = 0, seen = 0;
  for (int i = 1; points < ball_points; ++i) {
    const Point in = {2.0 * halton(i, 2) - 1.0, 2.0 * halton(i, 3) - 1.0, 2.0 * halton(i, 5) - 1.0};
    if (dot(in, in) > 1.0) continue;
    ++points;
    if (walls.seen(ball, along(ball.centre, ball.radius, in))) ++seen;
  }
  return static_cast<double>(seen) / ball_points;
}

// Each is independent of the others: any number of threads.
std::vector<ReceiverBall> balls_of(const BallWalls& walls, std::span<const RayReceiver> receivers, bool late) {
  constexpr double inside = 1.0 - 1e-6;  // of the squared distance of the nearest wall, for its rounding
  std::vector<ReceiverBall> balls;
  std::uint32_t directional = 0;
  for (const RayReceiver& receiver : receivers) {
    ReceiverBall& ball = balls.emplace_back();
    ball.centre = receiver.position;
    ball.radius = late && receiver.late_radius > 0.0 ? receiver.late_radius : receiver.radius;
    if (receiver.directions) ball.directional = directional++;
  }
#pragma omp parallel for schedule(dynamic) if (balls.size() > 4)
  for (std::size_t r = 0; r < balls.size(); ++r) {
    ReceiverBall& ball = balls[r];
    const double free = walls.tree.distance(ball.centre, ball.radius);
    ball.cut = free < ball.radius;
    ball.open = inside * free * free;
    if (ball.cut) ball.facets = walls.sides.about(ball.centre, ball.radius);
    ball.air = 4.0 / 3.0 * std::numbers::pi * ball.radius * ball.radius * ball.radius *
               (ball.cut ? seen_fraction(walls, ball) : 1.0);
  }
  return balls;
}

}  // namespace

ReceiverBalls::ReceiverBalls(const BallWalls& walls, std::vector<ReceiverBall> balls)
    : walls_(walls), balls_(std::move(balls)) {
  for (const ReceiverBall& ball : balls_) plain_.push_back({ball.centre, ball.radius});
  if (balls_.size() >= many) tree_.emplace(plain_);
}

RayReceivers::RayReceivers(const FacetRoom& room, std::span<const RayReceiver> receivers)
    : sides_(std::make_unique<FacetSides>(room)),
      early_({room.tree, *sides_}, balls_of({room.tree, *sides_}, receivers, false)) {
  bool grown = false;
  for (const RayReceiver& one : receivers) {
    grown = grown || (one.late_radius > 0.0 && one.late_radius != one.radius);
    directional_ += one.directions ? 1 : 0;
  }
  if (grown) late_.emplace(BallWalls{room.tree, *sides_}, balls_of({room.tree, *sides_}, receivers, true));
}

}  // namespace fdtd
