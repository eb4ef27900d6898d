// One pass with a shared plane: P. Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU-2 (2009).
// A block of 32 x H threads owns a column of the grid and marches along z. The plane at hand lies in shared memory with
// a halo of R rows and columns (a cross: a leggy stencil reads no corners); what the thread needs of other planes waits
// in a queue of 2R + 1 registers, moved on by one a plane.
//
// Data, a point: u0 read and written once; u1 once for the queue and again for the halo of every plane, from L2, which
// makes (n m + 2 R (n + m)) / (n m) reads for an n x m tile, the paper's access redundancy, and (Z + 2 R) / Z reads of the
// column where it marches Z planes at a time. Shared memory: 4R + 1 reads. Leggy stencils, R = 1 to 20, unequal steps.
// Wins over the caches where these are small; here it is bound by 4-byte accesses, the barriers and, from R of about 8
// on, the halo.
#include "engine/cuda/field/star_weights.cuh"
#include "engine/cuda/gpu/launch.cuh"

namespace fdtd::cuda {
namespace {

constexpr int columns = 32;

// A tile's plane in shared memory, row by row, the halo around it.
template <class T, int R>
struct SharedPlane {
  static constexpr int pitch = columns + 2 * R;
  static std::size_t bytes(int rows) { return static_cast<std::size_t>(pitch * (rows + 2 * R)) * sizeof(T); }
};

template <class T, int R>
__global__ void __launch_bounds__(512)
    march(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, int chunk, std::int64_t row,
          std::int64_t plane, const __grid_constant__ StarCoefficients<T, R> star) {
  constexpr int pitch = SharedPlane<T, R>::pitch;
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
  const std::size_t shared = SharedPlane<T, R>::bytes(tile.y);
  Prepared prepared;
  prepared.resources = resources_of(march<T, R>, columns * tile.y, shared);
  const Layout layout = job.layout;
  prepared.step = [=](int which, int z_begin, int z_end, Stream stream) {
    const auto* const u1 = static_cast<const T*>(fields[static_cast<std::size_t>(which)]) + layout.first;
    auto* const u0 = static_cast<T*>(fields[static_cast<std::size_t>(1 - which)]) + layout.first;
    const int chunk = tile.z > 0 ? tile.z : z_end - z_begin;
    const dim3 blocks(static_cast<unsigned>(divide_up(layout.size[0], columns)),
                      static_cast<unsigned>(divide_up(layout.size[1], tile.y)),
                      static_cast<unsigned>(divide_up(z_end - z_begin, chunk)));
    march<T, R><<<blocks, dim3(columns, static_cast<unsigned>(tile.y)), shared, stream>>>(
        u1, u0, layout.size[0], layout.size[1], z_begin, z_end, chunk, layout.row, layout.plane, star);
    FDTD_CUDA(cudaGetLastError());
  };
  return prepared;
}

bool supports(const Job& job, const Device&) {
  return star_weights(job.stencil).has_value() && job.layout.size[1] <= 65535 * 4;
}

std::vector<Tile> tiles(const Job&, const Device&) {
  std::vector<Tile> tiles;
  for (const int z : {128, 64, 256, 0})
    for (const int rows : {16, 8, 4}) tiles.push_back({columns, rows, z});
  return tiles;
}

double bytes_a_point(const Job& job, const Tile& tile) {
  const double R = star_weights(job.stencil).value().radius, n = tile.x, m = tile.y;
  const double depth = tile.z > 0 ? std::min(tile.z, job.layout.size[2]) : job.layout.size[2];
  const double redundancy = (depth + 2 * R) / depth + 2 * R * (n + m) / (n * m);
  return static_cast<double>(job.layout.value_bytes) * (2 + redundancy);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_value_type(job.precision, [&](auto value) {
    return with_radius(star_weights(job.stencil).value().radius, [&](auto radius) {
      return prepare_for<decltype(value), decltype(radius)::value>(job, tile, fields);
    });
  });
}

}  // namespace

extern const Kernel shared_one_pass{"shared_one_pass",
                                    "a shared plane, z in a register queue (Micikevicius 2009)",
                                    1,
                                    supports,
                                    tiles,
                                    bytes_a_point,
                                    prepare};

}  // namespace fdtd::cuda
