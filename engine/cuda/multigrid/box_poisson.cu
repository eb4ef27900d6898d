// Multigrid for the Poisson problem on a box: f32 cycles that correct a solution in f64.
//
// A sweep reads u and b and writes another array, 12 bytes a node: threads hold 4 nodes in x (2 in f64) and march
// through some planes, whose sums serve three outputs (plane_functionals.cuh); neighbours in x and y come through L1.
// The first two sweeps of a cycle begin at zero and are one stencil of b; the last one of the finest level also adds its
// result to the solution in f64. A cycle is one graph: on coarse levels a launch takes longer than its work.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/graph.hpp"
#include "engine/cuda/gpu/timing.hpp"
#include "engine/cuda/gpu/vector.cuh"
#include "engine/cuda/kernels/plane_functionals.cuh"
#include "engine/cuda/multigrid/box_poisson.hpp"
#include "engine/cuda/multigrid/products.cuh"
#include "engine/multigrid/box_levels.hpp"
#include "engine/multigrid/node_grid.hpp"

namespace fdtd::cuda {
namespace {

using multigrid::NodeGrid;
constexpr std::uint64_t shells = box_shells_up_to(1, 1, 1);
constexpr int rows_a_block = 4, threads_in_x = 32, planes_a_thread = 8;

struct Place {
  int nx, ny, nz, row;
  std::int64_t plane, first;
};

Place place_of(const NodeGrid& grid) {
  return {grid.nodes[0], grid.nodes[1], grid.nodes[2], static_cast<int>(grid.row), grid.plane, grid.at(0, 0, 0)};
}

template <class T>
struct Rows {
  const T* p;
  int row;
  __device__ __forceinline__ Vector<T> operator()(int dy, int k) const {
    return load_readonly(p + dy * row + k * lanes<T>);
  }
};

// Calls put(offset, sums, count) for the 27-point sums of a thread's nodes, plane by plane. Planes past the end repeat
// the halo above the last.
template <class T, class Put>
__device__ __forceinline__ void march(const T* u, const Place& g, const ShellWeights<T, 1>& w, const Put& put) {
  constexpr int V = lanes<T>;
  const int x = static_cast<int>(blockIdx.x * threads_in_x + threadIdx.x) * V;
  const int y = static_cast<int>(blockIdx.y * rows_a_block + threadIdx.y);
  const int z0 = static_cast<int>(blockIdx.z) * planes_a_thread;
  if (x >= g.nx || y >= g.ny) return;
  const int planes = min(planes_a_thread, g.nz - z0), count = min(V, g.nx - x);
  const std::int64_t at = g.first + x + static_cast<std::int64_t>(y) * g.row + z0 * g.plane;
  OutputQueue<1, V, T> queue;
  queue.clear();
#pragma unroll
  for (int i = 0; i < planes_a_thread + 2; ++i) {
    if (i > planes + 1) break;
    T F[2][V], done[V];
    plane_functionals<1, shells>(Rows<T>{u + at + (i - 1) * g.plane, g.row}, w, F);
    queue.take(F, done);
    if (i >= 2) put(at + (i - 2) * g.plane, done, count);
  }
}

__device__ __forceinline__ void store(float* to, const float (&values)[4], int count) {
  Vector<float> v;
#pragma unroll
  for (int l = 0; l < 4; ++l) v.lane[l] = values[l];
  store_streaming(to, v, count);
}

__global__ void __launch_bounds__(threads_in_x* rows_a_block)
    sweep(const float* __restrict__ u, const float* __restrict__ b, float* __restrict__ out, const Place g,
          const __grid_constant__ ShellWeights<float, 1> w, float scale) {
  march<float>(u, g, w, [&](std::int64_t at, float(&sum)[4], int count) {
    const Vector<float> right = load_streaming(b + at);
#pragma unroll
    for (int l = 0; l < 4; ++l) sum[l] += scale * right.lane[l];
    store(out + at, sum, count);
  });
}

// W b alone: the first two sweeps from zero.
__global__ void __launch_bounds__(threads_in_x* rows_a_block)
    sweep_of_right_side(const float* __restrict__ b, float* __restrict__ out, const Place g,
                        const __grid_constant__ ShellWeights<float, 1> w) {
  march<float>(b, g, w, [&](std::int64_t at, float(&sum)[4], int count) { store(out + at, sum, count); });
}

// A sweep whose result is added to the solution and not kept.
__global__ void __launch_bounds__(threads_in_x* rows_a_block)
    sweep_into_solution(const float* __restrict__ u, const float* __restrict__ b, double* __restrict__ solution,
                        const Place g, const __grid_constant__ ShellWeights<float, 1> w, float scale) {
  march<float>(u, g, w, [&](std::int64_t at, float(&sum)[4], int count) {
    const Vector<float> right = load_streaming(b + at);
#pragma unroll
    for (int l = 0; l < 4; ++l)
      if (l < count) solution[at + l] += static_cast<double>(sum[l] + scale * right.lane[l]);
  });
}

__global__ void __launch_bounds__(threads_in_x* rows_a_block)
    residual_in_double(const double* __restrict__ u, const float* __restrict__ b, float* __restrict__ out,
                       const Place g, const __grid_constant__ ShellWeights<double, 1> w) {
  march<double>(u, g, w, [&](std::int64_t at, double(&sum)[2], int count) {
#pragma unroll
    for (int l = 0; l < 2; ++l)
      if (l < count) out[at + l] = static_cast<float>(sum[l] + static_cast<double>(b[at + l]));
  });
}

// Half of full weighting; a coarse node's fine one is at twice its index plus 1.
__global__ void restrict_half(const float* __restrict__ r, const Place fine, float* __restrict__ b,
                              const Place coarse) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), z = static_cast<int>(blockIdx.z);
  if (x >= coarse.nx || y >= coarse.ny) return;
  const float* const at =
      r + fine.first + 2 * x + 1 + static_cast<std::int64_t>(2 * y + 1) * fine.row + (2 * z + 1) * fine.plane;
  float sum = 0.0F;
#pragma unroll
  for (int k = -1; k <= 1; ++k)
#pragma unroll
    for (int j = -1; j <= 1; ++j) {
      const float* const line = at + j * fine.row + k * fine.plane;
      const float along = line[0] + 0.5F * (line[-1] + line[1]);
      sum += (j == 0 ? 1.0F : 0.5F) * (k == 0 ? 1.0F : 0.5F) * along;
    }
  b[coarse.first + x + static_cast<std::int64_t>(y) * coarse.row + z * coarse.plane] = 0.5F * sum;
}

