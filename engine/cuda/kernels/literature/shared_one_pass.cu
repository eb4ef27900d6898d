// One pass with a shared plane: P. Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU-2 (2009).
// A block of 32 x H threads owns a column of the grid and marches along z. The plane at hand lies in shared memory with
// a halo of R rows and columns (a cross: a leggy stencil reads no corners); the thread's values of other planes wait
// in a queue of 2R + 1 registers, moved on by one a plane.
//
// Data, a point: u0 read and written once; u1 once for the queue and again for the halo of every plane, from L2, which
// makes (n m + 2 R (n + m)) / (n m) reads for an n x m tile, the paper's access redundancy, and (Z + 2 R) / Z reads of
// the column where it marches Z planes at a time. Shared memory: 4R + 1 reads. Leggy stencils, R = 1 to 20, unequal
// steps. Wins over the caches where these are small; here it is bound by 4-byte accesses, the barriers and, from R of
// about 8 on, the halo.
#include "engine/cuda/kernels/literature/shared.cuh"

namespace fdtd::cuda {
namespace {

constexpr int columns = shared_columns;

template <class T, int R>
__global__ void __launch_bounds__(512)
    march(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, int chunk, std::int64_t row,
          std::int64_t plane, const __grid_constant__ StarCoefficients<T, R> star) {
  constexpr int pitch = columns + 2 * R;
  extern __shared__ __align__(16) unsigned char memory[];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), rows = static_cast<int>(blockDim.y);
  const int x = static_cast<int>(blockIdx.x) * columns + tx, y = static_cast<int>(blockIdx.y) * rows + ty;
  const int z0 = z_begin + static_cast<int>(blockIdx.z) * chunk, z1 = min(z0 + chunk, z_end);
  T* const here = reinterpret_cast<T*>(memory) + (ty + R) * pitch + tx + R;
  // Beyond the halo nothing is read: it may lie outside the array.
  const bool column = x < nx + R && y < ny + R, node = x < nx && y < ny;
  std::int64_t at = x + y * row + z0 * plane;

  T queue[2 * R + 1];
#pragma unroll
  for (int k = 1; k <= 2 * R; ++k) queue[k] = column ? __ldg(u1 + at + (k - 1 - R) * plane) : T{0};

  for (int z = z0; z < z1; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) queue[k] = queue[k + 1];
    queue[2 * R] = column ? __ldg(u1 + at + R * plane) : T{0};
    const T before = node ? u0[at] : T{0};

    __syncthreads();  // the last plane has been read
    *here = queue[R];
    for (int j = ty; j < R; j += rows) {
      const std::int64_t below = at + (j - ty - R) * row, above = at + (j - ty + rows) * row;
      here[(j - ty - R) * pitch] = x < nx + R && y - ty - R + j < ny + R ? __ldg(u1 + below) : T{0};
      here[(j - ty + rows) * pitch] = x < nx + R && y - ty + rows + j < ny + R ? __ldg(u1 + above) : T{0};
    }
    if (tx < R) {
      here[-R] = column ? __ldg(u1 + at - R) : T{0};
      here[columns] = x + columns < nx + R && y < ny + R ? __ldg(u1 + at + columns) : T{0};
    }
    __syncthreads();

    if (!node) continue;
    T sum = 0;
#pragma unroll
    for (int m = R; m >= 1; --m) {
      sum += star.x[m - 1] * (here[-m] + here[m]);
      sum += star.y[m - 1] * (here[-m * pitch] + here[m * pitch]);
      sum += star.z[m - 1] * (queue[R - m] + queue[R + m]);
    }
    sum += star.centre * queue[R];
    u0[at] = sum - before;
  }
}

template <class T, int R>
Prepared prepare_for(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  const auto star = star_coefficients<T, R>(star_weights(job.stencil).value());
  const std::size_t shared = shared_plane_bytes(R, tile.y, sizeof(T));
  return prepare_shared<T>(
      job, tile, resources_of(march<T, R>, columns * tile.y, shared), fields,
      [star, shared, layout = job.layout](dim3 blocks, dim3 threads, Stream stream, const StepFields<T>& at,
                                          int z_begin, int z_end, int chunk) {
        march<T, R><<<blocks, threads, shared, stream>>>(at.u1, at.u0, layout.size[0], layout.size[1], z_begin, z_end,
                                                         chunk, layout.row, layout.plane, star);
        FDTD_CUDA(cudaGetLastError());
      });
}

double bytes_a_point(const Job& job, const Tile& tile) {
  const SharedReads reads = shared_reads(job, tile);
  return static_cast<double>(job.layout.value_bytes) * (2 + reads.planes + reads.columns - 1);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_type_and_radius(job, [&](auto value, auto radius) {
    return prepare_for<decltype(value), decltype(radius)::value>(job, tile, fields);
  });
}

}  // namespace

extern const Kernel shared_one_pass{"shared_one_pass",
                                    "a shared plane, z in a register queue (Micikevicius 2009)",
                                    supports_shared,
                                    shared_tiles,
                                    shared_tile_bytes,
                                    bytes_a_point,
                                    prepare};

}  // namespace fdtd::cuda
