// The spheres of receivers, and which of them a ray crosses.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/vectors.hpp"
#include "engine/facets/facets.hpp"
#include "engine/rays/ball_tree.hpp"
#include "engine/rays/facet_sides.hpp"
#include "engine/rays/ray_receiver.hpp"

namespace fdtd {

struct ReceiverBall {
  Point centre{};
  double radius = 0.0, air = 0.0;          // m; m3: the part of the ball that its centre sees
  bool cut = false;                        // by walls
  std::uint32_t directional = UINT32_MAX;  // number among receivers with directions
  double open = 0.0;                       // m2: the square of a radius within which there is no wall
  std::vector<std::uint32_t> facets;       // FacetSides::about(), of a ball that walls cut
};

// The walls of balls: whether the centre of one sees a point of it. Most points need no search.
struct BallWalls {
  const TriangleTree& tree;
  const FacetSides& sides;

  bool seen(const ReceiverBall& ball, const Point& at) const {
    if (!ball.cut) return true;
    const Point way = minus(at, ball.centre);
    return dot(way, way) < ball.open || sides.apart(ball.facets, ball.centre, at) ||
           tree.free_between(ball.centre, at, no_facet, no_facet);
  }
};

struct Chord {
  double middle = 0.0, length = 0.0;  // m, along the ray
};

// All balls of one kind.
class ReceiverBalls {
 public:
  ReceiverBalls(const BallWalls& walls, std::vector<ReceiverBall> balls);
  const ReceiverBall& operator[](std::size_t r) const { return balls_[r]; }
  std::size_t size() const { return balls_.size(); }

  // Calls visit(receiver, ball, chord) for the balls on the ray from `begin` to `end` m.
  template <class Visit>
  void on(const Point& from, const Point& direction, double begin, double end, const Visit& visit) const {
    const auto one = [&](std::uint32_t r) {
      const Point way = minus(plain_[r].centre, from);
      const double nearest = dot(way, direction), radius = plain_[r].radius;
      const double square = radius * radius - (dot(way, way) - nearest * nearest);
      if (!(square > 0.0)) return;
      const double half = std::sqrt(square), enter = std::max(begin, nearest - half),
                   leave = std::min(end, nearest + half);
      if (!(leave > enter)) return;
      const Chord chord{0.5 * (enter + leave), leave - enter};
      const ReceiverBall& ball = balls_[r];
      if (walls_.seen(ball, along(from, chord.middle, direction))) visit(r, ball, chord);
    };
    if (tree_) {
      tree_->near(from, direction, begin, end, one);
    } else {
      for (std::uint32_t r = 0; r < balls_.size(); ++r) one(r);
    }
  }

 private:
  BallWalls walls_;
  std::vector<ReceiverBall> balls_;
  std::vector<Ball> plain_;       // that alone, for most are missed
  std::optional<BallTree> tree_;  // of many receivers
};

// The balls of early sound, and of late sound.
class RayReceivers {
 public:
  RayReceivers(const FacetRoom& room, std::span<const RayReceiver> receivers);
  std::size_t size() const { return early_.size(); }
  std::size_t directional() const { return directional_; }
  const ReceiverBall& operator[](std::size_t r) const { return early_[r]; }
  const ReceiverBalls& early() const { return early_; }
  const ReceiverBalls& late() const { return late_ ? *late_ : early_; }

 private:
  std::unique_ptr<FacetSides> sides_;  // that the balls refer to
  ReceiverBalls early_;
  std::optional<ReceiverBalls> late_;  // where a receiver has a radius of its own there
  std::size_t directional_ = 0;
};

}  // namespace fdtd
