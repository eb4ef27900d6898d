// KernelB of Hamilton, Webb, Gray and Bilbao (DAFx-15): KernelA without stored offsets. Shells of equal weight and
// their points (a, b, c) lie in constant memory; structured loops run over shells, their points and these points'
// mirror images, each shell is summed and then weighted once; u1 through the read-only cache. Blocks of 32 x 4 x 2
// threads.
//
// Data: as KernelA, K reads a node of u1, all but about one from L1 and L2, u0 read and written once; bound by the
// reads' instructions and L1 passes, but with a weight a shell in place of one a point and two to eight independent
// reads at a time. Takes any stencil whose points fit constant memory (all of the catalogue), any grid: offsets have 64
// bits. Small weights come first, as in flat_points.hpp.
#include <cmath>

#include "engine/cuda/kernels/point_kernels.cuh"

namespace fdtd::cuda {
namespace {

struct Corner {
  std::int16_t a, b, c;
  std::int16_t mirrored;  // bit 0: a > 0, bit 1: b > 0, bit 2: c > 0
};

constexpr int max_corners = 200, max_shells = 160;

// Kernel parameters lie in constant memory, at most 4 KB on all GPUs.
template <class T>
struct Shells {
  int count;
  std::int16_t end[max_shells];  // of the shell's corners
  T weight[max_shells];
  Corner corner[max_corners];
};
static_assert(sizeof(Shells<double>) < 4000);

// The sum over the mirror images that `mirrored` tells.
template <int mirrored, class T>
__device__ T images(const T* __restrict__ u, std::int64_t a, std::int64_t b, std::int64_t c) {
  if constexpr ((mirrored & 4) != 0) return images<mirrored - 4>(u - c, a, b, 0) + images<mirrored - 4>(u + c, a, b, 0);
  if constexpr ((mirrored & 6) == 2) return images<mirrored - 2>(u - b, a, 0, 0) + images<mirrored - 2>(u + b, a, 0, 0);
  if constexpr (mirrored == 1) return __ldg(u - a) + __ldg(u + a);
  if constexpr (mirrored == 0) return __ldg(u);
}

template <class T>
__device__ T images(int mirrored, const T* __restrict__ u, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (mirrored) {  // the same for a whole grid of threads
    case 1:
      return images<1>(u, a, b, c);
    case 2:
      return images<2>(u, a, b, c);
    case 3:
      return images<3>(u, a, b, c);
    case 4:
      return images<4>(u, a, b, c);
    case 5:
      return images<5>(u, a, b, c);
    case 6:
      return images<6>(u, a, b, c);
    case 7:
      return images<7>(u, a, b, c);
    default:
      return images<0>(u, a, b, c);
  }
}

template <class T>
__global__ void __launch_bounds__(256)
    add_shells(const T* __restrict__ u1, T* u0, int nx, int ny, int z_begin, int z_end, std::int64_t row,
               std::int64_t plane, const __grid_constant__ Shells<T> shells) {
  const PointNode node(z_begin);
  if (!node.inside(nx, ny, z_end)) return;
  const std::int64_t at = node.x + node.y * row + node.z * plane;
  T sum = 0;
  for (int shell = 0, i = 0; shell < shells.count; ++shell) {
    T shell_sum = 0;
    for (; i < shells.end[shell]; ++i) {
      const Corner corner = shells.corner[i];
      shell_sum += images(corner.mirrored, u1 + at, corner.a, corner.b * row, corner.c * plane);
    }
    sum += shells.weight[shell] * shell_sum;
  }
  u0[at] = sum - u0[at];
}

std::vector<Term> smallest_first(const GridStencil& stencil) {
  std::vector<Term> terms = stencil.terms;
  terms.push_back({{0, 0, 0}, stencil.centre});
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    const double left = std::abs(a.weight), right = std::abs(b.weight);
    return left != right ? left < right : a.weight < b.weight;
  });
  return terms;
}

int shell_count(const std::vector<Term>& sorted) {
  int count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) count += i == 0 || sorted[i].weight != sorted[i - 1].weight ? 1 : 0;
  return count;
}

template <class T>
Shells<T> shells_of(const GridStencil& stencil) {
  Shells<T> shells{};
  const std::vector<Term> terms = smallest_first(stencil);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto [a, b, c] = terms[i].offset;
    shells.corner[i] = {static_cast<std::int16_t>(a), static_cast<std::int16_t>(b), static_cast<std::int16_t>(c),
                        static_cast<std::int16_t>((a > 0 ? 1 : 0) + (b > 0 ? 2 : 0) + (c > 0 ? 4 : 0))};
    if (i == 0 || terms[i].weight != terms[i - 1].weight)
      shells.weight[shells.count++] = static_cast<T>(terms[i].weight);
    shells.end[shells.count - 1] = static_cast<std::int16_t>(i + 1);
  }
  return shells;
}

template <class T>
Prepared prepare_for(const Job& job, const Tile& tile, std::array<void*, 2> fields) {
  const Shells<T> shells = shells_of<T>(job.stencil);
  return prepare_points<T>(job, tile, resources_of(add_shells<T>, tile.x * tile.y * tile.z), fields,
                           [shells, layout = job.layout](dim3 blocks, dim3 threads, Stream stream, const T* u1, T* u0,
                                                         int z_begin, int z_end) {
                             add_shells<<<blocks, threads, 0, stream>>>(u1, u0, layout.size[0], layout.size[1], z_begin,
                                                                        z_end, layout.row, layout.plane, shells);
                           });
}

bool supports(const Job& job, const Device& device) {
  const std::vector<Term> terms = smallest_first(job.stencil);
  return terms.size() <= max_corners && shell_count(terms) <= max_shells && !point_tiles(job, device).empty();
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return with_value_type(job.precision, [&](auto value) { return prepare_for<decltype(value)>(job, tile, fields); });
}

}  // namespace

extern const Kernel kernel_b{
    "kernel_b",      "run-time loops over shells, points and images (Hamilton et al., DAFx-15)",
    supports,        point_tiles,
    no_shared_bytes, point_bytes,
    prepare};

}  // namespace fdtd::cuda
