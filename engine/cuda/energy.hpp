// The energy that a room holds, H of backend.hpp, in double, layer by layer: every block writes the sum of a part that depends
// on its layer alone (layers.hpp), and the host adds the parts in order. Any stencil, a loop over its points: for now and
// then, not for every step.
#pragma once

#include "engine/cuda/array.hpp"
#include "engine/cuda/energy_tables.hpp"
#include "engine/cuda/walls.hpp"

namespace fdtd::cuda {

template <class T>
class EnergyMeter {
 public:
  EnergyMeter(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers, const EnergyTables<T>& tables,
              const std::vector<HeavyNode>& heavy, const Tally& tally, const WallsView<T>& walls);
  // By layer of the slab's own. after: u^{n+1}, u: u^n, the arrays' first values. Waits for the result.
  std::vector<double> stored(const T* after, const T* u, Stream stream) const;

 private:
  SegmentsView<T> segments() const {
    return {segments_.data(), entry_begin_.data(), entry_offset_.data(), entry_weight_.data()};
  }

  Layout layout_;
  OwnLayers layers_;
  WallsView<T> walls_;
  DeviceArray<std::int64_t> offset_;  // of the stencil's points but the centre
  DeviceArray<T> weight_;
  double rest_ = 0.0;  // 2 minus all weights
  DeviceArray<SegmentPlace> segments_;
  DeviceArray<std::uint64_t> entry_begin_;
  DeviceArray<std::int32_t> entry_offset_;
  DeviceArray<T> entry_weight_;
  DeviceArray<LayerPart> segment_parts_, heavy_parts_;
  DeviceArray<HeavyNode> heavy_;
  std::vector<std::uint32_t> layer_of_;  // by part: of the box, of segments, of sites, of heavy nodes
  mutable DeviceArray<double> sums_;     // by part
  std::uint32_t box_blocks_ = 0;
};

}  // namespace fdtd::cuda
