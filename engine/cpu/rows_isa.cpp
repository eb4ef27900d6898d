// The vector code of the kernel `rows`, compiled once an instruction set with FDTD_ISA naming it.
//
// Data movement: a row of u0 is read and written once, every row that a stencil touches is read from cache (tiles are
// sized so that the planes of a tile fit the second-level cache): 12 B a point from memory in f32, 24 B in f64. Past M = 2
// loads set the pace. So a leggy stencil takes four planes together, which share what they read along z: (4 + 2 M)/4 lines
// a line of output come from the second-level cache instead of 2 M + 1. Shifts along x are made from aligned vectors in
// registers (AVX-512), and what comes from memory, u0 and the planes that enter, is prefetched a few rows ahead.
//
// Vectors are GCC's and Clang's own (vector_size), as wide as the instruction set's. The compiler fuses no a*b + c by itself
// (-ffp-contract=off); the sums of stencils do so by name, where there is an instruction for it: AVX2 and AVX-512 give the
// same bytes, baseline, without one, differs in the last bits. Everything but the two entry functions is local: an object
// for AVX-512 must not lend its code to another machine.
#include "engine/cpu/kernel.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
#define FDTD_INLINE inline __attribute__((always_inline))

// n values of type A, loaded from an array of T (T = A, or T = float and A = double).
template <class T, class A, std::size_t Bytes = vector_bytes>
struct Lanes {
  static constexpr std::ptrdiff_t n = static_cast<std::ptrdiff_t>(Bytes / sizeof(A));
  typedef A V __attribute__((vector_size(Bytes)));
  typedef T Raw __attribute__((vector_size(Bytes / sizeof(A) * sizeof(T))));

  static FDTD_INLINE V load(const T* p) {
    Raw raw;
    __builtin_memcpy(&raw, p, sizeof(raw));
    if constexpr (sizeof(T) == sizeof(A)) {
      return raw;
    } else {
      return __builtin_convertvector(raw, V);
    }
  }
  static FDTD_INLINE void store(A* p, V v) { __builtin_memcpy(p, &v, sizeof(v)); }
  // The first `count` <= n values.
  static FDTD_INLINE void store_some(A* p, V v, std::ptrdiff_t count) {
#if defined(__AVX512F__)
    const auto mask = (1U << static_cast<unsigned>(count)) - 1U;
    if constexpr (sizeof(A) == sizeof(float)) {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), (__m512)v);
    } else {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), (__m512d)v);
    }
#else
    for (std::ptrdiff_t i = 0; i < count; ++i) p[i] = v[i];
#endif
  }
  // a b + c, rounded once where the instruction set has it.
  static FDTD_INLINE V fma(A factor, V b, V c) {
    const V a = factor - V{};  // in all lanes
#if defined(__AVX512F__)
    if constexpr (sizeof(A) == sizeof(float)) {
      return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    } else {
      return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
    }
#elif defined(__AVX2__)
    if constexpr (sizeof(A) == sizeof(float)) {
      return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    } else {
      return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    }
#else
    return a * b + c;
#endif
  }
};

// Values shift places further on, out of the vectors before, at and after a place.
template <class L, int Shift>
FDTD_INLINE typename L::V shifted(typename L::V at, typename L::V after) {
  static_assert(Shift >= 0 && Shift <= L::n);
  if constexpr (Shift == 0) {
    return at;
  } else if constexpr (Shift == L::n) {
    return after;
  } else {
#if defined(__AVX512F__)
    if constexpr (L::n == 16) {
      return (typename L::V)_mm512_maskz_alignr_epi32(0xffff, (__m512i)after, (__m512i)at, Shift);
    } else {
      return (typename L::V)_mm512_maskz_alignr_epi64(0xff, (__m512i)after, (__m512i)at, Shift);
    }
#else
    (void)after;
    return at;  // not used: other instruction sets load what is shifted
#endif
  }
}

constexpr int most_legs = 20;
#if defined(__AVX512F__)
constexpr bool shifts_in_registers = true;
constexpr int planes_together = 4;
#else
constexpr bool shifts_in_registers = false;
constexpr int planes_together = 2;  // sixteen registers
#endif

// The sums of a leggy stencil at a vector in each of `Planes` planes. Three sums a plane, one an axis: short chains of
// dependent additions. M = 0: any M, told at run time.
template <class T, class A, int M>
struct Leggy {
  using L = Lanes<T, A>;
  using V = typename L::V;
  A centre, weight[3 * (M > 0 ? M : most_legs)];
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

