// `sliding_window` for leggy stencils.
//
// Data movement: a row of u0 is read and written once, every row of the stencil is read from cache
// (schedule/tile_order.hpp keeps the planes of a block there): 12 B a point from memory in f32, 24 B in f64. Beyond M =
// 2 the number of loads limits the speed. So four planes are computed together and share their loads along z: (4 + 2
// M)/4 lines a line of output come from the second-level cache instead of 2 M + 1. Shifts along x are made from aligned
// vectors in registers (AVX-512). Rows from memory, u0 and the planes that enter the stencil, are prefetched a few
// rows ahead. After G. Zumbusch, "Vectorized higher order finite difference kernels", PARA 2012.
#pragma once

#include <type_traits>

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

// The sums of a leggy stencil at a vector in each of `Planes` planes. Three sums a plane, one an axis, keep chains of
// dependent additions short. M = 0: M is known at run time only.
template <class T, class A, int M>
struct Leggy {
  using L = Simd<T, A>;
  using V = typename L::V;
  A centre, weight[3 * (M > 0 ? M : max_legs)];
  std::ptrdiff_t row, plane;
  int legs;

  explicit Leggy(const RowStencil<T>& s)
      : centre(static_cast<A>(s.centre)), row(s.row), plane(s.plane), legs(M > 0 ? M : s.legs) {
    for (int i = 0; i < 3 * legs; ++i) weight[i] = static_cast<A>(s.leg[i]);
  }

  template <int m>
  FDTD_INLINE V along_x(const T* p, V before, V at, V after, V sum) const {
    if constexpr (m > M) {
      return sum;
    } else {
      V both;
      if constexpr (shifts_in_registers && M > 1 && m <= L::n) {
        both = shifted<L, static_cast<int>(L::n) - m>(before, at) + shifted<L, m>(at, after);
      } else {
        both = pair(p, m);
      }
      return along_x<m + 1>(p, before, at, after, L::fma(weight[3 * (m - 1)], both, sum));
    }
  }

  static FDTD_INLINE V pair(const T* p, std::ptrdiff_t step) { return L::load(p - step) + L::load(p + step); }

  // Sums along the first `Axes` axes; with fewer than three axes Planes is 1.
  template <int Planes, int Axes = 3>
  FDTD_INLINE void sum(const T* p, V* out) const {
    if constexpr (M > 0 && Axes < 3) {
      const V at = L::load(p);
      V y{};
      if constexpr (Axes == 2) {
#pragma GCC unroll 8
        for (int m = 1; m <= M; ++m) y = L::fma(weight[3 * m - 2], pair(p, m * row), y);
      }
      out[0] = along_x<1>(p, L::load(p - L::n), at, L::load(p + L::n), at * centre) + y;
    } else if constexpr (M > 0) {
      sum_planes<Planes>(p, out);
    } else {
      // Alternates between the planes: independent chains of additions.
      V x[Planes], y[Planes], z[Planes];
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) {
        x[k] = L::load(p + k * plane) * centre;
        y[k] = z[k] = V{};
      }
      for (int m = 1; m <= legs; ++m) {
        const A* g = weight + 3 * (m - 1);
#pragma GCC unroll 4
        for (int k = 0; k < Planes; ++k) {
          const T* const q = p + k * plane;
          x[k] = L::fma(g[0], pair(q, m), x[k]);
          if constexpr (Axes > 1) y[k] = L::fma(g[1], pair(q, m * row), y[k]);
          if constexpr (Axes > 2) z[k] = L::fma(g[2], pair(q, m * plane), z[k]);
        }
      }
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) out[k] = x[k] + (y[k] + z[k]);
    }
  }

 private:
  // Weight by weight for all planes. AVX-512 broadcasts memory operands, so each weight is read where it is used: 3 M
  // weights and the window do not fit the registers.
  template <int Planes>
  FDTD_INLINE void sum_planes(const T* p, V* out) const {
    const A* g = weight;
    if constexpr (broadcasts_in_operands) asm("" : "+r"(g));
    V y[Planes], z[Planes];
    {
      V window[Planes + 2 * M];
#pragma GCC unroll 32
      for (int k = 0; k < Planes + 2 * M; ++k) window[k] = L::load(p + (k - M) * plane);
#pragma GCC unroll 8
      for (int m = 1; m <= M; ++m) {
#pragma GCC unroll 4
        for (int k = 0; k < Planes; ++k) {
          const V both = window[k + M - m] + window[k + M + m];
          z[k] = m == 1 ? g[2] * both : L::fma(g[3 * m - 1], both, z[k]);
        }
      }
    }
#pragma GCC unroll 8
    for (int m = 1; m <= M; ++m) {
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) {
        const V both = pair(p + k * plane, m * row);
        y[k] = m == 1 ? g[1] * both : L::fma(g[3 * m - 2], both, y[k]);
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < Planes; ++k) {
      const T* const q = p + k * plane;
      const V at = L::load(q);
      out[k] = along_x<1>(q, L::load(q - L::n), at, L::load(q + L::n), at * centre) + (y[k] + z[k]);
    }
  }
};