// u += P e: a thread has the two fine nodes at and after a coarse one's lower neighbour in x.
__global__ void prolong(const float* __restrict__ e, const Place coarse, float* __restrict__ u, const Place fine) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // the coarse node in x; nx: the upper wall
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), z = static_cast<int>(blockIdx.z);
  if (i > coarse.nx || y >= fine.ny) return;
  const int cy = y % 2 == 0 ? y / 2 - 1 : y / 2, cz = z % 2 == 0 ? z / 2 - 1 : z / 2;
  const std::int64_t up = y % 2 == 0 ? coarse.row : 0, back = z % 2 == 0 ? coarse.plane : 0;
  const float* const a = e + coarse.first + static_cast<std::int64_t>(cy) * coarse.row + cz * coarse.plane;
  const auto mean = [&](int k) { return 0.25F * ((a[k] + a[k + up]) + (a[k + back] + a[k + up + back])); };
  const float own = mean(i), before = mean(i - 1);
  float* const to = u + fine.first + static_cast<std::int64_t>(y) * fine.row + z * fine.plane;
  to[2 * i] += 0.5F * (before + own);
  if (i < coarse.nx) to[2 * i + 1] += own;
}

// `solution`: of the finest level where it is the coarsest as well, whose result is added there; else null.
__global__ void coarsest(const float* __restrict__ inverse, const float* __restrict__ b, float* __restrict__ u,
                         double* __restrict__ solution, const Place g) {
  const int n = g.nx * g.ny * g.nz;
  const auto offset = [&](int i) {
    return g.first + i % g.nx + static_cast<std::int64_t>(i / g.nx % g.ny) * g.row + i / g.nx / g.ny * g.plane;
  };
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    float sum = 0.0F;
    for (int j = 0; j < n; ++j) sum += inverse[i * n + j] * b[offset(j)];
    u[offset(i)] = sum;
    if (solution != nullptr) solution[offset(i)] += static_cast<double>(sum);
  }
}

constexpr int norm_threads = 256, norm_blocks = 1024;
__global__ void leapfrog_triad(const float* __restrict__ u1, float* __restrict__ u0, std::int64_t vectors) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const Vector<float> a = load_readonly(u1 + 4 * i), b = load_streaming(u0 + 4 * i);
  float out[4];
#pragma unroll
  for (int l = 0; l < 4; ++l) out[l] = 2.0F * a.lane[l] - b.lane[l];
  store(u0 + 4 * i, out, 4);
}

template <class T>
ShellWeights<T, 1> weights_of(const std::array<double, 4>& by_distance, double sign = 1.0) {
  ShellWeights<T, 1> w{};
  for (int d = 0; d < 4; ++d)
    w.weight[shell_of(d > 0 ? 1 : 0, d > 1 ? 1 : 0, d > 2 ? 1 : 0)] =
        static_cast<T>(sign * by_distance[static_cast<std::size_t>(d)]);
  return w;
}

