// `sliding_window` for stencils with all symmetries of the cube (compact, box): sums shared between outputs.
//
// Data movement: as for leggy stencils, 12 B a point from memory in f32. A row of a plane is read 2 R + 1 times from
// the first- and second-level cache, whatever the number of points. In registers are computed: the sums P_b of the two
// rows at distance b, vector by vector along x; their sums X_a at distance a on both sides, by shifts of aligned
// vectors; with C_ab = X_a P_b + X_b P_a the plane's contribution to outputs d planes away, F_d = sum weight(a, b, d)
// C_ab. The F_d of 2 R + 1 planes stay in the first-level cache; an output is F_0 plus R pairs of them. So 125 points
// cost some 50 instructions a vector, and one plane's sums serve 2 R + 1 outputs (input-stationary, as in M.
// Krotkiewski, M. Dabrowski, "Efficient 3D stencil computations using CUDA", Parallel Computing 39, 2013, for a GPU).
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

// Sums of type A over a field of type T.
template <class T, class A, Shape shape>
class SharedSums {
 public:
  using L = Simd<T, A>;
  using V = typename L::V;
  static constexpr int R = radius_of(shape);
  explicit SharedSums(const RowStencil<T>& stencil) : row_(stencil.row), plane_(stencil.plane) {
    for (int i = 0; i < shell_count; ++i) weight_[i] = static_cast<A>(stencil.shells[i]);
  }

  // Sums a piece of a row of at most `strip` nodes in all planes, vector by vector, and calls put(to, sum, nodes left)
  // with the place of each sum in `out`, whose planes are `out_plane` apart.
  template <class O, class Put>
  FDTD_INLINE void sum(const T* u, O* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes, int planes, const Put& put) {
    for (int k = -R; k < planes + R; ++k) {
      give<0>(k < 0 ? -k : k < planes ? 0 : k - planes + 1, u + k * plane_, ring(k), nodes, k >= R);
      if (k >= R) take(out + (k - R) * out_plane, k - R, nodes, put);
    }
  }
  static constexpr std::ptrdiff_t strip = R < 3 ? 16 * L::n : 8 * L::n;

 private:
  using LA = Simd<A, A>;
  using Given = A[R + 1][strip];  // F_d along the strip

  Given& ring(int k) { return given_[(k + R) % (2 * R + 1)]; }

  static constexpr bool any(int a, int b, int d) { return has_shell(shape, a, b, d); }
  // Is C_ab needed at distance d or further?
  static constexpr bool wanted(int a, int b, int d) {
    for (; d <= R; ++d)
      if (any(a, b, d)) return true;
    return false;
  }

  template <int b>
  FDTD_INLINE void sums_across(const T* u, V* P) const {
    P[b] = b == 0 ? L::load(u) : L::load(u - b * row_) + L::load(u + b * row_);
    if constexpr (b < R) sums_across<b + 1>(u, P);
  }

  template <int a>
  static FDTD_INLINE V both_sides(V before, V at, V after) {
    if constexpr (a == 0) {
      return at;
    } else {
      return shifted<L, static_cast<int>(L::n) - a>(before, at) + shifted<L, a>(at, after);
    }
  }

  // C_ab of all pairs, in the order of a triangle's rows.
  template <int nearest, int a, int b>
  static FDTD_INLINE void classes(const V* before, const V* at, const V* after, V* C) {
    if constexpr (wanted(a, b, nearest)) {
      C[a * (a + 1) / 2 + b] = both_sides<a>(before[b], at[b], after[b]);
      if constexpr (a != b) C[a * (a + 1) / 2 + b] += both_sides<b>(before[a], at[a], after[a]);
    }
    if constexpr (b < a) {
      classes<nearest, a, b + 1>(before, at, after, C);
    } else if constexpr (a < R) {
      classes<nearest, a + 1, 0>(before, at, after, C);
    }
  }

