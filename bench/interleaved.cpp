// A trial: the interleaved layout of Zumbusch (PARA 2012) against rows as they are, for leggy stencils in f32.
//
//   bench_interleaved [M] [nx ny nz]
//
// Interleaved, lane l of a vector holds the l-th of 16 pieces of a row, so that neighbours along x are whole vectors
// and nothing is shifted; at both ends of a row stand M vectors more, shifted copies of the other end, made anew every
// step after the row is written. Both layouts take four planes together with the same sums; one thread; the two and an
// in-place triad take turns, and the least of 15 counts: CTPN in ns. The result is in
// docs/performance/interleaved.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

constexpr int lanes = 16;
typedef float V __attribute__((vector_size(64)));
typedef float Unaligned __attribute__((vector_size(64), aligned(4)));
constexpr int most = 8;

struct Grid {
  std::ptrdiff_t vectors, row, plane;  // of a row; from row to row and plane to plane, in vectors
  int ny, nz, M;
};

const V& at(const float* p) { return *reinterpret_cast<const V*>(p); }
V& at(float* p) { return *reinterpret_cast<V*>(p); }
V loose(const float* p) { return *reinterpret_cast<const Unaligned*>(p); }

template <int M, bool interleaved>
void step(const Grid& g, const float* u1, float* u0) {
  const std::ptrdiff_t row = g.row * lanes, plane = g.plane * lanes, shift = interleaved ? lanes : 1;
  for (int z = 0; z < g.nz; z += 4) {
    for (int y = 0; y < g.ny; ++y) {
      const float* const u = u1 + (z + M) * plane + (y + M) * row + M * lanes;
      float* const out = u0 + (u - u1);
      for (std::ptrdiff_t x = 0; x < g.vectors * lanes; x += lanes) {
        V window[4 + 2 * M];
        for (int k = 0; k < 4 + 2 * M; ++k) window[k] = at(u + x + (k - M) * plane);
        for (int k = 0; k < 4; ++k) {
          const float* const p = u + x + k * plane;
          V sum = window[k + M] * 0.5F;
          for (int m = 1; m <= M; ++m) {
            const V along_x = interleaved ? at(p - m * shift) + at(p + m * shift) : loose(p - m) + loose(p + m);
            sum += 0.1F * (along_x + at(p - m * row) + at(p + m * row) + window[k + M - m] + window[k + M + m]);
          }
          at(out + x + k * plane) = sum - at(out + x + k * plane);
        }
      }
      if (!interleaved) continue;
      for (int k = 0; k < 4; ++k) {  // the other end's vectors, one lane on: what stands before and behind the row
        float* const p = out + k * plane;
        for (int m = 1; m <= M; ++m) {
          float* const before = p - m * lanes;
          float* const behind = p + (g.vectors + m - 1) * lanes;
          const float* const last = p + (g.vectors - m) * lanes;
          const float* const first = p + (m - 1) * lanes;
          at(before) = V{0,       last[0], last[1], last[2],  last[3],  last[4],  last[5],  last[6],
                         last[7], last[8], last[9], last[10], last[11], last[12], last[13], last[14]};
          at(behind) = V{first[1], first[2],  first[3],  first[4],  first[5],  first[6],  first[7],  first[8],
                         first[9], first[10], first[11], first[12], first[13], first[14], first[15], 0};
        }
      }
    }
  }
}

void triad(const float* u1, float* u0, std::ptrdiff_t values) {
  for (std::ptrdiff_t i = 0; i < values; i += lanes) at(u0 + i) = 2.0F * at(u1 + i) - at(u0 + i);
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Free {
  void operator()(float* p) const { std::free(p); }
};

template <int M>
void compare(int nx, int ny, int nz) {
  const Grid g{nx / lanes, nx / lanes + 2 * M, (nx / lanes + 2 * M) * (ny + 2 * M), ny, nz, M};
  Grid rows = g;  // rows need one vector between them
  rows.row = g.vectors + 1;
  rows.plane = rows.row * (ny + 2 * M);
  const auto length = static_cast<std::size_t>(g.plane * (nz + 2 * M) + 4 * M) * lanes;
  std::unique_ptr<float, Free> fields[2];
  for (auto& field : fields) {
    field.reset(
        static_cast<float*>(std::aligned_alloc(std::size_t{2} << 20U, (length * 4 / (2U << 20U) + 1) * (2U << 20U))));
    std::fill_n(field.get(), length, 0.0F);
  }
  double least[3] = {1e9, 1e9, 1e9};
  for (int i = 0; i < 15; ++i) {
    least[0] = std::min(least[0], seconds([&] { step<M, false>(rows, fields[0].get(), fields[1].get()); }));
    least[1] = std::min(least[1], seconds([&] { step<M, true>(g, fields[0].get(), fields[1].get()); }));
    least[2] = std::min(
        least[2], seconds([&] { triad(fields[0].get(), fields[1].get(), static_cast<std::ptrdiff_t>(nx) * ny * nz); }));
  }
  const double nodes = static_cast<double>(nx) * ny * nz * 1e-9;
  fmt::print("M = {}, {} x {} x {}: rows {:.3f}, interleaved {:.3f}, triad {:.3f} ns\n", M, nx, ny, nz,
             least[0] / nodes, least[1] / nodes, least[2] / nodes);
}

}  // namespace

int main(int argc, char** argv) {
  const int M = argc > 1 ? std::atoi(argv[1]) : 1;
  const int nx = argc > 4 ? std::atoi(argv[2]) : 512, ny = argc > 4 ? std::atoi(argv[3]) : 128,
            nz = argc > 4 ? std::atoi(argv[4]) : 128;
  if (nx < 16 * most || nx % 16 != 0 || ny < 1 || nz < 4 || nz % 4 != 0 || (M != 1 && M != 2 && M != 4 && M != 8)) {
    fmt::print(stderr, "usage: bench_interleaved 1|2|4|8 [nx ny nz], nx a multiple of 16 from 128, nz of 4\n");
    return 1;
  }
  if (!__builtin_cpu_supports("avx512f")) {
    fmt::print(stderr, "this trial needs AVX-512\n");
    return 3;
  }
  if (M == 1) compare<1>(nx, ny, nz);
  if (M == 2) compare<2>(nx, ny, nz);
  if (M == 4) compare<4>(nx, ny, nz);
  if (M == 8) compare<8>(nx, ny, nz);
  return 0;
}