unsigned pieces(int count, int of) { return static_cast<unsigned>((count + of - 1) / of); }

class Problem {
 public:
  Problem(const std::array<int, 3>& nodes, const multigrid::Cycle& cycle)
      : cycle_(cycle),
        steps_(multigrid::smoothing_steps(cycle,
                                          multigrid::eigenvalue_limit(multigrid::element_stiffness({1.0, 1.0, 1.0})))) {
    for (const auto& size : multigrid::box_levels(nodes)) {
      Level level;
      level.grid = NodeGrid(size);
      level.u = DeviceArray<float>(level.grid.size);
      level.b = DeviceArray<float>(level.grid.size);
      level.other = DeviceArray<float>(level.grid.size);
      levels_.push_back(std::move(level));
    }
    inverse_ = DeviceArray<float>(multigrid::box_inverse(levels_.back().grid.nodes));
    const NodeGrid& grid = levels_.front().grid;
    std::vector<float> b(grid.size, 0.0F);
    for (int z = 0; z < nodes[2]; ++z)
      for (int y = 0; y < nodes[1]; ++y)
        for (int x = 0; x < nodes[0]; ++x) b[grid.index(x, y, z)] = multigrid::profile_right_side(x, y, z);
    right_side_ = DeviceArray<float>(b);
    solution_ = DeviceArray<double>(grid.size);
    sums_ = DeviceArray<double>(norm_blocks);
  }

  // r = b - A u, then a cycle that adds its correction to u. Queued.
  void queue(Stream stream) {
    find_residual(stream);
    visit(0, true, stream);
  }
  void find_residual(Stream stream) {
    Level& finest = levels_.front();
    launch<double>(finest.grid, [&](dim3 blocks, dim3 threads) {
      residual_in_double<<<blocks, threads, 0, stream>>>(solution_.data(), right_side_.data(), finest.b.data(),
                                                         place_of(finest.grid),
                                                         weights_of<double>(multigrid::box_weights, -1.0));
    });
  }
  double residual(Stream stream) {
    find_residual(stream);
    const double left = norm(levels_.front().b, stream);
    return left / norm(right_side_, stream);
  }
  void sweep_once(Stream stream) {
    Level& finest = levels_.front();
    queue_sweep(finest, finest.u.data(), finest.other.data(), 1.0, stream);
  }
  void triad(Stream stream) {
    Level& finest = levels_.front();
    const auto vectors = static_cast<std::int64_t>(finest.grid.size / 4);
    leapfrog_triad<<<static_cast<unsigned>((vectors + 255) / 256), 256, 0, stream>>>(finest.u.data(),
                                                                                     finest.other.data(), vectors);
    FDTD_CUDA(cudaGetLastError());
  }

 private:
  struct Level {
    NodeGrid grid;
    DeviceArray<float> u, b, other;
  };

  template <class T, class Launch>
  static void launch(const NodeGrid& grid, const Launch& go) {
    go(dim3(pieces(grid.nodes[0], threads_in_x * lanes<T>), pieces(grid.nodes[1], rows_a_block),
            pieces(grid.nodes[2], planes_a_thread)),
       dim3(threads_in_x, rows_a_block));
    FDTD_CUDA(cudaGetLastError());
  }

  void queue_sweep(Level& level, const float* from, float* to, double step, Stream stream) {
    const multigrid::SweepWeights one = multigrid::smoothing_sweep(step);
    launch<float>(level.grid, [&](dim3 blocks, dim3 threads) {
      sweep<<<blocks, threads, 0, stream>>>(from, level.b.data(), to, place_of(level.grid),
                                            weights_of<float>(one.weights), static_cast<float>(one.scale));
    });
  }

  // The last sweep of the finest level goes into the solution.
  void smooth(std::size_t l, bool from_zero, bool last, Stream stream) {
    Level& level = levels_[l];
    std::vector<float> steps = steps_;
    if (!from_zero || last) std::ranges::reverse(steps);
    const auto step = [&](std::size_t i) { return static_cast<double>(steps[i]); };
    std::size_t s = 0;
    if (from_zero) {
      const bool two = steps.size() > 1;
      const std::array<double, 4> single = {step(0) / multigrid::box_weights[0], 0.0, 0.0, 0.0};
      const auto w = weights_of<float>(two ? multigrid::first_two_sweeps(step(0), step(1)) : single);
      launch<float>(level.grid, [&](dim3 blocks, dim3 threads) {
        sweep_of_right_side<<<blocks, threads, 0, stream>>>(level.b.data(), level.u.data(), place_of(level.grid), w);
      });
      s = two ? 2 : 1;
    }
    for (; s < steps.size(); ++s) {
      if (last && l == 0 && s + 1 == steps.size()) {
        const multigrid::SweepWeights one = multigrid::smoothing_sweep(step(s));
        launch<float>(level.grid, [&](dim3 blocks, dim3 threads) {
          sweep_into_solution<<<blocks, threads, 0, stream>>>(level.u.data(), level.b.data(), solution_.data(),
                                                              place_of(level.grid), weights_of<float>(one.weights),
                                                              static_cast<float>(one.scale));
        });
      } else {
        queue_sweep(level, level.u.data(), level.other.data(), step(s), stream);
        std::swap(level.u, level.other);
      }
    }
  }

