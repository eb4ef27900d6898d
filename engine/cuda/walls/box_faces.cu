#include "engine/cuda/gpu/dependent_launch.cuh"
#include "engine/cuda/walls/add_losses.cuh"
#include "engine/cuda/walls/box_faces.hpp"

namespace fdtd::cuda {
namespace {

// As many as the registers of a node allow without spills, by its taps and its law's branches.
template <class T>
constexpr int blocks_a_multiprocessor(int taps, int most) {
  if (sizeof(T) == sizeof(float)) return most == 1 ? 16 : most == 2 ? (taps == 2 ? 12 : 10) : most == 3 ? 9 : 8;
  return most == 1 ? 12 : most == 2 ? 8 : most == 3 ? 6 : 5;
}

// The first blocks come while `work` (walls.cu) still settles edges and corners, the march being done: meanwhile they add
// losses and ask for q, V and G, which are the step's before: that is done, for the march has waited for it and lets nobody
// come before it ends (close.cuh).
constexpr int losses_at_once = 6;  // what the leanest of them has registers for

template <class T, int taps, int most>
__global__ void __launch_bounds__(site_threads, blocks_a_multiprocessor<T>(taps, most))
    faces(const __grid_constant__ FacesView<T> view, const __grid_constant__ LossesView<T> losses, int parity, T* u0) {
  static_assert(sizeof(view) + sizeof(losses) + sizeof(parity) + sizeof(u0) <= 4096);
  let_next_launch_come();
  if (blockIdx.x < losses.tally.count) {
    add_lost<losses_at_once>(losses, blockIdx.x);
    return;
  }
  settle_face<T, taps, most>(view, view.block_at(blockIdx.x - losses.tally.count), threadIdx.x, parity, u0,
                             [] { wait_for_launch_before(); });
}

// The leanest kernel that has all of the faces' branches.
template <class T, int taps, int most, int... more>
void launch(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream) {
  if constexpr (sizeof...(more) > 0) {
    if (view.branches > most) return launch<T, taps, more...>(view, losses, parity, u0, stream);
  }
  launch_close(faces<T, taps, most>, losses.tally.count + view.blocks, site_threads, 0, stream, view, losses, parity,
               u0);
}

}  // namespace

template <class T>
void launch_faces(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream) {
  if (view.blocks == 0) return;
  static_assert(least_face_taps == 2 && most_face_taps == 3);
  if (view.taps == 2)
    launch<T, 2, 1, 2, 3, max_face_branches>(view, losses, parity, u0, stream);
  else
    launch<T, 3, 1, 2, 3, max_face_branches>(view, losses, parity, u0, stream);
}

template void launch_faces(const FacesView<float>&, const LossesView<float>&, int, float*, Stream);
template void launch_faces(const FacesView<double>&, const LossesView<double>&, int, double*, Stream);

}  // namespace fdtd::cuda
