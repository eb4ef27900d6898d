#include <algorithm>

#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/walls/add_losses.cuh"
#include "engine/cuda/walls/box_faces.hpp"

namespace fdtd::cuda {
namespace {

// As many as the registers of a node allow without spills, by its taps and its law's branches.
template <class T>
constexpr int blocks_by_registers(int taps, int max_branches) {
  if (taps == max_taps) return sizeof(T) == sizeof(float) ? (max_branches <= 3 ? 7 : 5) : max_branches <= 3 ? 4 : 3;
  if (taps == 4 && sizeof(T) == sizeof(float))
    return max_branches == 1 ? 14 : max_branches == 2 ? 9 : max_branches == 3 ? 8 : 7;
  if (taps == 4) return max_branches == 1 ? 10 : max_branches == 2 ? 7 : max_branches == 3 ? 6 : 5;
  if (sizeof(T) == sizeof(float))
    return max_branches == 1 ? 16 : max_branches == 2 ? (taps == 2 ? 12 : 10) : max_branches == 3 ? 9 : 8;
  return max_branches == 1 ? 12 : max_branches == 2 ? 8 : max_branches == 3 ? 6 : 5;
}

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
constexpr int threads_a_multiprocessor = 1536;
#else
constexpr int threads_a_multiprocessor = 2048;
#endif

template <class T>
constexpr int blocks_a_multiprocessor(int taps, int max_branches) {
  return std::min(blocks_by_registers<T>(taps, max_branches), threads_a_multiprocessor / boundary_threads);
}

// The kernel faces is launched as a dependent of boundary_step (walls.cu): its first blocks start while boundary_step
// still updates edges and corners. Before they wait they add losses and load q, V and G, which the previous step wrote.
// That is safe: the march of this step waits for the end of the previous step, and boundary_step starts after the march
// has ended, because the march never triggers an early launch (dependent_launch.cuh).
constexpr int losses_at_once = 6;  // what the leanest of them has registers for

template <class T, int taps, int max_branches>
__global__ void __launch_bounds__(boundary_threads, blocks_a_multiprocessor<T>(taps, max_branches))
    faces(const __grid_constant__ FacesView<T> view, const __grid_constant__ LossesView<T> losses, int parity, T* u0) {
  static_assert(sizeof(view) + sizeof(losses) + sizeof(parity) + sizeof(u0) <= 4096);
  trigger_launch_completion();
  if (blockIdx.x < losses.loss_sums.count) {
    add_losses<losses_at_once>(losses, blockIdx.x);
    return;
  }
  update_box_face<T, taps, max_branches>(view, view.block_at(blockIdx.x - losses.loss_sums.count), threadIdx.x, parity,
                                         u0, [] { grid_dependency_sync(); });
}

// The leanest kernel that has all of the faces' branches.
template <class T, int taps, int max_branches, int... more>
void launch(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream) {
  if constexpr (sizeof...(more) > 0) {
    if (view.branches > max_branches) return launch<T, taps, more...>(view, losses, parity, u0, stream);
  }
  launch_dependent(faces<T, taps, max_branches>, losses.loss_sums.count + view.blocks, boundary_threads, 0, stream,
                   view, losses, parity, u0);
}

}  // namespace

template <class T>
void launch_faces(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream) {
  if (view.blocks == 0) return;
  static_assert(min_face_taps == 2 && max_face_taps == max_taps);
  if (view.taps == 2)
    launch<T, 2, 1, 2, 3, max_face_branches>(view, losses, parity, u0, stream);
  else if (view.taps == 3)
    launch<T, 3, 1, 2, 3, max_face_branches>(view, losses, parity, u0, stream);
  else if (view.taps == 4)
    launch<T, 4, 1, 2, 3, max_face_branches>(view, losses, parity, u0, stream);
  else
    launch<T, max_taps, 3, max_face_branches>(view, losses, parity, u0, stream);
}

template void launch_faces(const FacesView<float>&, const LossesView<float>&, int, float*, Stream);
template void launch_faces(const FacesView<double>&, const LossesView<double>&, int, double*, Stream);

}  // namespace fdtd::cuda
