// Two passes with a shared plane: P. Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU-2
// (2009). The first pass does a plane at a time what couples x and y: u0 <- (centre + x + y) u1 - u0, a 32 x H tile
// with a cross of halo in shared memory; the second what couples z: u0 <- u0 + z u1, each thread marching with 2R + 1
// values in registers.
//
// Data, a point: u0 read and written twice; u1 (n m + 2 R (n + m)) / (n m) times in the first pass and (Z + 2 R) / Z
// times in the second where a thread marches Z planes: at best 6 values where one pass moves 3. Neither pass needs many
// registers and shared memory at once, which is what it is for: large R, small multiprocessors. Leggy stencils, R = 1
// to 20, unequal steps.
#include "engine/cuda/kernels/literature/shared.cuh"

namespace fdtd::cuda {
namespace {

constexpr int columns = shared_columns;

template <class T, int R>
__global__ void __launch_bounds__(512)
    planes_pass(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, std::int64_t row, std::int64_t plane,
                const __grid_constant__ StarCoefficients<T, R> star) {
  constexpr int pitch = columns + 2 * R;
  extern __shared__ __align__(16) unsigned char memory[];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), rows = static_cast<int>(blockDim.y);
  const int x = static_cast<int>(blockIdx.x) * columns + tx, y0 = static_cast<int>(blockIdx.y) * rows, y = y0 + ty;
  const std::int64_t bottom = x + (z_begin + static_cast<int>(blockIdx.z)) * plane, at = bottom + y * row;
  T* const corner = reinterpret_cast<T*>(memory);
  const bool node = x < nx && y < ny;
  const T before = node ? u0[at] : T{0};

  // Beyond the halo nothing is read: it may lie outside the array.
  for (int j = ty; j < rows + 2 * R; j += rows) {
    const int from = y0 + j - R;
    corner[j * pitch + tx + R] = x < nx + R && from < ny + R ? __ldg(u1 + bottom + from * row) : T{0};
  }
  T* const here = corner + (ty + R) * pitch + tx + R;
  if (tx < R) {
    here[-R] = x < nx + R && y < ny + R ? __ldg(u1 + at - R) : T{0};
    here[columns] = x + columns < nx + R && y < ny + R ? __ldg(u1 + at + columns) : T{0};
  }
  __syncthreads();

  if (!node) return;
  T sum = 0;
#pragma unroll
  for (int m = R; m >= 1; --m) {
    sum += star.x[m - 1] * (here[-m] + here[m]);
    sum += star.y[m - 1] * (here[-m * pitch] + here[m * pitch]);
  }
  u0[at] = sum + star.centre * here[0] - before;
}

template <class T, int R>
__global__ void __launch_bounds__(512)
    columns_pass(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, int chunk, std::int64_t row,
                 std::int64_t plane, const __grid_constant__ StarCoefficients<T, R> star) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= nx || y >= ny) return;
  const int z0 = z_begin + static_cast<int>(blockIdx.z) * chunk, z1 = min(z0 + chunk, z_end);
  std::int64_t at = x + y * row + z0 * plane;
  T queue[2 * R + 1];
#pragma unroll
  for (int k = 1; k <= 2 * R; ++k) queue[k] = __ldg(u1 + at + (k - 1 - R) * plane);
#pragma unroll 1  // unrolled twice, the longest queue of doubles would spill
  for (int z = z0; z < z1; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) queue[k] = queue[k + 1];
    queue[2 * R] = __ldg(u1 + at + R * plane);
    T sum = 0;
#pragma unroll
    for (int m = R; m >= 1; --m) sum += star.z[m - 1] * (queue[R - m] + queue[R + m]);
    u0[at] += sum;
  }
}

// The pass that allows fewer blocks; the shared memory of the first.
Resources worse_of(const Resources& a, const Resources& b) {
  Resources both = a.blocks_per_multiprocessor <= b.blocks_per_multiprocessor ? a : b;
  both.registers = std::max(a.registers, b.registers);
  both.local_bytes = std::max(a.local_bytes, b.local_bytes);
  both.shared_bytes = std::max(a.shared_bytes, b.shared_bytes);
  return both;
}

template <class T, int R>
Prepared prepare_for(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  const auto star = star_coefficients<T, R>(star_weights(job.stencil).value());
  const std::size_t shared = shared_plane_bytes(R, tile.y, sizeof(T));
  const Resources resources = worse_of(resources_of(planes_pass<T, R>, columns * tile.y, shared),
                                       resources_of(columns_pass<T, R>, columns * tile.y));
  return prepare_shared<T>(
      job, tile, resources, fields,
      [star, shared, layout = job.layout](dim3 blocks, dim3 threads, Stream stream, const StepFields<T>& at,
                                          int z_begin, int z_end, int chunk) {
        const auto [nx, ny, nz] = layout.size;
        const dim3 planes(blocks.x, blocks.y, static_cast<unsigned>(z_end - z_begin));
        planes_pass<T, R>
            <<<planes, threads, shared, stream>>>(at.u1, at.u0, nx, ny, z_begin, layout.row, layout.plane, star);
        FDTD_CUDA(cudaGetLastError());
        columns_pass<T, R><<<blocks, threads, 0, stream>>>(at.u1, at.u0, nx, ny, z_begin, z_end, chunk, layout.row,
                                                           layout.plane, star);
        FDTD_CUDA(cudaGetLastError());
      });
}

// The first pass has a block for each plane.
bool supports(const Job& job, const Device& device) {
  return supports_shared(job, device) && job.layout.size[2] <= 65535;
}

double bytes_a_point(const Job& job, const Tile& tile) {
  const SharedReads reads = shared_reads(job, tile);
  return static_cast<double>(job.layout.value_bytes) * (4 + reads.planes + reads.columns);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_type_and_radius(job, [&](auto value, auto radius) {
    return prepare_for<decltype(value), decltype(radius)::value>(job, tile, fields);
  });
}

}  // namespace

extern const Kernel shared_two_pass{"shared_two_pass",
                                    "x and y in a shared plane, then z in registers (Micikevicius 2009)",
                                    supports,
                                    shared_tiles,
                                    shared_tile_bytes,
                                    bytes_a_point,
                                    prepare};

}  // namespace fdtd::cuda
