// Tile and halo in two coalesced loads: M. Krotkiewski and M. Dabrowski, "Efficient 3D stencil computations using
// CUDA", Parallel Computing 39 (2013). Stencils of radius 1. A block of W x H threads marches along z. The (W + 2) x (H
// + 2) values of a plane are numbered row by row and dealt to the threads in order, two each: no branches for edges and
// corners, every warp reads consecutive addresses. A plane is used once, when it comes: it adds to the outputs below,
// at and above it, two of which wait in registers (input-stationary). The next plane is on its way meanwhile, in
// registers, and two shared planes in turn leave one barrier a plane.
//
// Work a point, by shape: seven points; the symmetric 27, whose sums of 4 faces and 4 edges serve all three outputs,
//   in = w000 c + w100 e + w110 k,   out = w100 c + w110 e + w111 k,
//   S u (z) = in(z) + out(z - 1) + out(z + 1): 18 flops;
// and 27 weights without symmetries. Shared memory: 5 or 9 reads and two writes or less.
//
// Data, a point: u0 read and written once, u1 (W + 2)(H + 2) / (W H) times, (Z + 2) / Z of that where it marches Z
// planes. Wins over kernels that read the halo in pieces; bound by 4-byte accesses and by what a barrier a plane leaves
// in flight.
#include "engine/cuda/gpu/launch.cuh"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/kernels/step_fields.hpp"
#include "stencils/weights.hpp"

namespace fdtd::cuda {
namespace {

enum class Shape { seven, symmetric, general };

template <class T, Shape shape>
struct Weights;

template <class T>
struct Weights<T, Shape::seven> {
  T centre, x, y, z;
};

template <class T>
struct Weights<T, Shape::symmetric> {
  T w000, w100, w110, w111;
};

template <class T>
struct Weights<T, Shape::general> {
  T w[3][3][3];  // z, y, x from -1 to 1
};

// The sums that a plane adds to the outputs in the planes above, at and below it.
template <class T>
struct Contribution {
  T above, here, below;
};

template <class T>
__device__ Contribution<T> contribution(const Weights<T, Shape::seven>& w, const T* u, int pitch) {
  const T centre = u[0], out = w.z * centre;
  return {out, w.x * (u[-1] + u[1]) + w.y * (u[-pitch] + u[pitch]) + w.centre * centre, out};
}

template <class T>
__device__ Contribution<T> contribution(const Weights<T, Shape::symmetric>& w, const T* u, int pitch) {
  const T centre = u[0], edges = (u[-1] + u[1]) + (u[-pitch] + u[pitch]);
  const T corners = (u[-pitch - 1] + u[-pitch + 1]) + (u[pitch - 1] + u[pitch + 1]);
  const T out = w.w111 * corners + w.w110 * edges + w.w100 * centre;
  return {out, w.w110 * corners + w.w100 * edges + w.w000 * centre, out};
}

template <class T>
__device__ Contribution<T> contribution(const Weights<T, Shape::general>& w, const T* u, int pitch) {
  Contribution<T> sums{0, 0, 0};
#pragma unroll
  for (int y = 0; y < 3; ++y) {
#pragma unroll
    for (int x = 0; x < 3; ++x) {
      const T value = u[(y - 1) * pitch + x - 1];
      sums.above += w.w[0][y][x] * value;  // it lies below that output
      sums.here += w.w[1][y][x] * value;
      sums.below += w.w[2][y][x] * value;
    }
  }
  return sums;
}

template <class T, Shape shape>
__global__ void __launch_bounds__(512)
    march(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, int chunk, std::int64_t row,
          std::int64_t plane, const __grid_constant__ Weights<T, shape> weights) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* const shared = reinterpret_cast<T*>(memory);
  const int wide = static_cast<int>(blockDim.x), pitch = wide + 2, threads = wide * static_cast<int>(blockDim.y);
  const int values = pitch * (static_cast<int>(blockDim.y) + 2);
  const int x0 = static_cast<int>(blockIdx.x) * wide, y0 = static_cast<int>(blockIdx.y * blockDim.y);
  const int z0 = z_begin + static_cast<int>(blockIdx.z) * chunk, z1 = min(z0 + chunk, z_end);

  // Which two values of a plane this thread fetches. Beyond the halo nothing is read: it may lie outside the array.
  const int first = static_cast<int>(threadIdx.y) * wide + static_cast<int>(threadIdx.x), second = first + threads;
  const int first_x = x0 + first % pitch - 1, first_y = y0 + first / pitch - 1;
  const int second_x = x0 + second % pitch - 1, second_y = y0 + second / pitch - 1;
  const bool has_first = first_x <= nx && first_y <= ny;
  const bool has_second = second < values && second_x <= nx && second_y <= ny;
  const T* from_first = u1 + first_x + first_y * row + (z0 - 1) * plane;
  const T* from_second = u1 + second_x + second_y * row + (z0 - 1) * plane;
  T next_first = has_first ? __ldg(from_first) : T{0}, next_second = has_second ? __ldg(from_second) : T{0};

  const int x = x0 + static_cast<int>(threadIdx.x), y = y0 + static_cast<int>(threadIdx.y);
  const bool node = x < nx && y < ny;
  const int centre = (static_cast<int>(threadIdx.y) + 1) * pitch + static_cast<int>(threadIdx.x) + 1;
  T* out = u0 + x + y * row + z0 * plane;  // in plane z - 1 when plane z > z0 has come