  void visit(std::size_t l, bool from_zero, Stream stream) {
    Level& level = levels_[l];
    const Place fine = place_of(level.grid);
    if (l + 1 == levels_.size()) {
      coarsest<<<1, 256, 0, stream>>>(inverse_.data(), level.b.data(), level.u.data(),
                                      l == 0 ? solution_.data() : nullptr, fine);
      FDTD_CUDA(cudaGetLastError());
      return;
    }
    Level& coarse = levels_[l + 1];
    const Place below = place_of(coarse.grid);
    smooth(l, from_zero, false, stream);
    launch<float>(level.grid, [&](dim3 blocks, dim3 threads) {
      sweep<<<blocks, threads, 0, stream>>>(level.u.data(), level.b.data(), level.other.data(), fine,
                                            weights_of<float>(multigrid::box_weights, -1.0), 1.0F);
    });
    const dim3 threads(32, 8);
    restrict_half<<<dim3(pieces(below.nx, 32), pieces(below.ny, 8), static_cast<unsigned>(below.nz)), threads, 0,
                    stream>>>(level.other.data(), fine, coarse.b.data(), below);
    FDTD_CUDA(cudaGetLastError());
    for (int i = 0; i < (l + 2 == levels_.size() ? 1 : cycle_.visits); ++i) visit(l + 1, i == 0, stream);
    prolong<<<dim3(pieces(below.nx + 1, 32), pieces(fine.ny, 8), static_cast<unsigned>(fine.nz)), threads, 0, stream>>>(
        coarse.u.data(), below, level.u.data(), fine);
    FDTD_CUDA(cudaGetLastError());
    smooth(l, false, true, stream);
  }

  double norm(const DeviceArray<float>& values, Stream stream) {
    products<norm_threads><<<norm_blocks, norm_threads, 0, stream>>>(
        values.data(), values.data(), static_cast<std::int64_t>(values.size()), sums_.data());
    FDTD_CUDA(cudaGetLastError());
    double sum = 0.0;
    for (const double one : sums_.get()) sum += one;
    return std::sqrt(sum);
  }

  multigrid::Cycle cycle_;
  std::vector<float> steps_;
  std::vector<Level> levels_;
  DeviceArray<float> inverse_, right_side_;
  DeviceArray<double> solution_, sums_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

multigrid::Profile profile_multigrid(int device, const std::array<int, 3>& nodes, const multigrid::Cycle& cycle,
                                     int repeats) {
  constexpr int max_cycles = 30;
  use_device(device);
  multigrid::Profile profile;
  profile.grid = nodes;
  profile.cycle = cycle;
  Problem problem(nodes, cycle);
  const OwnedStream stream;
  profile.residuals.push_back(problem.residual(stream.get()));
  while (profile.residuals.back() > multigrid::single_precision &&
         static_cast<int>(profile.residuals.size()) <= max_cycles) {
    problem.queue(stream.get());
    profile.residuals.push_back(problem.residual(stream.get()));
  }
  // A level's arrays change places with every odd number of sweeps: after two cycles all are where they were.
  Graph two;
  const auto work = [&] {
    problem.queue(stream.get());
    problem.queue(stream.get());
  };
  const bool captured = two.capture(stream.get(), work);
  std::vector<double> cycles, sweeps, triads;
  for (int i = 0; i < std::max(repeats, 3); ++i) {
    cycles.push_back(0.5 * seconds_of(stream.get(), [&] {
                       if (captured) {
                         two.launch(stream.get());
                       } else {
                         work();
                       }
                     }));
    sweeps.push_back(seconds_of(stream.get(), [&] { problem.sweep_once(stream.get()); }));
    triads.push_back(seconds_of(stream.get(), [&] { problem.triad(stream.get()); }));
  }
  profile.cycle_seconds = median(cycles);
  profile.sweep_seconds = median(sweeps);
  profile.triad_seconds = median(triads);
  return profile;
}

}  // namespace fdtd::cuda
