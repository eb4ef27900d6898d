#include "engine/adjoint/tap_shift.hpp"

#include <cstdint>
#include <map>

namespace fdtd {

TapChange tap_shift(std::size_t tap, const std::array<double, 3>& position, int axis, double step,
                    const std::function<Tap(const std::array<double, 3>&)>& make) {
  std::map<std::uint64_t, double> weights;
  for (const double side : {1.0, -1.0}) {
    std::array<double, 3> at = position;
    at[static_cast<std::size_t>(axis)] += side * step;
    const Tap moved = make(at);
    for (std::size_t i = 0; i < moved.nodes.size(); ++i)
      weights[moved.nodes[i]] += side * moved.weights[i] / (2.0 * step);
  }
  TapChange made;
  made.tap = tap;
  for (const auto& [node, weight] : weights) {
    made.change.nodes.push_back(node);
    made.change.weights.push_back(weight);
  }
  return made;
}

}  // namespace fdtd
