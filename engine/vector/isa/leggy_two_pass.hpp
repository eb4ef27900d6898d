// `sliding_window` for leggy stencils of four legs and more: two passes over a few rows of a few planes.
//
// Data movement: as for shorter legs, 12 B a point from memory in f32. The values that an output of long legs reads
// along z and y fit neither the registers nor, in whole rows, the first-level cache. So the sums along z of four rows
// of eight or four planes are first stored in a strip, row by row; the sums along y and x follow plane by plane. The
// first pass reads (8 + 2 M)/8 or (4 + 2 M)/4 lines a line of output, the second (4 + 2 M)/4, from the second- or
// third-level cache, and few rows at a time, which hardware prefetching can follow. The two passes are those of P.
// Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU-2, 2009, over a strip instead of the whole
// grid.
#pragma once

#include "engine/vector/isa/leggy_x_transposed.hpp"

namespace fdtd::cpu {
namespace {

// Planes and rows of a strip: two layers of tiles (one in f64 where registers are few or little is prefetched).
// prefetches_all: also prefetch the rows that the sums along y read first, which lie in the third-level cache;
// otherwise only what comes from memory.
template <class T, bool prefetches_all>
inline constexpr int pass_planes = sizeof(T) == sizeof(float) || (broadcasts_in_operands && prefetches_all) ? 8 : 4;
inline constexpr int few_planes = 4, pass_rows = 4;
inline constexpr std::ptrdiff_t pass_strip = 512;  // nodes

// Sums along `step` at `Lines` lines that are `step` apart, weight by weight. Each line is loaded once: before the sums
// where the registers hold all lines, otherwise when it is first used.
template <class L, int M, int Lines, class T, class A>
FDTD_INLINE void sum_along(const T* p, std::ptrdiff_t step, const A* weight, typename L::V* out) {
  using V = typename L::V;
  constexpr int registers = broadcasts_in_operands ? 28 : 12;  // leaves room for temporaries
  constexpr bool all_held = 2 * Lines + 2 * M <= registers;
  V window[Lines + 2 * M];
  const auto take = [&](int k) { window[M + k] = L::load(p + k * step); };
#pragma GCC unroll 64
  for (int k = all_held ? -M : 0; k < (all_held ? Lines + M : Lines); ++k) take(k);
#pragma GCC unroll 20
  for (int m = 1; m <= M; ++m) {
    if constexpr (!all_held) {
      take(-m);
      take(Lines - 1 + m);
    }
#pragma GCC unroll 8
    for (int k = 0; k < Lines; ++k) {
      const V both = window[k + M - m] + window[k + M + m];
      out[k] = m == 1 ? weight[0] * both : L::fma(weight[3 * m - 3], both, out[k]);
    }
  }
}

template <class T, int M, bool prefetches_all>
class TwoPass {
 public:
  explicit TwoPass(const RowStencil<T>& stencil) : sum_(stencil) {}

  // Steps a strip of `Rows` rows of `Planes` planes; ahead: the distance to the rows of the next strip, to be
  // prefetched.
  template <int Planes, int Rows>
  void leap(const T* u1, T* u0, std::ptrdiff_t nodes, std::ptrdiff_t ahead) {
    for (int r = 0; r < Rows; ++r) along_z<Planes>(u1 + r * sum_.row, strips_[r], nodes, ahead);
    for (int k = 0; k < Planes; ++k) along_y_and_x<Rows>(u1 + k * sum_.plane, u0 + k * sum_.plane, k, nodes, ahead);
  }
  const Leggy<T, T, M>& sum() const { return sum_; }

 private:
  using L = Simd<T, T>;
  using V = typename L::V;
  using Strip = T[pass_planes<T, prefetches_all>][pass_strip];

  // Keeps weights that do not fit the registers as memory operands instead of spilled vectors (leggy.hpp).
  FDTD_INLINE const Leggy<T, T, M>& reread() const {
    const Leggy<T, T, M>* sum = &sum_;
    if constexpr (broadcasts_in_operands) asm("" : "+r"(sum));
    return *sum;
  }

  template <int Rows>
  static constexpr bool transposes = TransposedRows<T, M>::possible&& Rows == TransposedRows<T, M>::rows;

  template <int Planes>
  FDTD_INLINE void along_z(const T* u1, Strip& strip, std::ptrdiff_t nodes, std::ptrdiff_t ahead) const {
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
      const Leggy<T, T, M>& sum = reread();
#pragma GCC unroll 8
      for (int k = 0; k < Planes; ++k) __builtin_prefetch(u1 + x + (M + k) * sum_.plane + ahead, 0, 2);
      V z[Planes];
      sum_along<L, M, Planes>(u1 + x, sum_.plane, sum.weight + 2, z);
#pragma GCC unroll 8
      for (int k = 0; k < Planes; ++k) L::store(strip[k] + x, z[k]);
    }
  }

  template <int Rows>
  FDTD_INLINE void along_y_and_x(const T* u1, T* u0, int k, std::ptrdiff_t nodes, std::ptrdiff_t ahead) const {
    std::conditional_t<transposes<Rows>, TransposedRows<T, M>, RowByRow<T, T, M, Rows>> along_x(u1, sum_.row);
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
      const Leggy<T, T, M>& sum = reread();
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        __builtin_prefetch(u0 + x + r * sum_.row + ahead, 0, 2);
        if constexpr (prefetches_all) __builtin_prefetch(u1 + x + (M + r) * sum_.row + ahead, 0, 2);
      }
      V y[Rows], along[Rows];
      sum_along<L, M, Rows>(u1 + x, sum_.row, sum.weight + 1, y);
      along_x.sum(u1 + x, sum, along);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        T* const to = u0 + x + r * sum_.row;
        const V s = along[r] + (y[r] + L::load(strips_[r][k] + x));
        if (x + L::n <= nodes) {  // put() written out: GCC 12 makes 7 % more instructions of a call
          L::store(to, s - L::load(to));
        } else {
          L::store_some(to, s - L::load(to), nodes - x);
        }
      }
    }
  }

  Leggy<T, T, M> sum_;
  alignas(64) Strip strips_[pass_rows];
};

