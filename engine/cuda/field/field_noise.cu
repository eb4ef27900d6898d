// Grid-stride loops over a whole array, halo and padding included; results by atomic maxima and sums of integers, which
// do not depend on order. The bits of doubles that are not negative order as the numbers do, NaN above all.
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/gpu/launch.cuh"

namespace fdtd::cuda {
namespace {

constexpr int threads = 256, blocks = 2048;

__device__ bool inside(std::int64_t i, const Layout& layout) {
  const std::int64_t p = i - layout.first;
  if (p < 0) return false;
  const std::int64_t in_plane = p % layout.plane;
  return p / layout.plane < layout.size[2] && in_plane / layout.row < layout.size[1] &&
         in_plane % layout.row < layout.size[0];
}

// S. Vigna's splitmix64.
__device__ std::uint64_t scramble(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 30U)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27U)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31U);
}

template <class Function>
__device__ void for_each_value(const Layout& layout, const Function& function) {
  const std::int64_t stride = std::int64_t{blocks} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < layout.length; i += stride) function(i);
}

template <class T>
__global__ void fill(T* field, const Layout layout, std::uint64_t seed) {
  for_each_value(layout, [&](std::int64_t i) {
    const std::uint64_t bits = scramble(seed ^ scramble(static_cast<std::uint64_t>(i))) >> 40U;  // 24
    field[i] = inside(i, layout) ? static_cast<T>(bits) * static_cast<T>(0x1p-23) - 1 : T{0};
  });
}

struct Maxima {
  unsigned long long difference, value;
};

template <class T>
__global__ void compare(const T* a, const T* b, const Layout layout, Maxima* maxima) {
  unsigned long long difference = 0, value = 0;
  for_each_value(layout, [&](std::int64_t i) {
    if (!inside(i, layout)) return;
    const double left = static_cast<double>(a[i]), right = static_cast<double>(b[i]);
    const auto bits = [](double d) { return static_cast<unsigned long long>(__double_as_longlong(fabs(d))); };
    difference = max(difference, bits(left - right));
    value = max(value, bits(right));
  });
  atomicMax(&maxima->difference, difference);
  atomicMax(&maxima->value, value);
}

template <class T>
__global__ void count_strays(const T* field, const Layout layout, unsigned long long* count) {
  unsigned long long strays = 0;
  for_each_value(layout, [&](std::int64_t i) { strays += field[i] != T{0} && !inside(i, layout) ? 1 : 0; });
  atomicAdd(count, strays);
}

Precision precision_of(const Layout& layout) {
  return layout.value_bytes == sizeof(float) ? Precision::f32 : Precision::f64;
}

}  // namespace

void fill_random(void* field, const Layout& layout, std::uint64_t seed) {
  with_value_type(precision_of(layout), [&](auto value) {
    fill<<<blocks, threads, 0, own_stream()>>>(static_cast<decltype(value)*>(field), layout, seed);
  });
  FDTD_CUDA(cudaGetLastError());
}

double relative_difference(const void* a, const void* b, const Layout& layout) {
  const DeviceMemory memory = take_device_memory(sizeof(Maxima));
  auto* const maxima = static_cast<Maxima*>(memory.get());
  clear_device_memory(maxima, sizeof(Maxima));
  with_value_type(precision_of(layout), [&](auto value) {
    using T = decltype(value);
    compare<<<blocks, threads, 0, own_stream()>>>(static_cast<const T*>(a), static_cast<const T*>(b), layout, maxima);
  });
  FDTD_CUDA(cudaGetLastError());
  double found[2] = {};  // bit for bit what compare() left
  static_assert(sizeof(found) == sizeof(Maxima));
  copy_to_host(found, maxima, sizeof(found));
  return found[0] == 0.0 ? 0.0 : found[0] / found[1];
}

std::int64_t stray_values(const void* field, const Layout& layout) {
  const DeviceMemory memory = take_device_memory(sizeof(unsigned long long));
  auto* const count = static_cast<unsigned long long*>(memory.get());
  clear_device_memory(count, sizeof(unsigned long long));
  with_value_type(precision_of(layout), [&](auto value) {
    count_strays<<<blocks, threads, 0, own_stream()>>>(static_cast<const decltype(value)*>(field), layout, count);
  });
  FDTD_CUDA(cudaGetLastError());
  unsigned long long strays = 0;
  copy_to_host(&strays, count, sizeof(strays));
  return static_cast<std::int64_t>(strays);
}

}  // namespace fdtd::cuda
