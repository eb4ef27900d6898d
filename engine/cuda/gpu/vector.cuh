// 16 bytes at a time: four floats or two doubles of a row, as loads, stores and asynchronous copies take them. For .cu
// files alone.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace fdtd::cuda {

template <class T>
inline constexpr int lanes = 16 / static_cast<int>(sizeof(T));

template <class T>
struct alignas(16) Vector {
  T lane[lanes<T>];
};

__device__ __forceinline__ float4 as_raw(const Vector<float>& v) {
  return make_float4(v.lane[0], v.lane[1], v.lane[2], v.lane[3]);
}
__device__ __forceinline__ double2 as_raw(const Vector<double>& v) { return make_double2(v.lane[0], v.lane[1]); }
__device__ __forceinline__ Vector<float> as_vector(const float4& v) { return {{v.x, v.y, v.z, v.w}}; }
__device__ __forceinline__ Vector<double> as_vector(const double2& v) { return {{v.x, v.y}}; }

template <class T>
using Raw = decltype(as_raw(Vector<T>{}));

// Aligned loads: from shared memory or global memory; through the read-only cache; of what is read but once.
template <class T>
__device__ __forceinline__ Vector<T> load(const T* p) {
  return as_vector(*reinterpret_cast<const Raw<T>*>(p));
}
template <class T>
__device__ __forceinline__ Vector<T> load_readonly(const T* p) {
  return as_vector(__ldg(reinterpret_cast<const Raw<T>*>(p)));
}
template <class T>
__device__ __forceinline__ Vector<T> load_streaming(const T* p) {
  return as_vector(__ldcs(reinterpret_cast<const Raw<T>*>(p)));
}

// Has all of a loaded vector count as used. A load of which a lane is unused the compiler narrows: three floats become
// two loads, which take shared memory twice as long as the whole vector does, for lanes lie 16 bytes apart in either.
__device__ __forceinline__ void keep_whole(const Vector<float>& v) {
  asm volatile("" ::"f"(v.lane[0]), "f"(v.lane[1]), "f"(v.lane[2]), "f"(v.lane[3]));
}

// Only the first `count` values are written: nodes of the grid, so that the halo keeps its zeros.
template <class T>
__device__ __forceinline__ void store_streaming(T* p, const Vector<T>& v, int count) {
  if (count >= lanes<T>) {
    __stcs(reinterpret_cast<Raw<T>*>(p), as_raw(v));
  } else {
#pragma unroll
    for (int i = 0; i < lanes<T>; ++i)
      if (i < count) p[i] = v.lane[i];
  }
}

// The same of all values, to global or shared memory.
__device__ __forceinline__ void store_anywhere(float* p, const Vector<float>& v) {
  asm volatile("st.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.lane[0]), "f"(v.lane[1]), "f"(v.lane[2]),
               "f"(v.lane[3])
               : "memory");
}
__device__ __forceinline__ void store_anywhere(double* p, const Vector<double>& v) {
  asm volatile("st.cs.v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(v.lane[0]), "d"(v.lane[1]) : "memory");
}

// cp.async, 16 bytes past L1 into shared memory; a group is what was requested since the last commit.
__device__ __forceinline__ void copy_async(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until all but the last `groups` groups of this thread have landed.
template <int groups>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}
template <class T>
__device__ __forceinline__ std::uint32_t shared_address(const T* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

}  // namespace fdtd::cuda