  T below = 0, here = 0;  // so far, of the outputs in planes z - 1 and z
  int buffer = 0;
  for (int z = z0 - 1; z <= z1; ++z, buffer = values - buffer) {
    shared[buffer + first] = next_first;
    if (second < values) shared[buffer + second] = next_second;
    if (z < z1) {
      from_first += plane;
      from_second += plane;
      next_first = has_first ? __ldg(from_first) : T{0};
      next_second = has_second ? __ldg(from_second) : T{0};
    }
    const bool done = node && z > z0;
    const T before = done ? *out : T{0};
    __syncthreads();
    const Contribution<T> sums = contribution(weights, shared + buffer + centre, pitch);
    if (done) *out = below + sums.below - before;
    below = here + sums.here;
    here = sums.above;
    if (z > z0) out += plane;
  }
}

bool all_axial(const GridStencil& stencil) {
  return std::all_of(stencil.terms.begin(), stencil.terms.end(), [](const Term& term) {
    return (term.offset[0] > 0) + (term.offset[1] > 0) + (term.offset[2] > 0) == 1;
  });
}

Shape shape_of(const GridStencil& stencil) {
  if (all_axial(stencil)) return Shape::seven;
  return cube_weights(stencil).has_value() ? Shape::symmetric : Shape::general;
}

template <class T, Shape shape>
Weights<T, shape> weights_of(const GridStencil& stencil) {
  if constexpr (shape == Shape::symmetric) {
    const CubeWeights cube = cube_weights(stencil).value();
    const auto weight = [&cube](int a, int b, int c) { return static_cast<T>(cube.weight(a, b, c)); };
    return {weight(0, 0, 0), weight(1, 0, 0), weight(1, 1, 0), weight(1, 1, 1)};
  } else {
    Weights<T, Shape::general> all{};
    all.w[1][1][1] = static_cast<T>(stencil.centre);
    for (const Term& term : stencil.terms) {
      const auto [a, b, c] = term.offset;
      for (const int z : {1 - c, 1 + c})
        for (const int y : {1 - b, 1 + b})
          for (const int x : {1 - a, 1 + a}) all.w[z][y][x] = static_cast<T>(term.weight);
    }
    if constexpr (shape == Shape::general) {
      return all;
    } else {
      return {all.w[1][1][1], all.w[1][1][2], all.w[1][2][1], all.w[2][1][1]};
    }
  }
}

std::size_t shared_bytes(const Job& job, const Tile& tile) {
  return static_cast<std::size_t>(2 * (tile.x + 2) * (tile.y + 2)) * job.layout.value_bytes;
}

template <class T, Shape shape>
Prepared prepare_for(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  const auto weights = weights_of<T, shape>(job.stencil);
  const std::size_t shared = shared_bytes(job, tile);
  Prepared prepared;
  prepared.resources = resources_of(march<T, shape>, tile.x * tile.y, shared);
  const Layout layout = job.layout;
  prepared.step = [=](int which, int z_begin, int z_end, Stream stream) {
    const StepFields<T> at(layout, fields, which);
    const int chunk = tile.z > 0 ? tile.z : z_end - z_begin;
    const dim3 blocks(static_cast<unsigned>(divide_up(layout.size[0], tile.x)),
                      static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
                      static_cast<unsigned>(divide_up(z_end - z_begin, chunk)));
    const dim3 threads(static_cast<unsigned>(tile.x), static_cast<unsigned>(tile.y));
    march<T, shape><<<blocks, threads, shared, stream>>>(at.u1, at.u0, layout.size[0], layout.size[1], z_begin, z_end,
                                                         chunk, layout.row, layout.plane, weights);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

// (W + 2)(H + 2) <= 2 W H, so that two loads a thread are enough.
std::vector<Tile> tiles(const Job& job, const Device& device) {
  std::vector<Tile> tiles;
  for (const int z : {128, 64, 256, 0}) {
    for (const auto [x, y] : {std::array{32, 8}, {32, 4}, {32, 16}, {64, 4}, {64, 8}, {128, 4}})
      tiles.push_back({x, y, z});
  }
  std::erase_if(tiles, [&](const Tile& tile) { return shared_bytes(job, tile) > device.shared_per_block; });
  return tiles;
}

// A launch has at most 65535 blocks along y, each of 4 rows at least.
bool supports(const Job& job, const Device& device) {
  return job.stencil.radius == 1 && job.layout.size[1] <= 65535 * 4 && !tiles(job, device).empty();
}

double bytes_a_point(const Job& job, const Tile& tile) {
  const double x = tile.x, y = tile.y;
  const double depth = tile.z > 0 ? std::min(tile.z, job.layout.size[2]) : job.layout.size[2];
  return static_cast<double>(job.layout.value_bytes) * (2 + (x + 2) * (y + 2) / (x * y) * (depth + 2) / depth);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_value_type(job.precision, [&](auto value) {
    using T = decltype(value);
    switch (shape_of(job.stencil)) {
      case Shape::seven:
        return prepare_for<T, Shape::seven>(job, tile, fields);
      case Shape::symmetric:
        return prepare_for<T, Shape::symmetric>(job, tile, fields);
      case Shape::general:
        break;
    }
    return prepare_for<T, Shape::general>(job, tile, fields);
  });
}

}  // namespace

extern const Kernel tile_remap{
    "tile_remap", "tile and halo in two loads, input-stationary (Krotkiewski & Dabrowski 2013)",
    supports,     tiles,
    shared_bytes, bytes_a_point,
    prepare};

}  // namespace fdtd::cuda
