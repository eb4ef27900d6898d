// `sliding_window` for legs of four and more: two passes over a few rows of a few planes.
//
// Data movement: as for shorter legs, 12 B a point from memory in f32. What an output of long legs reads along z and along y
// fits neither the registers nor, in whole rows, the first-level cache. So of four rows of eight or four planes the sums along z
// go to a strip first, row by row, and the sums along y and x follow plane by plane: (8 + 2 M)/8 or (4 + 2 M)/4 lines a line
// of output are read in the first pass, (4 + 2 M)/4 in the second, from the second- or third-level cache, and few rows at a
// time, which a machine's own prefetching can follow. The two passes are those of P. Micikevicius, "3D finite difference
// computation on GPUs using CUDA", GPGPU-2, 2009, over a strip instead of the whole grid.
#pragma once

#include "engine/cpu/isa/leggy_x_transposed.hpp"

namespace fdtd::cpu {
namespace {

// Sums are made side by side of so many planes, of two layers of tiles (of one in f64 where registers are few or little is asked
// for), and rows. asks_all: for the rows that the sums along y meet first as well, which lie in the third-level cache; else for what
// comes from memory alone.
template <class T, bool asks_all>
inline constexpr int pass_planes = sizeof(T) == sizeof(float) || (broadcasts_in_operands && asks_all) ? 8 : 4;
inline constexpr int few_planes = 4, pass_rows = 4;
inline constexpr std::ptrdiff_t pass_strip = 512;  // nodes

// Sums of `Lines` lines `step` apart along that step, weight after weight. Each line is read once: all before the sums where the
// registers hold them, else when it is first wanted, so that few are held at a time.
template <class L, int M, int Lines, class T, class A>
FDTD_INLINE void sum_along(const T* p, std::ptrdiff_t step, const A* weight, typename L::V* out) {
  using V = typename L::V;
  constexpr int registers = broadcasts_in_operands ? 28 : 12;  // but for a sum or two
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

template <class T, int M, bool asks_all>
class Passes {
 public:
  explicit Passes(const RowStencil<T>& stencil) : sum_(stencil) {}

  // A strip of `Rows` rows of `Planes` planes; ahead: from each to the row in its place in the next strip, which is asked for.
  template <int Planes, int Rows>
  void leap(const T* u1, T* u0, std::ptrdiff_t nodes, std::ptrdiff_t ahead) {
    for (int r = 0; r < Rows; ++r) along_z<Planes>(u1 + r * sum_.row, strips_[r], nodes, ahead);
    for (int k = 0; k < Planes; ++k) along_y_and_x<Rows>(u1 + k * sum_.plane, u0 + k * sum_.plane, k, nodes, ahead);
  }
  const Leggy<T, T, M>& sum() const { return sum_; }

 private:
  using L = Lanes<T, T>;
  using V = typename L::V;
  using Strip = T[pass_planes<T, asks_all>][pass_strip];

  // Weights that do not fit the registers are operands in memory, not spilled vectors (leggy.hpp).
  FDTD_INLINE const Leggy<T, T, M>& reread() const {
    const Leggy<T, T, M>* sum = &sum_;
    if constexpr (broadcasts_in_operands) asm("" : "+r"(sum));
    return *sum;
  }

  template <int Rows>
  static constexpr bool turns = TurnedRows<T, M>::possible&& Rows == TurnedRows<T, M>::rows;

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
    std::conditional_t<turns<Rows>, TurnedRows<T, M>, RowByRow<T, T, M, Rows>> along_x(u1, sum_.row);
    for (std::ptrdiff_t x = 0; x < nodes; x += L::n) {
      const Leggy<T, T, M>& sum = reread();
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        __builtin_prefetch(u0 + x + r * sum_.row + ahead, 0, 2);
        if constexpr (asks_all) __builtin_prefetch(u1 + x + (M + r) * sum_.row + ahead, 0, 2);
      }
      V y[Rows], along[Rows];
      sum_along<L, M, Rows>(u1 + x, sum_.row, sum.weight + 1, y);
      along_x.sum(u1 + x, sum, along);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        T* const to = u0 + x + r * sum_.row;
        const V s = along[r] + (y[r] + L::load(strips_[r][k] + x));
        if (x + L::n <= nodes) {  // as put() has it, which GCC 12 makes 7 % more instructions of here
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

// Rows left over of four ask for the first of the next planes.
template <class T, int M, bool asks_all, int Planes>
void leap_slab(Passes<T, M, asks_all>& passes, const T* u1, T* u0, std::ptrdiff_t nodes, int rows) {
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

// The bytes of leap_leggy.
template <class T, int M, bool asks_all>
void leap_in_passes(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end,
                    int rows, int planes) {
  Passes<T, M, asks_all> passes(stencil);
  constexpr int many = pass_planes<T, asks_all>;
  // Strips of one length but a line.
  constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(T));
  const std::ptrdiff_t lines = (end - begin + line - 1) / line, strips = (lines * line + pass_strip - 1) / pass_strip;
  for (std::ptrdiff_t i = 0; i < strips; ++i) {
    const std::ptrdiff_t x = begin + lines * i / strips * line;
    const std::ptrdiff_t nodes = (i + 1 < strips ? begin + lines * (i + 1) / strips * line : end) - x;
    const auto slab = [&]<int Planes>(int k) {
      leap_slab<T, M, asks_all, Planes>(passes, u1 + x + k * stencil.plane, u0 + x + k * stencil.plane, nodes, rows);
    };
    int k = 0;
    for (; k + many <= planes; k += many) slab.template operator()<many>(k);
    if constexpr (few_planes < many)
      for (; k + few_planes <= planes; k += few_planes) slab.template operator()<few_planes>(k);
    for (; k < planes; ++k) slab.template operator()<1>(k);
  }
}

// S u of `Rows` rows of `Planes` planes in double, in passes: along z into `out`, then along y and x. Energies go through whole
// planes, more of them than the second-level cache holds: what the rows after these read is asked for.
template <class T, int M, int Planes, int Rows>
void apply_block(const Leggy<T, double, M>& sum, const T* u, double* out, std::ptrdiff_t out_plane,
                 std::ptrdiff_t nodes) {
  using L = Lanes<T, double>;
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
        put<L>(at, along[r] + (y[r] + Lanes<double, double>::load(at)), nodes - x);
      }
    }
  }
}

template <class T, int M>
void apply_in_passes(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t out_plane,
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
