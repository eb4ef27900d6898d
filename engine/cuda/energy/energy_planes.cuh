// Parts of the kernels of the open box's energy (energy_box.cu). For .cu files alone.
#pragma once

#include "engine/cuda/energy/energy_box.hpp"
#include "engine/cuda/gpu/reduce.cuh"
#include "engine/cuda/gpu/vector.cuh"

namespace fdtd::cuda {

template <class T, int R>
constexpr int aside = (R + lanes<T> - 1) / lanes<T>* lanes<T>;  // a radius in whole vectors
// A block marches through some layers of a column of tile_x vectors and some rows (`box`: tile_y), a thread a vector.
constexpr int tile_x = 32, tile_y = 16, threads = tile_x * tile_y, max_layers = 16;

// The values of a row from u - aside to u + aside + a vector.
template <int R, class T>
__device__ __forceinline__ void load_row(const T* u, T (&row)[2 * aside<T, R> + lanes<T>]) {
#pragma unroll
  for (int k = 0; k < 2 * aside<T, R> + lanes<T>; k += lanes<T>) {
    const Vector<T> v = load(u - aside<T, R> + k);
#pragma unroll
    for (int i = 0; i < lanes<T>; ++i) row[k + i] = v.lane[i];
  }
}

// Of the first `count` nodes of a vector; apart: K u but for its rest.
template <class T>
__device__ __forceinline__ double energy_of_vector(const Vector<T>& after, const T (&u)[lanes<T>],
                                                   const T (&apart)[lanes<T>], double rest, int count) {
  double sum = 0.0;
#pragma unroll
  for (int i = 0; i < lanes<T>; ++i) {
    const auto here = static_cast<double>(u[i]);
    if (i < count)
      sum += energy_of(static_cast<double>(after.lane[i]), here, static_cast<double>(apart[i]) + rest * here);
  }
  return sum;
}

// The range of a launch. Wall voxels hold zeros and add nothing. `planes` planes from first_plane on are the slab's
// own.
struct BoxTask {
  Layout layout;
  ImageWalls mirror;  // column_box alone does it
  int first_plane, planes, layers_a_block;
  double rest;
};

}  // namespace fdtd::cuda
