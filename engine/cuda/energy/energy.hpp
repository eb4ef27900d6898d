// The energy that a room holds, H of backend.hpp, in double, layer by layer: every block writes the sum of a part that
// depends on its layer alone (layers.hpp), and a layer's parts are added in order. Too slow for every step.
#pragma once

#include <array>

#include "engine/cuda/energy/energy_box.hpp"
#include "engine/cuda/energy/energy_tables.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/walls/walls.hpp"
#include "engine/plan/image_walls.hpp"

namespace fdtd::cuda {

template <class T>
class EnergyMeter {
 public:
  // mirror: what BoxEnergy is to do; the tables have no corrections then.
  EnergyMeter(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers, const ImageWalls& mirror,
              const EnergyTables<T>& tables, const std::vector<MassNode>& mass_nodes, const LossSums& loss_sums,
              const WallsView<T>& walls);
  // By layer of the slab's own. after: u^{n+1}, u: u^n, the arrays' first values. Waits for the result.
  std::vector<double> stored(const T* after, const T* u, Stream stream) const;

 private:
  SegmentsView<T> segments() const {
    return {segments_.data(), entry_begin_.data(), entry_offset_.data(), entry_weight_.data()};
  }

  OwnLayers layers_;
  WallsView<T> walls_;
  BoxEnergy<T> box_;
  DeviceArray<std::int64_t> offset_;  // of the stencil's points but the centre
  DeviceArray<T> weight_;
  double rest_ = 0.0;  // 2 minus all weights
  DeviceArray<SegmentPlace> segments_;
  DeviceArray<std::uint64_t> entry_begin_;
  DeviceArray<std::int32_t> entry_offset_;
  DeviceArray<T> entry_weight_;
  DeviceArray<LayerPart> segment_parts_, mass_parts_;
  DeviceArray<MassNode> mass_nodes_;
  // By kind of part: of the box, of segments, of sites, of heavy nodes.
  std::array<DeviceArray<std::uint32_t>, 4> first_;  // of a layer's parts, and one more
  mutable std::array<DeviceArray<double>, 4> sums_;
  mutable DeviceArray<double> layers_sum_;
};

}  // namespace fdtd::cuda
