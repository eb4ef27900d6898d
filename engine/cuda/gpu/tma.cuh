// Tensor copies of sm_90 (TMA) and their barriers, as marching kernels use them: one thread requests a box of a 3-D
// array, the copy engine writes it to shared memory (zeros where the box leaves the array) and adds the bytes to a
// barrier's count. For .cu files alone; see PTX ISA: cp.async.bulk.tensor, mbarrier.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/gpu/vector.cuh"

namespace fdtd::cuda::tma {

// An array as the engine sees it: its first value, its size in values, and the distances of rows and planes in values.
struct TensorArray {
  void* values = nullptr;
  std::array<std::int64_t, 3> size{};
  std::int64_t row = 0, plane = 0;
  std::size_t value_bytes = 0;
};
// `box`: values of one copy, at most 256 each way. Throws Error (status resource).
CUtensorMap tensor_map(const TensorArray& array, std::array<int, 3> box);

__device__ __forceinline__ void init_barrier(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// Makes barriers known to the copy engine; a __syncthreads() must follow.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// As so many threads.
__device__ __forceinline__ void arrive(std::uint64_t* barrier, int count) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
               : "memory");
}
// ... and the phase ends when so many bytes have come as well.
__device__ __forceinline__ void arrive_and_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
// Waits until the barrier's phase of this parity is over.
__device__ __forceinline__ void wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// Before the engine is asked to write where threads have written that this one has waited for.
__device__ __forceinline__ void hand_over() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Priority in L2: this data is evicted last.
__device__ __forceinline__ std::uint64_t keep_in_l2() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ void fetch(void* to, const CUtensorMap* map, int x, int y, int z, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}
__device__ __forceinline__ void fetch(void* to, const CUtensorMap* map, int x, int y, int z, std::uint64_t* barrier,
                                      std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
}

}  // namespace fdtd::cuda::tma
