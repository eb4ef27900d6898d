// Solid voxels in a marching launch: they are zero in both arrays, and stay so. Planes of a column before its first air
// and after its last are not marched at all; in the others bits say which nodes become zero.
#pragma once

#include <array>
#include <memory>

#include "engine/cuda/field/solid_bits.hpp"
#include "engine/cuda/kernels/tma/columns.cuh"

namespace fdtd::cuda {

// A launch's parameter: the solid voxels as columns of these tiles see them, or none.
struct NoSolids {
  static constexpr bool any = false;
};
struct MarchSolids {
  static constexpr bool any = true;
  CUtensorMap bits;             // set: solid; eight nodes a value
  const int2* air;              // of a column: its first plane with air, and the one after its last
  const std::uint8_t* touched;  // of plane z of a column, at [column * planes + z]: it has solid voxels
  int planes;
};

// box: values of one copy of bits. `memory` owns the arrays of the view.
struct SolidTiles {
  MarchSolids view;
  std::shared_ptr<void> memory;
};
SolidTiles solid_tiles(const SolidBits& solids, std::array<int, 2> tile, std::array<int, 2> box);

// The value that lane 0 reads, for all: it later releases the slot to the fetcher, and a race detector sees the dependence.
__device__ __forceinline__ int of_first_lane(const int* there) {
  return __shfl_sync(0xFFFFFFFFU, threadIdx.x % 32 == 0 ? *there : 0, 0);
}

// An item's place, from its first plane with air to its last; without any z_begin >= z_end.
template <class G>
__device__ __forceinline__ Place place_with_air(const MarchColumns& c, const NoSolids&, int item) {
  return place_of<G>(c, item);
}
template <class G>
__device__ __forceinline__ Place place_with_air(const MarchColumns& c, const MarchSolids& solids, int item) {
  Place at = place_of<G>(c, item);
  const int2 air = solids.air[item % c.columns];
  at.z_begin = max(at.z_begin, air.x);
  at.z_end = min(at.z_end, air.y);
  return at;
}

template <class G>
__device__ __forceinline__ std::uint32_t solid_bytes(const MarchColumns& c) {
  return static_cast<std::uint32_t>(G::solid_row * c.tile_y);
}

// Whether the planes of an item's outputs have solid voxels, one after the other, each asked for a plane ahead.
template <class Solids>
struct SolidsAhead {
  __device__ __forceinline__ SolidsAhead(const Solids&, const MarchColumns&, int, const Place&) {}
  __device__ __forceinline__ bool next() { return false; }
};
template <>
struct SolidsAhead<MarchSolids> {
  const std::uint8_t *coming, *last;
  bool touched = false;
  __device__ __forceinline__ SolidsAhead(const MarchSolids& solids, const MarchColumns& c, int item, const Place& at) {
    const std::uint8_t* const column = solids.touched + static_cast<std::int64_t>(item % c.columns) * solids.planes;
    coming = column + at.z_begin;
    last = column + at.z_end;
    if (coming < last) touched = *coming != 0;
  }
  __device__ __forceinline__ bool next() {
    const bool now = touched;
    if (++coming < last) touched = *coming != 0;
    return now;
  }
};

// Zeros where bits of a plane are set. x: of the vector's first node, from the first node of the row of bits.
template <class G, class T>
__device__ __forceinline__ void clear_solids(const unsigned char* bits, int x, int y, Vector<T>& result) {
  const unsigned solid = static_cast<unsigned>(bits[y * G::solid_row + x / 8]) >> (x % 8);
#pragma unroll
  for (int i = 0; i < G::width; ++i)
    if ((solid >> i & 1U) != 0) result.lane[i] = T{};
}

}  // namespace fdtd::cuda
