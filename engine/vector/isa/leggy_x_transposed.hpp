// Sums along x of four rows at once, transposed by quads of lanes: lane 4 b + r of vector j is value 4 b + j of row r.
// A shift along x then selects another of the four vectors or shifts by whole quads, which all distances share: 4
// shuffles a vector to transpose there and back and some 2 ceil(M/4) shifts, where each distance takes two shuffles
// otherwise (leggy.hpp). In f32 leggy-7, -8 and -10 gain 9 to 12 % on two threads of a Zen 4, other lengths less;
// nothing shows on 16 cores of a Xeon (docs/performance/cpu-tried.md).
#pragma once

#include "engine/vector/isa/leggy.hpp"
#include "engine/vector/isa/transpose4.hpp"

namespace fdtd::cpu {
namespace {

template <class T, int M>
class TransposedRows {
 public:
  using L = Simd<T, T>;
  using V = typename L::V;
  static constexpr int rows = 4;
  // In f64 nothing is gained (docs/performance/cpu-tried.md).
  static constexpr bool possible = shifts_in_registers && sizeof(T) == sizeof(float);

  // Loads the vectors before those at p of `rows` rows.
  FDTD_INLINE TransposedRows(const T* p, std::ptrdiff_t row) {
    load(p - L::n, row, before_);
    load(p, row, at_);
  }
  // The sums at p, the value at p times the centre included, weight by weight: the bytes of Leggy::along_x. Advances to
  // the next vectors.
  FDTD_INLINE void sum(const T* p, const Leggy<T, T, M>& weights, V* out) {
    load(p + L::n, weights.row, after_);
    constexpr auto held = std::make_integer_sequence<int, near>();
    one<0>(weights, out[0], held);
    one<1>(weights, out[1], held);
    one<2>(weights, out[2], held);
    one<3>(weights, out[3], held);
    Transpose4<T>::transpose(out);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      if constexpr (M > near) {  // further away than a vector
        const V none{};
        out[r] = weights.template along_x<near + 1>(p + r * weights.row, none, none, none, out[r]);
      }
      before_[r] = at_[r];
      at_[r] = after_[r];
    }
  }

 private:
  static constexpr int lanes = static_cast<int>(L::n), near = M < lanes ? M : lanes;

  static FDTD_INLINE void load(const T* p, std::ptrdiff_t row, V* v) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) v[r] = L::load(p + r * row);
    Transpose4<T>::transpose(v);
  }
  // The values `Places` after those of vector 0, in all quads.
  template <int Places>
  FDTD_INLINE V value() const {
    constexpr int j = (Places + 2 * lanes) % 4, quads = Places - j;
    if constexpr (quads >= 0) {
      return shifted<L, quads>(at_[j], after_[j]);
    } else {
      return shifted<L, lanes + quads>(before_[j], at_[j]);
    }
  }
  template <int J, int... m>
  FDTD_INLINE void one(const Leggy<T, T, M>& sum, V& out, std::integer_sequence<int, m...>) const {
    out = at_[J] * sum.centre;
    ((out = L::fma(sum.weight[3 * m], value<J - 1 - m>() + value<J + 1 + m>(), out)), ...);
  }

  V before_[rows], at_[rows], after_[rows];
};

// The same sums for other numbers of rows, row by row.
template <class T, class A, int M, int Rows>
struct RowByRow {
  using L = Simd<T, A>;
  FDTD_INLINE RowByRow(const T*, std::ptrdiff_t) {}
  FDTD_INLINE void sum(const T* p, const Leggy<T, A, M>& weights, typename L::V* out) const {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r, p += weights.row) {
      const auto at = L::load(p);
      out[r] = weights.template along_x<1>(p, L::load(p - L::n), at, L::load(p + L::n), at * weights.centre);
    }
  }
};

}  // namespace
}  // namespace fdtd::cpu
