// The layer before an absorbing wall that is no wave.
//
// A wall acts on the nodes from which it reads the pressure in its plane, and wide stencils have evanescent waves. So a
// wave whose normal derivative in the plane is not zero, sin(k s), s nodes from the plane, is on the grid
// sin(k s) + v(s), with v beside the wall alone. It is small, and yet most of what a derivative of high order reads
// there at low frequencies. A wave cos(k s) is mirrored exactly and leaves nothing.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/walls/half_space.hpp"

namespace fdtd {

class WallLayer {
 public:
  WallLayer() = default;  // of rigid walls: none
  // Of a wall that reads with `taps` b, for waves of `waves` radians a cell along the normal: the solution of
  //   (K - K(k)) (sin(k s) + v) = beta b,
  // K the scheme's operator in front of the wall, with the strength beta that leaves v nothing far away.
  WallLayer(const NormalSymbol& symbol, std::span<const double> taps, std::span<const double> waves);

  // v at a node, 0 the wall's own, of the wave with that index.
  double wave(std::size_t index, int node) const { return at(wave_[index], node); }
  // The same of the fields s and s^3.
  double linear(int node) const { return at(linear_, node); }
  double cubic(int node) const { return at(cubic_, node); }
  int depth() const { return depth_; }  // nodes in which it counts

 private:
  static double at(const std::vector<double>& values, int node) {
    return node >= 0 && static_cast<std::size_t>(node) < values.size() ? values[static_cast<std::size_t>(node)] : 0.0;
  }
  std::vector<std::vector<double>> wave_;
  std::vector<double> linear_, cubic_;
  int depth_ = 0;
};

// Of the walls across each axis, by the law of the plan that reads the most nodes there; none of an axis without laws.
std::array<WallLayer, 3> wall_layers(const Plan& plan, std::span<const double> waves);

}  // namespace fdtd
