// (2 - S) u but for its rest (energy_box.cu): sums of differences of neighbours, exact or nearly so where the field is
// smooth.
//
// Along a line, u - u_m is the sum of the steps from node to node between them: the sum of w_m ((u - u_m) + (u - u_-m))
// is that of w_m + w_{m+1} + ... times (the step that ends m - 1 nodes before u, less the one that begins m - 1 behind
// it). A step serves all nodes of the line.
//
// For stencils with the cube's symmetries a column of nodes is worked plane by plane: a plane's rows are read once for
// all the outputs above and below them, as plane_functionals.cuh does for S u. The sum of w_k (u - u_k) over a
// stencil's points at distance c along z is, with u' the value at the same (x, y) in their plane, W_c (u - u') + F_c,
// F_c the sum of w_k (u' - u_k), W_c that of w_k: F_c is the plane's alone. Of those within a plane, with e_b = (u' -
// u_b) + (u' - u_-b) along y at each x and d_a the same along x, the points at (+-a, +-b) give e_b(a) + e_b(-a) + 2
// d_a; all that d_a is counted with is one weight.
#pragma once

#include <array>
#include <cstddef>

#include "engine/cuda/field/cube_weights.hpp"
#include "engine/cuda/gpu/host_device.hpp"

namespace fdtd::cuda {

template <class T_, int R_>
struct CubeDifferences {
  using T = T_;
  static constexpr int R = R_;
  ShellWeights<T, R> shell;  // of e_b
  T along[R + 1][R];         // [c][j], of steps along x, those j nodes away
  T rise[R];                 // of steps along z
};

// From weights of points at distance 1 .. R to those of steps 0 .. R - 1 nodes away.
template <class T, int R>
void steps_of(const std::array<double, R + 1>& weight, T (&step)[R]) {
  double sum = 0.0;
  for (std::size_t j = R; j-- > 0;) {
    sum += weight[j + 1];
    step[j] = static_cast<T>(sum);
  }
}

template <class T, int R>
CubeDifferences<T, R> cube_differences(const CubeWeights& cube) {
  CubeDifferences<T, R> w{shell_weights<T, R>(cube), {}, {}};
  std::array<double, R + 1> plane{}, along{};
  for (int c = 0; c <= R; ++c) {
    for (int a = 0; a <= R; ++a) {
      double& sum = along[static_cast<std::size_t>(a)] = 0.0;  // over both signs of b
      for (int b = 0; b <= R; ++b) sum += (b == 0 ? 1.0 : 2.0) * static_cast<double>(w.shell.weight[shell_of(a, b, c)]);
      plane[static_cast<std::size_t>(c)] += (a == 0 ? 1.0 : 2.0) * sum;
    }
    steps_of<T, R>(along, w.along[c]);
  }
  steps_of<T, R>(plane, w.rise);
  return w;
}

// A leggy stencil's weights: of steps along x, of points along y and z.
template <class T_, int M>
struct StarDifferences {
  using T = T_;
  static constexpr int R = M;
  T along[M], y[M], z[M];
};

template <class T, int M>
StarDifferences<T, M> star_differences(const StarWeights& star) {
  StarDifferences<T, M> w{};
  std::array<double, M + 1> along{};
  for (std::size_t m = 1; m <= M; ++m) {
    along[m] = static_cast<double>(static_cast<T>(star.weight[0][m - 1]));
    w.y[m - 1] = static_cast<T>(star.weight[1][m - 1]);
    w.z[m - 1] = static_cast<T>(star.weight[2][m - 1]);
  }
  steps_of<T, M>(along, w.along);
  return w;
}

// Of `width` nodes side by side, and their values. own: values of their row, `aside` before and behind them as well;
// rows(dy, dz, values): those of another row at their x alone.
template <class T, int M, int width, int aside, class Rows>
FDTD_HOST_DEVICE void star_sums(const StarDifferences<T, M>& w, const T (&own)[width + 2 * aside], const Rows& rows,
                                T (&sum)[width]) {
  const auto add = [&](T weight, const T(&a)[width], const T(&b)[width]) {
    FDTD_UNROLL
    for (int i = 0; i < width; ++i) {
      const T here = own[aside + i];
      sum[i] = fused(weight, (here - a[i]) + (here - b[i]), sum[i]);
    }
  };
  FDTD_UNROLL
  for (int i = 0; i < width; ++i) {
    const int x = aside + i;
    FDTD_UNROLL
    for (int j = M - 1; j >= 0; --j) {
      const T bend = (own[x - j] - own[x - j - 1]) - (own[x + j + 1] - own[x + j]);
      sum[i] = j == M - 1 ? w.along[j] * bend : fused(w.along[j], bend, sum[i]);
    }
  }
  FDTD_UNROLL
  for (int m = M; m > 0; --m) {
    T a[width], b[width];
    rows(0, m, a);
    rows(0, -m, b);
    add(w.z[m - 1], a, b);
    rows(m, 0, a);
    rows(-m, 0, b);
    add(w.y[m - 1], a, b);
  }
}

// F_c of `width` nodes side by side, and their values. rows(dy, row): those from `aside` nodes before them on.
template <class T, int R, int width, int aside, class Rows>
FDTD_HOST_DEVICE void plane_differences(const CubeDifferences<T, R>& w, const Rows& rows, T (&F)[R + 1][width],
                                        T (&here)[width]) {
  constexpr int window = width + 2 * aside;
  T own[window];
  rows(0, own);
  FDTD_UNROLL
  for (int i = 0; i < width; ++i) {
    const int x = aside + i;
    here[i] = own[x];
    FDTD_UNROLL
    for (int j = 0; j < R; ++j) {
      const T bend = (own[x - j] - own[x - j - 1]) - (own[x + j + 1] - own[x + j]);
      FDTD_UNROLL
      for (int c = 0; c <= R; ++c) F[c][i] = j == 0 ? w.along[c][j] * bend : fused(w.along[c][j], bend, F[c][i]);
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

// The sums under way of `width` columns of nodes: of planes from R - 1 below the one taken last to R above it.
template <class T, int R, int width>
struct ColumnSums {
  T sum[2 * R][width] = {};
  T last[width] = {};  // values in that plane

  // Takes the next plane; then done is the sum at the nodes R planes back.
  FDTD_HOST_DEVICE void take(const CubeDifferences<T, R>& w, const T (&F)[R + 1][width], const T (&here)[width],
                             T (&done)[width]) {
    FDTD_UNROLL
    for (int i = 0; i < width; ++i) {
      const T step = here[i] - last[i];
      last[i] = here[i];
      FDTD_UNROLL
      for (int k = 0; k <= 2 * R; ++k) {  // of the plane k - R above this one
        const int c = k < R ? R - k : k - R;
        T next = k < 2 * R ? sum[k < 2 * R ? k : 0][i] : T{};
        if (k < 2 * R) next = fused(k < R ? -w.rise[k < R ? c - 1 : 0] : w.rise[k < R ? 0 : c < R ? c : 0], step, next);
        next += F[c][i];
        if (k == 0)
          done[i] = next;
        else
          sum[k > 0 ? k - 1 : 0][i] = next;
      }
    }
  }
};

}  // namespace fdtd::cuda