  template <int Planes>
  FDTD_INLINE void sum(const T* p, V* out) const {
    if constexpr (M > 0) {
      V window[Planes + 2 * M];
#pragma GCC unroll 32
      for (int k = 0; k < Planes + 2 * M; ++k) window[k] = L::load(p + (k - M) * plane);
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) {
        const T* const q = p + k * plane;
        V z = weight[2] * (window[k + M - 1] + window[k + M + 1]);
#pragma GCC unroll 8
        for (int m = 2; m <= M; ++m) z = L::fma(weight[3 * m - 1], window[k + M - m] + window[k + M + m], z);
        V y = weight[1] * pair(q, row);
#pragma GCC unroll 8
        for (int m = 2; m <= M; ++m) y = L::fma(weight[3 * m - 2], pair(q, m * row), y);
        const V at = window[k + M];
        out[k] = along_x<1>(q, L::load(q - L::n), at, L::load(q + L::n), at * centre) + (y + z);
      }
    } else {
      for (int k = 0; k < Planes; ++k) {
        const T* const q = p + k * plane;
        V x = L::load(q) * centre, y{}, z{};
        for (int m = 1; m <= legs; ++m) {
          const A* g = weight + 3 * (m - 1);
          x = L::fma(g[0], pair(q, m), x);
          y = L::fma(g[1], pair(q, m * row), y);
          z = L::fma(g[2], pair(q, m * plane), z);
        }
        out[k] = x + (y + z);
      }
    }
  }
};

// What the row a few rows on reads from memory: u0, and the planes that no row has read yet. Short stencils wait for
// memory: they ask the second-level cache for more, further ahead.
template <class T, int M, int Planes>
FDTD_INLINE void fetch_ahead(const Leggy<T, T, M>& sum, const T* u1, const T* u0) {
#pragma GCC unroll 4
  for (int k = 0; k < Planes; ++k) {
    const T* const old = u0 + k * sum.plane;
    const T* const entering = u1 + (sum.legs + k) * sum.plane;
    __builtin_prefetch(old + sum.row, 1, 3);
    __builtin_prefetch(entering + sum.row, 0, 3);
    if constexpr (M == 1 || M == 2) {
      __builtin_prefetch(old + 4 * sum.row, 0, 2);
      __builtin_prefetch(entering + 4 * sum.row, 0, 2);
    }
  }
}

template <class T, int M, int Planes>
void leap_planes(const Leggy<T, T, M>& sum, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows) {
  using L = Lanes<T, T>;
  typename L::V s[Planes];
  for (int r = 0; r < rows; ++r, u1 += sum.row, u0 += sum.row) {
    std::ptrdiff_t x = begin;
    for (; x + L::n <= end; x += L::n) {
      fetch_ahead<T, M, Planes>(sum, u1 + x, u0 + x);
      sum.template sum<Planes>(u1 + x, s);
#pragma GCC unroll 4
      for (int k = 0; k < Planes; ++k) L::store(u0 + k * sum.plane + x, s[k] - L::load(u0 + k * sum.plane + x));
    }
    if (x < end) {
      sum.template sum<Planes>(u1 + x, s);
      for (int k = 0; k < Planes; ++k) {
        L::store_some(u0 + k * sum.plane + x, s[k] - L::load(u0 + k * sum.plane + x), end - x);
      }
    }
  }
}

template <class T, int M>
void leap_leggy(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                int planes) {
  const Leggy<T, T, M> sum(stencil);
  int k = 0;
  for (; k + planes_together <= planes; k += planes_together) {
    leap_planes<T, M, planes_together>(sum, u1 + k * sum.plane, u0 + k * sum.plane, begin, end, rows);
  }
  for (; k < planes; ++k) leap_planes<T, M, 1>(sum, u1 + k * sum.plane, u0 + k * sum.plane, begin, end, rows);
}

template <class T, int M>
void apply_leggy(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Lanes<T, double>;
  const Leggy<T, double, M> sum(stencil);
  typename L::V s[1];
  for (std::ptrdiff_t x = begin; x < end; x += L::n) {
    sum.template sum<1>(u + x, s);
    if (x + L::n <= end) {
      L::store(out + x, s[0]);
    } else {
      L::store_some(out + x, s[0], end - x);
    }
  }
}

// Any stencil, by sums shared along x: the rows of a class are added once into a strip, and all shifts of the class read
// the strip. 125 points cost 25 rows and 30 shifts, not 125 loads.
constexpr std::ptrdiff_t strip = 256;
constexpr std::ptrdiff_t most_reach = 64;

