// The spheres of receivers, and which of them a ray crosses.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/facets/facets.hpp"
#include "engine/facets/points.hpp"
#include "engine/rays/ray_receiver.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

struct ReceiverBall {
  Point centre{};
  double radius = 0.0, air = 0.0;          // m; m3: the part of the ball that its centre sees
  bool cut = false;                        // by walls
  std::uint32_t directional = UINT32_MAX;  // number among receivers with directions
};

struct Chord {
  double middle = 0.0, length = 0.0;  // m, along the ray
};

// All balls of one kind.
class ReceiverBalls {
 public:
  ReceiverBalls(const TriangleTree& walls, std::vector<ReceiverBall> balls);
  const ReceiverBall& operator[](std::size_t r) const { return balls_[r]; }
  std::size_t size() const { return balls_.size(); }

  // Calls visit(receiver, ball, chord) for the balls on the ray from `begin` to `end` m.
  template <class Visit>
  void on(const Point& from, const Point& direction, double begin, double end, const Visit& visit) const {
    const auto one = [&](std::uint32_t r) {
      const ReceiverBall& ball = balls_[r];
      const Point way = minus(ball.centre, from);
      const double nearest = dot(way, direction);
      const double square = ball.radius * ball.radius - (dot(way, way) - nearest * nearest);
      if (!(square > 0.0)) return true;
      const double half = std::sqrt(square), enter = std::max(begin, nearest - half),
                   leave = std::min(end, nearest + half);
      if (!(leave > enter)) return true;
      const Chord chord{0.5 * (enter + leave), leave - enter};
      if (!ball.cut || walls_.free_between(ball.centre, along(from, chord.middle, direction), no_facet, no_facet))
        visit(r, ball, chord);
      return true;
    };
    if (tree_) {
      tree_->near(along(from, begin, direction), along(from, end, direction), 0.0, one);
    } else {
      for (std::uint32_t r = 0; r < balls_.size(); ++r) one(r);
    }
  }

 private:
  const TriangleTree& walls_;
  std::vector<ReceiverBall> balls_;
  std::optional<BoxTree> tree_;  // of many receivers
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
  ReceiverBalls early_;
  std::optional<ReceiverBalls> late_;  // where a receiver has a radius of its own there
  std::size_t directional_ = 0;
};

}  // namespace fdtd