// The remaining rows, fewer than four, prefetch the first rows of the next planes.
template <class T, int M, bool prefetches_all, int Planes>
void leap_slab(TwoPass<T, M, prefetches_all>& passes, const T* u1, T* u0, std::ptrdiff_t nodes, int rows) {
  const std::ptrdiff_t row = passes.sum().row, plane = passes.sum().plane;
  const int grouped = rows / pass_rows * pass_rows;
  int r = 0;
  for (; r < grouped; r += pass_rows) {
    const std::ptrdiff_t ahead = r + pass_rows < rows ? pass_rows * row : Planes * plane - r * row;
    passes.template leap<Planes, pass_rows>(u1 + r * row, u0 + r * row, nodes, ahead);
  }
  for (; r < rows; ++r)
    passes.template leap<Planes, 1>(u1 + r * row, u0 + r * row, nodes, Planes * plane - grouped * row);
}

// Gives the bytes of leap_leggy.
template <class T, int M, bool prefetches_all>
void leap_two_pass(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                   int planes) {
  TwoPass<T, M, prefetches_all> passes(stencil);
  constexpr int many = pass_planes<T, prefetches_all>;
  // Strips differ in length by at most one line.
  constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(T));
  const std::ptrdiff_t lines = (end - begin + line - 1) / line, strips = (lines * line + pass_strip - 1) / pass_strip;
  for (std::ptrdiff_t i = 0; i < strips; ++i) {
    const std::ptrdiff_t x = begin + lines * i / strips * line;
    const std::ptrdiff_t nodes = (i + 1 < strips ? begin + lines * (i + 1) / strips * line : end) - x;
    const auto slab = [&]<int Planes>(int k) {
      leap_slab<T, M, prefetches_all, Planes>(passes, u1 + x + k * stencil.plane, u0 + x + k * stencil.plane, nodes,
                                              rows);
    };
    int k = 0;
    for (; k + many <= planes; k += many) slab.template operator()<many>(k);
    if constexpr (few_planes < many)
      for (; k + few_planes <= planes; k += few_planes) slab.template operator()<few_planes>(k);
    for (; k < planes; ++k) slab.template operator()<1>(k);
  }
}

// S u of `Rows` rows of `Planes` planes in double, in two passes: along z into `out`, then along y and x. Energies read
// whole planes, more than the second-level cache holds: the rows that follow are prefetched.
template <class T, int M, int Planes, int Rows>
void apply_block(const Leggy<T, double, M>& sum, const T* u, double* out, std::ptrdiff_t out_plane,
                 std::ptrdiff_t nodes) {
  using L = Simd<T, double>;
  using V = typename L::V;
  constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(T));
  const RowByRow<T, double, M, Rows> along_x(u, sum.row);
  for (int r = 0; r < Rows; ++r) {
    const T* const row = u + r * sum.row;
    double* const to = out + r * sum.row;
    for (std::ptrdiff_t first = 0; first < nodes; first += line) {
#pragma GCC unroll 64
      for (int k = -M; k < Planes + M; ++k) __builtin_prefetch(row + first + Rows * sum.row + k * sum.plane, 0, 2);
      for (std::ptrdiff_t x = first; x < first + line && x < nodes; x += L::n) {
        V z[Planes];
        sum_along<L, M, Planes>(row + x, sum.plane, sum.weight + 2, z);
#pragma GCC unroll 8
        for (int k = 0; k < Planes; ++k) put<L>(to + k * out_plane + x, z[k], nodes - x);
      }
    }
  }
  for (int k = 0; k < Planes; ++k) {
    const T* const row = u + k * sum.plane;
    double* const to = out + k * out_plane;
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) __builtin_prefetch(row + x + (M + Rows + r) * sum.row, 0, 2);
      V y[Rows], along[Rows];
      sum_along<L, M, Rows>(row + x, sum.row, sum.weight + 1, y);
      along_x.sum(row + x, sum, along);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        double* const at = to + x + r * sum.row;
        put<L>(at, along[r] + (y[r] + Simd<double, double>::load(at)), nodes - x);
      }
    }
  }
}

template <class T, int M>
void apply_two_pass(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t out_plane,
                    std::ptrdiff_t nodes, int rows, int planes) {
  const Leggy<T, double, M> sum(stencil);
  const auto block = [&]<int Planes, int Rows>(int r, int k) {
    apply_block<T, M, Planes, Rows>(sum, u + r * sum.row + k * sum.plane, out + r * sum.row + k * out_plane, out_plane,
                                    nodes);
  };
  const int grouped_rows = rows / pass_rows * pass_rows, grouped_planes = planes / few_planes * few_planes;
  for (int k = 0; k < grouped_planes; k += few_planes)
    for (int r = 0; r < grouped_rows; r += pass_rows) block.template operator()<few_planes, pass_rows>(r, k);
  for (int k = 0; k < planes; ++k)
    for (int r = k < grouped_planes ? grouped_rows : 0; r < rows; ++r) block.template operator()<1, 1>(r, k);
}

}  // namespace
}  // namespace fdtd::cpu