template <class T, class A>
FDTD_INLINE void strip_sum(const RowStencil<T>& s, const T* u, std::ptrdiff_t n, A* total) {
  using L = Lanes<T, A>;
  using LA = Lanes<A, A>;
  A sums[strip + 2 * most_reach + 2 * LA::n];
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
  using L = Lanes<T, T>;
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
void apply_any(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t begin, std::ptrdiff_t end) {
  double total[strip + Lanes<T, double>::n];
  for (std::ptrdiff_t at = begin; at < end; at += strip) {
    const std::ptrdiff_t n = end - at < strip ? end - at : strip;
    strip_sum<T, double>(stencil, u + at, n, total);
    for (std::ptrdiff_t x = 0; x < n; ++x) out[at + x] = total[x];
  }
}

template <class T>
void correct(const WallTables<T>& tables, const WallOp* ops, std::size_t count, const T* u1, T* u0) {
  using L = Lanes<T, T>;
  constexpr std::ptrdiff_t width = block_width<T>;
  for (const WallOp* op = ops; op != ops + count; ++op) {
    const T* const u = u1 + op->offset;
    T* const out = u0 + op->offset;
    const auto length = static_cast<std::ptrdiff_t>(op->length);
    const std::uint32_t which = op->table / 2;
    if (op->table % 2 == 0) {
      const std::uint64_t begin = tables.run_begin[which], end = tables.run_begin[which + 1];
      for (std::ptrdiff_t x = 0; x < length; x += L::n) {
        typename L::V sum = L::load(out + x);
        for (std::uint64_t e = begin; e < end; ++e) sum += tables.run_weight[e] * L::load(u + x + tables.run_offset[e]);
        if (x + L::n <= length) {
          L::store(out + x, sum);
        } else {
          L::store_some(out + x, sum, length - x);
        }
      }
      continue;
    }
    const std::uint64_t begin = tables.block_begin[which], end = tables.block_begin[which + 1];
    if (length == 1) {
      T sum = *out;
      for (std::uint64_t e = begin; e < end; ++e) {
        sum += tables.block_weight[e * static_cast<std::uint64_t>(width)] * u[tables.block_offset[e]];
      }
      *out = sum;
      continue;
    }
    for (std::ptrdiff_t x = 0; x < length; x += L::n) {
      typename L::V sum = L::load(out + x);
      for (std::uint64_t e = begin; e < end; ++e) {
        sum += u[tables.block_offset[e]] * L::load(tables.block_weight + static_cast<std::ptrdiff_t>(e) * width + x);
      }
      L::store_some(out + x, sum, length - x < L::n ? length - x : L::n);
    }
  }
}

// boundary.hpp's update of a batch. The loss is added over sixteen lanes whatever the vector: the same sum everywhere.
template <class T>
double lose(const Batch<T>& b, const LawRule<T>* laws, const BranchRule<T>* branches, T* u0) {
  using L = Lanes<T, T>;
  constexpr std::ptrdiff_t group = 16;
  double lost[group] = {};
  const auto stride = static_cast<std::ptrdiff_t>(b.stride);
  T after[group], start[group];
  for (std::ptrdiff_t first = 0; first < stride; first += group) {
    const std::ptrdiff_t here =
        static_cast<std::ptrdiff_t>(b.count) - first < group ? static_cast<std::ptrdiff_t>(b.count) - first : group;
    T* const u = u0 + b.origin;
    const std::int32_t* const node = b.node + first;
    const bool side_by_side = here == group && node[group - 1] - node[0] == group - 1;  // nodes ascend
    if (side_by_side) {
      for (std::ptrdiff_t l = 0; l < group; l += L::n) {
        auto sum = b.taps[0] * L::load(u + node[0] + l);
        for (std::uint32_t j = 1; j < b.tap_count; ++j) sum += b.taps[j] * L::load(u + node[0] + j * b.step + l);
        L::store(start + l, sum);
      }
    } else {
      for (std::ptrdiff_t i = 0; i < here; ++i) start[i] = b.taps[0] * u[node[i]];
      for (std::uint32_t j = 1; j < b.tap_count; ++j) {
        for (std::ptrdiff_t i = 0; i < here; ++i) start[i] += b.taps[j] * u[node[i] + j * b.step];
      }
      for (std::ptrdiff_t i = here; i < group; ++i) start[i] = 0;
    }
    for (std::ptrdiff_t l = 0; l < group; l += L::n) {
      const std::ptrdiff_t k = first + l;
      typename L::V known{};
      const T* V = b.V + k;
      const T* G = b.G + k;
      for (std::uint32_t s = 0; s < b.sites; ++s) {
        const LawRule<T>& law = laws[b.laws[s]];
        typename L::V A{}, W{};
        for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, V += stride, G += stride) {
          const auto v = L::load(V);
          A += branches[i].beta * (branches[i].d * v - branches[i].F * L::load(G));
          W += v;
        }
        known += L::load(b.weight + s * stride + k) * ((law.A_part * A + law.W_part * W) + W);
      }
      const auto u_before = L::load(b.q + k);
      const auto u_after =
          L::load(b.scale + k) * (L::load(start + l) + L::load(b.Q + k) * u_before) - L::load(b.loss + k) * known;
      L::store(after + l, u_after);
      // What was stored is what moves the branches: in f32 the balance then closes to rounding.
      const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
      T* V_out = b.V + k;
      T* G_out = b.G + k;
      for (std::uint32_t s = 0; s < b.sites; ++s) {
        const LawRule<T>& law = laws[b.laws[s]];
        typename L::V A{}, W{};
        const T* Vs = V_out;
        const T* Gs = G_out;
        for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, Vs += stride, Gs += stride) {
          const auto v = L::load(Vs);
          A += branches[i].beta * (branches[i].d * v - branches[i].F * L::load(Gs));
          W += v;
        }
        const auto p = (half_moved - law.inertance * (A - W)) * law.series;
        const auto weight = L::load(b.weight + s * stride + k);
        for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, V_out += stride, G_out += stride) {
          const auto v = L::load(V_out), g = L::load(G_out);
          const auto v_after = branches[i].beta * ((branches[i].d * v - branches[i].F * g) + p);
          const auto mean = (v_after + v) * static_cast<T>(0.5);
          L::store(V_out, v_after);
          L::store(G_out, g + mean);
          const auto power = weight * (mean * mean);
          for (std::ptrdiff_t j = 0; j < L::n; ++j) lost[l + j] += branches[i].E * static_cast<double>(power[j]);
        }
      }
    }
    T* const q = b.q + first;
    if (b.tap_count == 1) {
      for (std::ptrdiff_t i = 0; i < here; ++i) u[node[i]] = q[i] = after[i];
      continue;
    }
    // q is what the taps read of the stored u+: the bits that a restart finds.
    for (std::uint32_t j = 0; j < b.tap_count; ++j) {
      T* const behind = u + j * b.step;
      const T tap = b.taps[j], part = tap * b.inverse_square;
      if (side_by_side) {
        for (std::ptrdiff_t l = 0; l < group; l += L::n) {
          const auto moved = L::load(behind + node[0] + l) + part * (L::load(after + l) - L::load(start + l));
          L::store(behind + node[0] + l, moved);
          L::store(q + l, j == 0 ? tap * moved : L::load(q + l) + tap * moved);
        }
      } else {
        for (std::ptrdiff_t i = 0; i < here; ++i) {
          const T moved = behind[node[i]] + part * (after[i] - start[i]);
          behind[node[i]] = moved;
          q[i] = j == 0 ? tap * moved : q[i] + tap * moved;
        }
      }
    }
  }
  double sum = 0.0;
  for (const double part : lost) sum += part;
  return sum;
}