  template <int d, int a, int b>
  FDTD_INLINE V weigh(const V* C, V sum) const {
    if constexpr (any(a, b, d)) {
      constexpr bool first = a == 0;  // (0, 0, d) belongs to every shape that reaches d
      const A weight = weight_[shell_of(a, b, d)];
      sum = first ? weight * C[0] : L::fma(weight, C[a * (a + 1) / 2 + b], sum);
    }
    if constexpr (b < a) {
      return weigh<d, a, b + 1>(C, sum);
    } else if constexpr (a < R) {
      return weigh<d, a + 1, 0>(C, sum);
    } else {
      return sum;
    }
  }

  template <int d>
  FDTD_INLINE void weigh_all(const V* C, Given& out, std::ptrdiff_t x) const {
    LA::store(out[d] + x, weigh<d, 0, 0>(C, V{}));
    if constexpr (d < R) weigh_all<d + 1>(C, out, x);
  }

  // F_d of a plane for d >= distance: planes outside the tile contribute to distant outputs only.
  template <int nearest>
  FDTD_INLINE void give(int distance, const T* u, Given& out, std::ptrdiff_t nodes, bool enters) const {
    if constexpr (nearest < R) {
      if (distance > nearest) {
        give<nearest + 1>(distance, u, out, nodes, enters);
        return;
      }
    }
    V before[R + 1], at[R + 1], after[R + 1], C[(R + 1) * (R + 2) / 2];
    sums_across<0>(u - L::n, before);
    sums_across<0>(u, at);
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
      if (enters) __builtin_prefetch(u + (R + 1) * row_ + x, 0, 3);
      sums_across<0>(u + x + L::n, after);
      classes<nearest, 0, 0>(before, at, after, C);
      weigh_all<nearest>(C, out, x);
      for (int b = 0; b <= R; ++b) {
        before[b] = at[b];
        at[b] = after[b];
      }
    }
  }

  // Adds the contributions of all planes to plane k.
  template <class O, class Put>
  FDTD_INLINE void take(O* to, int k, std::ptrdiff_t nodes, const Put& put) {
    const A* below[R + 1];
    const A* above[R + 1];
    for (int d = 0; d <= R; ++d) {
      below[d] = ring(k - d)[d];
      above[d] = ring(k + d)[d];
    }
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
      V sum = LA::load(below[0] + x);
#pragma GCC unroll 4
      for (int d = 1; d <= R; ++d) sum += LA::load(below[d] + x) + LA::load(above[d] + x);
      put(to + x, sum, nodes - x);
    }
  }

  std::ptrdiff_t row_, plane_;
  A weight_[shell_count];
  alignas(64) Given given_[2 * R + 1];
};

template <class T, Shape shape>
void leap_shared(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                 int planes) {
  using Sums = SharedSums<T, T, shape>;
  using L = typename Sums::L;
  Sums sums(stencil);
  const std::ptrdiff_t row = stencil.row;
  for (int r = 0; r < rows; ++r, u1 += row, u0 += row) {
    for (std::ptrdiff_t x = begin; x < end; x += Sums::strip) {
      sums.sum(u1 + x, u0 + x, stencil.plane, end - x < Sums::strip ? end - x : Sums::strip, planes,
               [row](T* to, typename L::V sum, std::ptrdiff_t left) {
                 __builtin_prefetch(to + row, 1, 3);
                 if (left >= L::n) {
                   L::store(to, sum - L::load(to));
                 } else {
                   L::store_some(to, sum - L::load(to), left);
                 }
               });
    }
  }
}

template <class T, Shape shape>
void apply_shared(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes,
                  int rows, int planes) {
  using Sums = SharedSums<T, double, shape>;
  using L = typename Sums::L;
  Sums sums(stencil);
  for (int r = 0; r < rows; ++r, u += stencil.row, out += stencil.row) {
    for (std::ptrdiff_t x = 0; x < nodes; x += Sums::strip) {
      sums.sum(u + x, out + x, out_plane, nodes - x < Sums::strip ? nodes - x : Sums::strip, planes,
               [](double* to, typename L::V sum, std::ptrdiff_t left) { put<L>(to, sum, left); });
    }
  }
}

}  // namespace
}  // namespace fdtd::cpu
