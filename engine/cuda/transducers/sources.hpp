// Sources on the GPU. In a step with a drive, one small launch before the step subtracts the drive from u- (the scheme
// then adds it to u+), and one after it adds up the injected energy. One thread works a node that several sources
// drive.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/stream.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::cuda {

struct DrivenPair {
  std::uint32_t source = 0;
  double gain = 0.0;    // to u+, mass divided out
  double weight = 0.0;  // drive_scale times the tap's weight: injected energy is weight f (u+ - u-)/2
};

struct DriveTables {
  std::vector<std::int64_t> offset;  // of the driven nodes, ascending
  std::vector<std::uint32_t> begin;  // pairs of node i: [begin[i], begin[i + 1])
  std::vector<DrivenPair> pairs;     // of a node in the order of the sources
  std::vector<LayerPart> layers;     // of the nodes: those of each layer of the slab's own
};
DriveTables pack_drive(const Plan& plan, const Layout& layout, const OwnLayers& layers);

template <class T>
struct DriveView {
  std::uint32_t nodes;
  const std::int64_t* offset;
  const std::uint32_t* begin;
  const DrivenPair* pairs;
  const LayerPart* layers;
  std::uint32_t layer_count;
  T* before;         // u- of the nodes
  double* injected;  // by layer
};

template <class T>
class DriveMemory {
 public:
  explicit DriveMemory(const DriveTables& tables)
      : offset_(tables.offset),
        begin_(tables.begin),
        pairs_(tables.pairs),
        layers_(tables.layers),
        before_(tables.offset.size()) {}
  DriveView<T> view(double* injected) const {
    return {static_cast<std::uint32_t>(offset_.size()), offset_.data(), begin_.data(), pairs_.data(), layers_.data(),
            static_cast<std::uint32_t>(layers_.size()), before_.data(), injected};
  }

 private:
  DeviceArray<std::int64_t> offset_;
  DeviceArray<std::uint32_t> begin_;
  DeviceArray<DrivenPair> pairs_;
  DeviceArray<LayerPart> layers_;
  DeviceArray<T> before_;
};

// f[source * stride] is what the source drives in this step.
template <class T>
void launch_drive(const DriveView<T>& view, const double* f, std::int64_t stride, T* u0, Stream stream);
template <class T>
void launch_accumulate_injected_energy(const DriveView<T>& view, const double* f, std::int64_t stride, const T* u0,
                                       Stream stream);

}  // namespace fdtd::cuda
