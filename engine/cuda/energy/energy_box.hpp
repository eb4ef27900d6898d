// The energy that the open box holds, or one with mirror images of it behind its walls, by layer: what energy.hpp adds
// corrections, branches and masses to. Short leggy stencils and small ones with the cube's symmetries have kernels of
// their own; for others there is a loop over the stencil's rows: points that differ in x alone are taken from vectors
// that are loaded once.
#pragma once

#include <optional>

#include "engine/cuda/field/layers.hpp"
#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/gpu/stream.hpp"
#include "engine/plan/image_walls.hpp"
#include "stencils/weights.hpp"

namespace fdtd::cuda {

// 1/2 (|d|^2 + <u+, K u>) at one node, d = u+ - u, K = 2 - S.
FDTD_HOST_DEVICE double energy_of(double after, double u, double K_u) {
  const double d = after - u;
  return 0.5 * (d * d + after * K_u);
}

// Has it a kernel that goes through columns of nodes, the only ones that do mirrored walls?
bool has_columns(const GridStencil& stencil);

template <class T>
class BoxEnergy {
 public:
  // mirror: walls whose images are read, those that the step's kernel mirrors; of others the halo's zeros are.
  BoxEnergy(const GridStencil& stencil, const Layout& layout, const OwnLayers& layers, const ImageWalls& mirror);
  std::uint32_t parts_a_layer() const;
  // sums[layer * parts_a_layer() + part]: 1/2 (|u+ - u|^2 + <u+, (2 - S) u>) over a part, wherever a room is cut into
  // slabs. after: u+, u: the arrays' first values.
  void launch(const T* after, const T* u, double* sums, Stream stream) const;

 private:
  template <class Function>
  void with_kernel(const Function& function) const;

  Layout layout_;
  OwnLayers layers_;
  ImageWalls mirror_;
  int radius_;
  std::optional<StarWeights> star_;
  std::optional<CubeWeights> cube_;
  bool columns_;
  double rest_ = 0.0;                 // 2 minus all weights
  DeviceArray<std::int64_t> offset_;  // of a row's middle, from the node
  DeviceArray<std::uint32_t> first_;  // weight of row r: [first[r], first[r + 1]), one for dx = 0 or 2 radius + 1
  DeviceArray<T> weight_;
};

}  // namespace fdtd::cuda
