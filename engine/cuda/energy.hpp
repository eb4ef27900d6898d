// The energy that a room holds, H of backend.hpp, in double: every block writes the sum of a part that depends on the grid
// alone, and the host adds the parts in order. Any stencil, a loop over its points: for now and then, not for every step.
#pragma once

#include "engine/cuda/array.hpp"
#include "engine/cuda/walls.hpp"

namespace fdtd::cuda {

template <class T>
class EnergyMeter {
 public:
  EnergyMeter() = default;
  EnergyMeter(const GridStencil& stencil, const Layout& layout, const std::vector<HeavyNode>& heavy,
              const WallsView<T>& walls);
  // after: u^{n+1}, u: u^n, the arrays' first values. Waits for the result.
  double stored(const T* after, const T* u, Stream stream) const;

 private:
  Layout layout_;
  WallsView<T> walls_{};
  DeviceArray<std::int64_t> offset_;  // of the stencil's points but the centre
  DeviceArray<T> weight_;
  double rest_ = 0.0;  // 2 minus all weights
  DeviceArray<HeavyNode> heavy_;
  std::uint32_t box_blocks_ = 0, wall_blocks_ = 0, heavy_blocks_ = 0;
  mutable DeviceArray<double> parts_;
};

}  // namespace fdtd::cuda