// The largest number of legs of single-pass whole rows; in rooms of three axes longer legs use two passes only.
inline constexpr int max_whole_row_legs = broadcasts_in_operands ? 6 : 3;
static_assert(min_two_pass_legs <= max_whole_row_legs + 1);

// The rows of a block are either `cut` into pieces so short that the 2 M + 1 rows an output reads in its planes stay in
// the first-level cache, or processed whole from the second-level cache: then hardware prefetching, which follows long
// rows, loads most of what comes from memory. Which is faster depends on the machine; the bytes are the same.
//
// A row's reads from memory, u0 and the planes that no row has read yet, are prefetched some rows before, or while
// the block's rows of the planes before are processed. Pieces of long legs, which occur in flat rooms only, are so
// short that the prefetch goes directly to the first-level cache; whole rows need one row's time only. Otherwise it
// goes to the second-level cache, and one row before its use to the first. Every outstanding prefetch occupies one of
// the core's few line fill buffers.
template <int M, bool cut>
inline constexpr bool prefetches_once = cut ? M > 4 : M > 2;
template <int M, bool cut>
constexpr int rows_ahead() {
  if (!prefetches_once<M, cut>) return 4;
  return cut ? 3 : 1;
}

template <bool cut, class T, int M, int Planes, int Axes>
FDTD_INLINE void prefetch_ahead(const Leggy<T, T, M>& sum, const T* u1, const T* u0, std::ptrdiff_t near,
                                std::ptrdiff_t far) {
#pragma GCC unroll 4
  for (int k = 0; k < Planes; ++k) {
    const T* const old = u0 + k * sum.plane;
    const T* const entering = Axes == 3 ? u1 + (sum.legs + k) * sum.plane : u1 + sum.legs * sum.row;
    if constexpr (prefetches_once<M, cut>) {
      __builtin_prefetch(old + far, 1, 3);
      __builtin_prefetch(entering + far, 0, 3);
    } else {
      __builtin_prefetch(old + near, 1, 3);
      __builtin_prefetch(entering + near, 0, 3);
      __builtin_prefetch(old + far, 0, 2);
      __builtin_prefetch(entering + far, 0, 2);
    }
  }
}

// Does the kernel prefetch the rows beside a block in the planes that enter the stencil? Nothing else loads them into
// the second-level cache, and another thread may have computed them. Row r < M prefetches row r above the block and row
// r below it.
template <int M, int Axes, bool cut>
inline constexpr bool prefetches_beside = M > 2 && Axes == 3 && cut;

// Steps a piece of one row in its planes; above, below: distances to the rows beside the block to prefetch (`beside`).
template <bool cut, bool beside, class T, int M, int Planes, int Axes>
FDTD_INLINE void leap_row(const Leggy<T, T, M>& sum, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end,
                          std::ptrdiff_t near, std::ptrdiff_t far, std::ptrdiff_t above, std::ptrdiff_t below) {
  using L = Simd<T, T>;
  typename L::V s[Planes];
  // The lines on either side belong to another piece or block: without a prefetch every row would wait for memory.
#pragma GCC unroll 4
  for (int k = 0; k < Planes; ++k) {
    __builtin_prefetch(u1 + k * sum.plane + begin - L::n + far, 0, 3);
    __builtin_prefetch(u1 + k * sum.plane + end + far, 0, 3);
  }
  std::ptrdiff_t x = begin;
  for (; x + L::n <= end; x += L::n) {
    prefetch_ahead<cut, T, M, Planes, Axes>(sum, u1 + x, u0 + x, near, far);
    if constexpr (beside) {
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) {
        __builtin_prefetch(u1 + x + (sum.legs + k) * sum.plane + above, 0, 2);
        __builtin_prefetch(u1 + x + (sum.legs + k) * sum.plane + below, 0, 2);
      }
    }
    sum.template sum<Planes, Axes>(u1 + x, s);
#pragma GCC unroll 4
    for (int k = 0; k < Planes; ++k) L::store(u0 + k * sum.plane + x, s[k] - L::load(u0 + k * sum.plane + x));
  }
  if (x < end) {
    sum.template sum<Planes, Axes>(u1 + x, s);
    for (int k = 0; k < Planes; ++k) {
      L::store_some(u0 + k * sum.plane + x, s[k] - L::load(u0 + k * sum.plane + x), end - x);
    }
  }
}

