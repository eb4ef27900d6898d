// |W|^2 of taps: what their weights on nodes make of waves, at the wave vectors of rays (source_gain.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/tap_weights.hpp"

namespace fdtd {

// A ray at a frequency of a table: its weight, also times g squared, and the wave vector.
struct RayPoint {
  double weight = 0.0, gain_squared = 0.0, number = 0.0;  // number: the true wave number, 1/m
  std::array<double, 3> k{};                              // radians a cell
};

// Values at the four mirror images of an octant's wave vector that differ by more than its sign: its own, and those of
// which the first, the second and the third component is negative.
using Mirrored = std::array<double, 4>;

// A tap's |W|^2 at the mirror images of a wave vector: a product over the axes, or a sum of such for an operation.
class TapResponse {
 public:
  TapResponse(const Tap& tap, const Grid& grid, const TapWeights& weights);

  const FieldOperator& operation() const { return operation_; }
  bool omnidirectional() const { return operation_.empty(); }
  bool by_ball() const { return read_by_ball(operation_); }
  // Where the node below it lies along an axis, of an omnidirectional tap: its |W|^2 is the same at 1 - place.
  double place(std::size_t d) const;
  // The factor of one axis in an omnidirectional tap's |W|^2.
  double factor(std::size_t d, double k) const { return power(d, k); }
  Mirrored operator()(const std::array<double, 3>& k) const;
  // The exact value for waves of wave number `number` (1/m): |P(direction) number^n|^2.
  Mirrored ideal(const std::array<double, 3>& k, double number) const;
  // Whether both read the same sums along the axes of nodes: never those of a ball.
  bool shares_nodes_with(const TapResponse& other) const;

 private:
  friend class PlaceResponse;
  double power(std::size_t d, double k) const;
  // Of a ball, without its leakage: of wave number `number` (1/m). The squares of harmonics are even in each axis.
  double wave_number(const std::array<double, 3>& k) const;  // 1/m
  Mirrored of_ball(const std::array<double, 3>& k, double number, double reach) const;
  FieldOperator operation_;
  std::array<double, 3> spacing_;
  double reach_ = 0.0;                              // of a ball
  std::array<std::vector<double>, 3> correlation_;  // of an omnidirectional tap's weights with themselves, by lag
  std::array<std::vector<AxisWeights>, 3> axes_;    // by order of the derivative
  std::array<double, 3> from_{};                    // of the first node, in cells from the tap
};

// The taps at one place, such as the channels of an ambisonic receiver. Their operations are sums of few products of the
// same sums along the axes: these are found once for all of them.
class PlaceResponse {
 public:
  // Taps that share their nodes, none of them omnidirectional.
  explicit PlaceResponse(const std::vector<const TapResponse*>& taps);
  // |W|^2 of each tap.
  void operator()(const std::array<double, 3>& k, std::span<Mirrored> squares) const;

 private:
  static constexpr std::size_t max_order = 4;
  struct Axis {
    std::array<std::vector<double>, max_order> weights;  // by order of the derivative, in 1/m to that order
    double from = 0.0;
  };
  struct Term {
    std::size_t product = 0;
    double coefficient = 0.0;
  };
  std::size_t orders_ = 1;
  std::array<Axis, 3> axes_;
  std::vector<std::array<std::size_t, 3>> products_;  // orders along the axes, each triple once
  std::vector<std::vector<Term>> taps_;
};

}  // namespace fdtd
