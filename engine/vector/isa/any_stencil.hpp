// `rows`: any stencil, row by row, by sums shared along x.
//
// Data movement: as `sliding_window`, but every output reads all rows of its stencil from cache, through a strip in the
// first-level cache and with unaligned loads. It is the kernel for stencils that no other kernel accepts.
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

// The rows of a class are added once into a strip, and all shifts of the class read the strip: 125 points cost 25 rows
// and 30 shifts instead of 125 loads.
inline constexpr std::ptrdiff_t strip = 256;
inline constexpr std::ptrdiff_t max_reach = 64;

template <class T, class A>
FDTD_INLINE void strip_sum(const RowStencil<T>& s, const T* u, std::ptrdiff_t n, A* total) {
  using L = Simd<T, A>;
  using LA = Simd<A, A>;
  A sums[strip + 2 * max_reach + 2 * LA::n];
  for (std::ptrdiff_t x = 0; x < n; x += L::n) L::store(total + x, static_cast<A>(s.centre) * L::load(u + x));
  for (int c = 0; c < s.classes; ++c) {
    const RowClass& rows = s.classed[c];
    A* const strip_at = sums + rows.reach;
    for (std::ptrdiff_t x = -rows.reach; x < n + rows.reach; x += L::n) {
      typename L::V sum = L::load(u + s.rows[rows.row_begin] + x);
      for (std::uint32_t r = rows.row_begin + 1; r < rows.row_end; ++r) sum += L::load(u + s.rows[r] + x);
      L::store(strip_at + x, sum);
    }
    for (std::ptrdiff_t x = 0; x < n; x += L::n) {
      typename L::V sum = LA::load(total + x);
      for (std::uint32_t i = rows.shift_begin; i < rows.shift_end; ++i) {
        const Shift<T>& h = s.shifts[i];
        const auto pair =
            h.shift == 0 ? LA::load(strip_at + x) : LA::load(strip_at + x - h.shift) + LA::load(strip_at + x + h.shift);
        sum = L::fma(static_cast<A>(h.weight), pair, sum);
      }
      LA::store(total + x, sum);
    }
  }
}

template <class T>
void leap_any(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
              int planes) {
  using L = Simd<T, T>;
  T total[strip + L::n];
  for (int i = 0; i < rows * planes; ++i) {
    const std::ptrdiff_t row = i % rows * stencil.row + i / rows * stencil.plane;
    const T* const from = u1 + row;
    T* const to = u0 + row;
    for (std::ptrdiff_t at = begin; at < end; at += strip) {
      const std::ptrdiff_t n = end - at < strip ? end - at : strip;
      strip_sum<T, T>(stencil, from + at, n, total);
      std::ptrdiff_t x = 0;
      for (; x + L::n <= n; x += L::n) L::store(to + at + x, L::load(total + x) - L::load(to + at + x));
      for (; x < n; ++x) to[at + x] = total[x] - to[at + x];
    }
  }
}

template <class T>
void apply_any(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t out_plane, std::ptrdiff_t nodes,
               int rows, int planes) {
  double total[strip + Simd<T, double>::n];
  for (int i = 0; i < rows * planes; ++i) {
    const int r = i % rows, k = i / rows;
    const T* const from = u + r * stencil.row + k * stencil.plane;
    double* const to = out + r * stencil.row + k * out_plane;
    for (std::ptrdiff_t at = 0; at < nodes; at += strip) {
      const std::ptrdiff_t n = nodes - at < strip ? nodes - at : strip;
      strip_sum<T, double>(stencil, from + at, n, total);
      for (std::ptrdiff_t x = 0; x < n; ++x) to[at + x] = total[x];
    }
  }
}

}  // namespace
}  // namespace fdtd::cpu