template <bool cut, class T, int M, int Planes, int Axes>
FDTD_INLINE void leap_piece(const Leggy<T, T, M>& whole, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end,
                            int rows) {
  // A copy that no store can change stays in registers; where weights are memory operands, a reference is faster.
  const std::conditional_t<broadcasts_in_operands, const Leggy<T, T, M>&, const Leggy<T, T, M>> sum = whole;
  constexpr int distance = rows_ahead<M, cut>();
  constexpr bool beside = prefetches_beside<M, Axes, cut>;
  const auto ahead = [&](int row) { return row < rows ? 0 : Planes * sum.plane - rows * sum.row; };
  for (int r = 0; r < rows; ++r, u1 += sum.row, u0 += sum.row) {
    const std::ptrdiff_t near = sum.row + ahead(r + 1), far = distance * sum.row + ahead(r + distance);
    if (beside && r < sum.legs) {
      leap_row<cut, beside, T, M, Planes, Axes>(sum, u1, u0, begin, end, near, far, rows * sum.row,
                                                -(2 * r + 1) * sum.row);
    } else {
      leap_row<cut, false, T, M, Planes, Axes>(sum, u1, u0, begin, end, near, far, 0, 0);
    }
  }
}

// The pieces of cut rows differ in length by at most one line.
template <bool cut, class T, int M, int Planes, int Axes = 3>
void leap_planes(const Leggy<T, T, M>& sum, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows) {
  if constexpr (!cut) {
    leap_piece<cut, T, M, Planes, Axes>(sum, u1, u0, begin, end, rows);
  } else {
    // The window leaves room for prefetched lines.
    constexpr std::ptrdiff_t window = prefetches_once<M, cut> ? 20 * 1024 : 24 * 1024;
    constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(T));
    const std::ptrdiff_t fitting = window / (64 * Planes * (2 * sum.legs + 1));
    const std::ptrdiff_t most = fitting > 2 ? fitting : 2, lines = (end - begin + line - 1) / line;
    const std::ptrdiff_t pieces = (lines + most - 1) / most;
    const auto edge = [&](std::ptrdiff_t i) { return begin + lines * i / pieces * line; };
    for (std::ptrdiff_t i = 0; i < pieces; ++i) {
      leap_piece<cut, T, M, Planes, Axes>(sum, u1, u0, edge(i), i + 1 < pieces ? edge(i + 1) : end, rows);
    }
  }
}

// In rooms of three axes two passes (leggy_two_pass.hpp) replace run-time legs (M = 0) and longer ones.
template <class T, int M, bool cut>
void leap_leggy(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                int planes) {
  constexpr bool has_passes = M == 0 || (cut ? M >= min_two_pass_legs : M > max_whole_row_legs);
  const Leggy<T, T, M> sum(stencil);
  if (has_passes || stencil.axes < 3) {
    for (int k = 0; k < planes; ++k) {
      const auto leap = stencil.axes == 2 ? leap_planes<cut, T, M, 1, 2> : leap_planes<cut, T, M, 1, 1>;
      leap(sum, u1 + k * sum.plane, u0 + k * sum.plane, begin, end, rows);
    }
    return;
  }
  if constexpr (!has_passes) {
    int k = 0;
    for (; k + planes_together <= planes; k += planes_together)
      leap_planes<cut, T, M, planes_together>(sum, u1 + k * sum.plane, u0 + k * sum.plane, begin, end, rows);
    for (; k < planes; ++k) leap_planes<cut, T, M, 1>(sum, u1 + k * sum.plane, u0 + k * sum.plane, begin, end, rows);
  }
}

template <class T, int M, int Planes>
FDTD_INLINE void apply_planes(const Leggy<T, double, M>& sum, const T* u, double* out, std::ptrdiff_t out_plane,
                              std::ptrdiff_t nodes) {
  using L = Simd<T, double>;
  constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(T));
  typename L::V s[Planes];
  for (std::ptrdiff_t first = 0; first < nodes; first += line) {
    // Prefetches the next row: energies read whole planes, more than the second-level cache holds.
    const T* const next = u + first + sum.row;
#pragma GCC unroll 16
    for (int k = -M; k < Planes + M; ++k) __builtin_prefetch(next + k * sum.plane, 0, 2);
    for (std::ptrdiff_t x = first; x < first + line && x < nodes; x += L::n) {
      sum.template sum<Planes>(u + x, s);
      for (int k = 0; k < Planes; ++k) put<L>(out + k * out_plane + x, s[k], nodes - x);
    }
  }
}

template <class T, int M>
void apply_leggy(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes,
                 int rows, int planes) {
  const Leggy<T, double, M> sum(stencil);
  for (int r = 0; r < rows; ++r, u += sum.row, out += sum.row) {
    int k = 0;
    for (; k + planes_together <= planes; k += planes_together)
      apply_planes<T, M, planes_together>(sum, u + k * sum.plane, out + k * out_plane, out_plane, nodes);
    for (; k < planes; ++k) apply_planes<T, M, 1>(sum, u + k * sum.plane, out + k * out_plane, out_plane, nodes);
  }
}

}  // namespace
}  // namespace fdtd::cpu
