// (2 - S) u but for its rest (energy_box.cu), a column of nodes worked plane by plane: a plane's rows are read once for all the
// outputs above and below them, as plane_functionals.cuh does for S u.
//
// The sum of w_k (u - u_k) over a stencil's points at distance c along z is, with u' the value at the same (x, y) in their
// plane, W_c (u - u') + F_c, F_c the sum of w_k (u' - u_k), W_c that of w_k: F_c is the plane's alone, and all of it are
// differences of neighbours still. A leggy stencil has F_0 alone. Of those within a plane of a stencil with the cube's
// symmetries, with e_b = (u' - u_b) + (u' - u_-b) along y at each x and d_a = (u' - u_a) + (u' - u_-a) along x, the points at
// (+-a, +-b) give e_b(a) + e_b(-a) + 2 d_a; all that d_a is counted with is one weight.
#pragma once

#include "engine/cuda/both.hpp"
#include "engine/cuda/shells.hpp"

namespace fdtd::cuda {

template <class T_, int R_>
struct CubeDifferences {
  using T = T_;
  static constexpr int R = R_, planes = R + 1;  // planes: of F
  ShellWeights<T, R> shell;                     // of e_b
  T along[R + 1][R + 1];                        // [c][a], of d_a
  T plane[R + 1];                               // W_c
};

template <class T, int R>
CubeDifferences<T, R> cube_differences(const CubeWeights& cube) {
  CubeDifferences<T, R> w{shell_weights<T, R>(cube), {}, {}};
  for (int c = 0; c <= R; ++c) {
    double plane = 0.0;
    for (int a = 0; a <= R; ++a) {
      double along = 0.0;  // over both signs of b
      for (int b = 0; b <= R; ++b)
        along += (b == 0 ? 1.0 : 2.0) * static_cast<double>(w.shell.weight[shell_of(a, b, c)]);
      w.along[c][a] = static_cast<T>(along);
      plane += (a == 0 ? 1.0 : 2.0) * along;
    }
    w.plane[c] = static_cast<T>(plane);
  }
  return w;
}

template <class T_, int M>
struct StarDifferences {
  using T = T_;
  static constexpr int R = M, planes = 1;
  T x[M + 1], y[M + 1], plane[M + 1];  // by distance; plane: W_c
};

template <class T, int M>
StarDifferences<T, M> star_differences(const StarWeights& star) {
  StarDifferences<T, M> w{};
  for (std::size_t m = 1; m <= M; ++m) {
    w.x[m] = static_cast<T>(star.weight[0][m - 1]);
    w.y[m] = static_cast<T>(star.weight[1][m - 1]);
    w.plane[m] = static_cast<T>(star.weight[2][m - 1]);
  }
  return w;
}

// F_c of `width` nodes side by side, and their values. rows(dy, values): as many values of the row beside theirs as
// the array has, with as many before the nodes as after them: `aside`, or none.
template <class T, int R, int width, int aside, class Rows>
FDTD_BOTH void plane_differences(const CubeDifferences<T, R>& w, const Rows& rows, T (&F)[R + 1][width],
                                 T (&here)[width]) {
  constexpr int window = width + 2 * aside;
  T own[window];
  rows(0, own);
  FDTD_UNROLL
  for (int i = 0; i < width; ++i) {
    const int x = aside + i;
    here[i] = own[x];
    FDTD_UNROLL
    for (int c = 0; c <= R; ++c) F[c][i] = T{};
    FDTD_UNROLL
    for (int a = 1; a <= R; ++a) {
      const T d = (own[x] - own[x - a]) + (own[x] - own[x + a]);
      FDTD_UNROLL
      for (int c = 0; c <= R; ++c) F[c][i] = fused(w.along[c][a], d, F[c][i]);
    }
  }
  FDTD_UNROLL
  for (int b = 1; b <= R; ++b) {
    T above[window], e[window];
    rows(b, above);
    rows(-b, e);
    FDTD_UNROLL
    for (int x = aside - R; x < window - aside + R; ++x) e[x] = (own[x] - above[x]) + (own[x] - e[x]);
    FDTD_UNROLL
    for (int a = 0; a <= R; ++a) {
      FDTD_UNROLL
      for (int i = 0; i < width; ++i) {
        const T sum = a == 0 ? e[aside + i] : e[aside + i - a] + e[aside + i + a];
        FDTD_UNROLL
        for (int c = 0; c <= R; ++c) F[c][i] = fused(w.shell.weight[shell_of(a, b, c)], sum, F[c][i]);
      }
    }
  }
}

template <class T, int M, int width, int aside, class Rows>
FDTD_BOTH void plane_differences(const StarDifferences<T, M>& w, const Rows& rows, T (&F)[1][width], T (&here)[width]) {
  T own[width + 2 * aside];
  rows(0, own);
  FDTD_UNROLL
  for (int i = 0; i < width; ++i) {
    here[i] = own[aside + i];
    F[0][i] = T{};
    FDTD_UNROLL
    for (int m = M; m > 0; --m) {
      const T a = own[aside + i - m], b = own[aside + i + m];
      F[0][i] = fused(w.x[m], (here[i] - a) + (here[i] - b), F[0][i]);
    }
  }
  FDTD_UNROLL
  for (int m = M; m > 0; --m) {
    T above[width], below[width];
    rows(m, above);
    rows(-m, below);
    FDTD_UNROLL
    for (int i = 0; i < width; ++i) F[0][i] = fused(w.y[m], (here[i] - above[i]) + (here[i] - below[i]), F[0][i]);
  }
}

// The sums under way of `width` columns of nodes: of the last plane taken, and of the R planes on either side.
template <class Differences, int width>
struct ColumnSums {
  using T = typename Differences::T;
  static constexpr int R = Differences::R, planes = Differences::planes;
  T sum[R + planes][width] = {};  // the last plane's is number R
  T before[R][width] = {};        // values in the planes before, the nearest first

  // Takes the next plane; then done is the sum at the nodes R planes back, and u their values.
  FDTD_BOTH void take(const Differences& w, const T (&F)[planes][width], const T (&here)[width], T (&done)[width],
                      T (&u)[width]) {
    FDTD_UNROLL
    for (int i = 0; i < width; ++i) {
      FDTD_UNROLL
      for (int c = 1; c <= R; ++c) {
        const T risen = here[i] - before[c - 1][i];
        sum[R - c][i] = fused(-w.plane[c], risen, sum[R - c][i]);
        sum[R][i] = fused(w.plane[c], risen, sum[R][i]);
        if (c >= planes) continue;
        sum[R - c][i] += F[c < planes ? c : 0][i];
        sum[c < planes ? R + c : R][i] += F[c < planes ? c : 0][i];
      }
      sum[R][i] += F[0][i];
      done[i] = sum[0][i];
      u[i] = before[R - 1][i];
      FDTD_UNROLL
      for (int k = 0; k + 1 < R + planes; ++k) sum[k][i] = sum[k + 1][i];
      sum[R + planes - 1][i] = T{};
      FDTD_UNROLL
      for (int c = R - 1; c > 0; --c) before[c][i] = before[c - 1][i];
      before[0][i] = here[i];
    }
  }
};

}  // namespace fdtd::cuda