template <class T>
void triad(const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Lanes<T, T>;
  std::ptrdiff_t x = begin;
  for (; x + L::n <= end; x += L::n) L::store(u0 + x, static_cast<T>(2) * L::load(u1 + x) - L::load(u0 + x));
  for (; x < end; ++x) u0[x] = 2 * u1[x] - u0[x];
}

template <class T, int M>
RowFunctions<T> leggy() {
  return {leap_leggy<T, M>, apply_leggy<T, M>, correct<T>, lose<T>, triad<T>};
}

template <class T>
RowFunctions<T> functions_for(const RowStencil<T>& stencil) {
  switch (stencil.legs) {
    case 0:
      return {leap_any<T>, apply_any<T>, correct<T>, lose<T>, triad<T>};
    case 1:
      return leggy<T, 1>();
    case 2:
      return leggy<T, 2>();
    case 3:
      return leggy<T, 3>();
    case 4:
      return leggy<T, 4>();
    case 5:
      return leggy<T, 5>();
    case 6:
      return leggy<T, 6>();
    case 7:
      return leggy<T, 7>();
    case 8:
      return leggy<T, 8>();
    default:
      return leggy<T, 0>();
  }
}

}  // namespace

namespace FDTD_ISA {
RowFunctions<float> rows_f32(const RowStencil<float>& stencil) { return functions_for(stencil); }
RowFunctions<double> rows_f64(const RowStencil<double>& stencil) { return functions_for(stencil); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
