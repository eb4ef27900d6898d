// The sums that one plane of u1 adds to the outputs above and below it, for stencils with the cube's symmetries. For
// .cu files alone.
//
// In a plane the points at (+-a, +-b) and (+-b, +-a) have one weight, which |dz| = c alone distinguishes: with the
// class sums
//   P(a, b) = sum of u over those points (a >= b >= 0),
// the plane's part of the output at distance c is the functional F_c = sum over classes of w(a, b, c) P(a, b). So a
// plane costs its class sums once and R + 1 functionals, not 2R + 1 sets of points: for 343 points 72 instructions a
// node. Within the class sums, rows +-b are added first, then columns +-a, so that both are shared between classes.
// Input-stationary order: M. Krotkiewski and M. Dabrowski, "Efficient 3D stencil computations using CUDA", Parallel
// Computing 39 (2013).
#pragma once

#include "engine/cuda/field/cube_weights.hpp"
#include "engine/cuda/gpu/vector.cuh"

namespace fdtd::cuda {

constexpr bool has_shell(std::uint64_t shells, int a, int b, int c) { return (shells >> shell_of(a, b, c) & 1U) != 0; }

// Bit 8 a + b: some plane c has a shell at (a, b). Worked out here, in one constant, for a loop within a kernel would
// have to be folded by the optimiser.
constexpr std::uint64_t class_bits(std::uint64_t shells, int R) {
  std::uint64_t bits = 0;
  for (int a = 0; a <= R; ++a)
    for (int b = 0; b <= R; ++b)
      for (int c = 0; c <= R; ++c)
        if (has_shell(shells, a, b, c)) bits |= std::uint64_t{1} << (8 * a + b);
  return bits;
}
// Byte b: how far in x the rows +-b are read, plus 1; 0: not at all.
constexpr std::uint64_t row_reaches(std::uint64_t shells, int R) {
  std::uint64_t reaches = 0;
  for (int b = 0; b <= R; ++b)
    for (int a = R; a >= 0; --a)
      if ((class_bits(shells, R) >> (8 * a + b) & 1U) != 0) {
        reaches |= static_cast<std::uint64_t>(a + 1) << (8 * b);
        break;
      }
  return reaches;
}

// F[c][i], c = 0..R, for the `width` nodes of a thread (a multiple of a vector). rows(dy, k) is the k-th aligned vector
// of row y + dy, counted from the thread's first: a Vector<T>, dy = -R..R, k = -ceil(R / lanes) .. width / lanes - 1 +
// ceil(R / lanes).
template <int R, std::uint64_t shells, int width, class T, class Rows>
__device__ __forceinline__ void plane_functionals(const Rows& rows, const ShellWeights<T, R>& w, T (&F)[R + 1][width]) {
  constexpr int V = lanes<T>, aside = (R + V - 1) / V;  // vectors on either side
  constexpr std::uint64_t classes = class_bits(shells, R), reaches = row_reaches(shells, R);
  // Far points have small weights: taken first they round less, as 461 floats need. Other sums take them as registers
  // suit.
  constexpr bool far_first = R >= 4 && sizeof(T) == sizeof(float);
  T half[R + 1][R + 1][width];  // of P(a, b), [a][b] with a > b: the half that comes first
#pragma unroll
  for (int c = 0; c <= R; ++c)
#pragma unroll
    for (int i = 0; i < width; ++i) F[c][i] = T(0);
#pragma unroll
  for (int n = 0; n <= R; ++n) {
    const int b = far_first ? R - n : n;
    const int reach = static_cast<int>(reaches >> (8 * b) & 15U) - 1;
    T s[width + 2 * aside * V];  // rows +b and -b added
#pragma unroll
    for (int k = -aside; k < width / V + aside; ++k) {
      if ((k + 1) * V - 1 < -reach || k * V > width - 1 + reach || reach < 0) continue;
      const Vector<T> up = rows(b, k);
      Vector<T> down{};
      if (b > 0) down = rows(-b, k);
#pragma unroll
      for (int i = 0; i < V; ++i) s[(k + aside) * V + i] = b > 0 ? up.lane[i] + down.lane[i] : up.lane[i];
    }
#pragma unroll
    for (int a = 0; a <= R; ++a) {
      if ((classes >> (8 * a + b) & 1U) == 0) continue;
#pragma unroll
      for (int i = 0; i < width; ++i) {
        const int x = aside * V + i;
        T sum = a > 0 ? s[x - a] + s[x + a] : s[x];
        T& other = half[a > b ? a : b][a > b ? b : a][i];
        if (far_first ? a < b : a > b) {
          other = sum;
          continue;
        }
        if (a != b) sum += other;
#pragma unroll
        for (int c = 0; c <= R; ++c)
          if (has_shell(shells, a, b, c)) F[c][i] += w.weight[shell_of(a, b, c)] * sum;
      }
    }
  }
}

// The outputs that a marching thread has under way. With plane z taken, partial[j] is output z - R + 1 + j. Every
// output takes one sum from a plane, so the queue moves on in the additions themselves.
template <int R, int width, class T>
struct OutputQueue {
  T partial[2 * R][width];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < 2 * R; ++j)
#pragma unroll
      for (int i = 0; i < width; ++i) partial[j][i] = T(0);
  }
  // Takes plane z; done: output z - R.
  __device__ __forceinline__ void take(const T (&F)[R + 1][width], T (&done)[width]) {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      done[i] = partial[0][i] + F[R][i];
#pragma unroll
      for (int j = 0; j < 2 * R - 1; ++j) partial[j][i] = partial[j + 1][i] + F[j < R - 1 ? R - 1 - j : j - R + 1][i];
      partial[2 * R - 1][i] = F[R][i];
    }
  }
};

}  // namespace fdtd::cuda
