#include "engine/cuda/field/transfer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {
namespace {

// Rows of nx values, ny rows a plane: packed on the host, with the layout's pitches on the GPU.
cudaMemcpy3DParms copy_of(void* field, const Layout& layout, int begin, int count, void* host, cudaMemcpyKind kind) {
  const auto nx = static_cast<std::size_t>(layout.size[0]), ny = static_cast<std::size_t>(layout.size[1]);
  auto* const first =
      static_cast<std::byte*>(field) + static_cast<std::size_t>(layout.offset(0, 0, begin)) * layout.value_bytes;
  const cudaPitchedPtr device =
      make_cudaPitchedPtr(first, static_cast<std::size_t>(layout.row) * layout.value_bytes, nx * layout.value_bytes,
                          static_cast<std::size_t>(layout.plane / layout.row));
  const cudaPitchedPtr packed = make_cudaPitchedPtr(host, nx * layout.value_bytes, nx * layout.value_bytes, ny);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = kind == cudaMemcpyDeviceToHost ? device : packed;
  copy.dstPtr = kind == cudaMemcpyDeviceToHost ? packed : device;
  copy.extent = make_cudaExtent(nx * layout.value_bytes, ny, static_cast<std::size_t>(count));
  copy.kind = kind;
  return copy;
}

void copy_all(const cudaMemcpy3DParms& copy) {
  FDTD_CUDA(cudaMemcpy3DAsync(&copy, own_stream()));
  wait_for_device();
}

template <class T>
void plane_in(const T* field, const Layout& layout, int axis, int index, std::span<float> values) {
  std::array<std::size_t, 3> corner{}, extent{};
  for (std::size_t d = 0; d < 3; ++d) extent[d] = static_cast<std::size_t>(layout.size[d]);
  corner[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(index);
  extent[static_cast<std::size_t>(axis)] = 1;
  const auto at = [&](std::size_t d) { return static_cast<std::int64_t>(corner[d]); };
  std::vector<T> packed(extent[0] * extent[1] * extent[2]);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(field + layout.offset(at(0), at(1), at(2))),
                                    static_cast<std::size_t>(layout.row) * sizeof(T), extent[0] * sizeof(T),
                                    static_cast<std::size_t>(layout.plane / layout.row));
  copy.dstPtr = make_cudaPitchedPtr(packed.data(), extent[0] * sizeof(T), extent[0] * sizeof(T), extent[1]);
  copy.extent = make_cudaExtent(extent[0] * sizeof(T), extent[1], extent[2]);
  copy.kind = cudaMemcpyDeviceToHost;
  copy_all(copy);
  std::transform(packed.begin(), packed.end(), values.begin(), [](T u) { return static_cast<float>(u); });
}

template <class T>
Extreme extreme_in(const T* field, const Layout& layout) {
  const auto nx = static_cast<std::size_t>(layout.size[0]), ny = static_cast<std::size_t>(layout.size[1]);
  std::vector<T> plane(nx * ny);
  Extreme most;
  std::uint64_t node = 0;
  for (int z = 0; z < layout.size[2]; ++z) {
    FDTD_CUDA(cudaMemcpy2DAsync(plane.data(), nx * sizeof(T), field + layout.offset(0, 0, z),
                                static_cast<std::size_t>(layout.row) * sizeof(T), nx * sizeof(T), ny,
                                cudaMemcpyDeviceToHost, own_stream()));
    wait_for_device();
    for (const T u : plane) {
      const auto value = static_cast<double>(u);
      if (!std::isfinite(value)) return {node, value};
      if (std::abs(value) > most.value) most = {node, std::abs(value)};
      ++node;
    }
  }
  return most;
}

}  // namespace

void save_planes(const void* field, const Layout& layout, int begin, int count, std::byte* to) {
  wait_for_device();
  const cudaMemcpy3DParms copy = copy_of(const_cast<void*>(field), layout, begin, count, to, cudaMemcpyDeviceToHost);
  copy_all(copy);
}

void restore_planes(void* field, const Layout& layout, int begin, int count, const std::byte* from) {
  wait_for_device();
  const cudaMemcpy3DParms copy =
      copy_of(field, layout, begin, count, const_cast<std::byte*>(from), cudaMemcpyHostToDevice);
  copy_all(copy);
}

void copy_plane(const void* field, const Layout& layout, int axis, int index, std::span<float> values) {
  wait_for_device();
  if (layout.value_bytes == sizeof(float))
    plane_in(static_cast<const float*>(field), layout, axis, index, values);
  else
    plane_in(static_cast<const double*>(field), layout, axis, index, values);
}

Extreme extreme_of(const void* field, const Layout& layout) {
  wait_for_device();
  return layout.value_bytes == sizeof(float) ? extreme_in(static_cast<const float*>(field), layout)
                                             : extreme_in(static_cast<const double*>(field), layout);
}

}  // namespace fdtd::cuda
