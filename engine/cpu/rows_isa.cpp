// The vector code of the kernel `rows`, compiled once an instruction set with FDTD_ISA naming it.
//
// Data movement: a row of u0 is read and written once, every row that a stencil touches is read from cache (tiles are
// sized so that the planes of a tile fit the second-level cache): 12 B a point from memory in f32, 24 B in f64. It loses
// against a sliding window where the loads of a point, not memory, set the pace (M >= 4).
//
// Vectors are GCC's and Clang's own (vector_size), as wide as the instruction set's. No contraction of a*b + c into fused
// operations (-ffp-contract=off): every instruction set and every thread count gives the same bytes. Everything but the
// two entry functions is local: an object for AVX-512 must not lend its code to another machine.
#include "engine/cpu/kernel.hpp"

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
  static FDTD_INLINE void store_some(A* p, V v, std::ptrdiff_t count) {
    for (std::ptrdiff_t i = 0; i < count; ++i) p[i] = v[i];
  }
  static FDTD_INLINE V all(A value) { return value - V{}; }
};

constexpr int most_legs = 20;

// The sum of a leggy stencil at n nodes from p on. Three sums, one an axis: short chains of dependent additions.
template <class T, class A, int M>
struct Leggy {
  using L = Lanes<T, A>;
  A centre, weight[3 * (M > 0 ? M : most_legs)];
  std::ptrdiff_t row, plane;
  int legs;

  explicit Leggy(const RowStencil<T>& s)
      : centre(static_cast<A>(s.centre)), row(s.row), plane(s.plane), legs(M > 0 ? M : s.legs) {
    for (int i = 0; i < 3 * legs; ++i) weight[i] = static_cast<A>(s.leg[i]);
  }
  FDTD_INLINE typename L::V operator()(const T* p) const {
    typename L::V x = L::load(p) * centre, y{}, z{};
    const auto leg = [&](int m) __attribute__((always_inline)) {
      const A* g = weight + 3 * (m - 1);
      x += g[0] * (L::load(p - m) + L::load(p + m));
      y += g[1] * (L::load(p - m * row) + L::load(p + m * row));
      z += g[2] * (L::load(p - m * plane) + L::load(p + m * plane));
    };
    if constexpr (M > 0) {
#pragma GCC unroll 8
      for (int m = 1; m <= M; ++m) leg(m);
    } else {
      for (int m = 1; m <= legs; ++m) leg(m);
    }
    return x + (y + z);
  }
};

template <class T, int M>
void leap_leggy(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Lanes<T, T>;
  const Leggy<T, T, M> sum(stencil);
  std::ptrdiff_t x = begin;
  for (; x + L::n <= end; x += L::n) L::store(u0 + x, sum(u1 + x) - L::load(u0 + x));
  if (x < end) L::store_some(u0 + x, sum(u1 + x) - L::load(u0 + x), end - x);
}

template <class T, int M>
void apply_leggy(const RowStencil<T>& stencil, const T* u, double* out, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Lanes<T, double>;
  const Leggy<T, double, M> sum(stencil);
  std::ptrdiff_t x = begin;
  for (; x + L::n <= end; x += L::n) L::store(out + x, sum(u + x));
  if (x < end) L::store_some(out + x, sum(u + x), end - x);
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
        const auto pair = h.shift == 0 ? LA::load(strip_at + x) : LA::load(strip_at + x - h.shift) + LA::load(strip_at + x + h.shift);
        sum += static_cast<A>(h.weight) * pair;
      }
      LA::store(total + x, sum);
    }
  }
}

template <class T>
void leap_any(const RowStencil<T>& stencil, const T* u1, T* u0, std::ptrdiff_t begin, std::ptrdiff_t end) {
  using L = Lanes<T, T>;
  T total[strip + L::n];
  for (std::ptrdiff_t at = begin; at < end; at += strip) {
    const std::ptrdiff_t n = end - at < strip ? end - at : strip;
    strip_sum<T, T>(stencil, u1 + at, n, total);
    std::ptrdiff_t x = 0;
    for (; x + L::n <= n; x += L::n) L::store(u0 + at + x, L::load(total + x) - L::load(u0 + at + x));
    for (; x < n; ++x) u0[at + x] = total[x] - u0[at + x];
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
    const std::ptrdiff_t here = static_cast<std::ptrdiff_t>(b.count) - first < group ? static_cast<std::ptrdiff_t>(b.count) - first : group;
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
      const auto u_after = L::load(b.scale + k) * (L::load(start + l) + L::load(b.Q + k) * u_before) - L::load(b.loss + k) * known;
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
    case 0: return {leap_any<T>, apply_any<T>, correct<T>, lose<T>, triad<T>};
    case 1: return leggy<T, 1>();
    case 2: return leggy<T, 2>();
    case 3: return leggy<T, 3>();
    case 4: return leggy<T, 4>();
    case 5: return leggy<T, 5>();
    case 6: return leggy<T, 6>();
    case 7: return leggy<T, 7>();
    case 8: return leggy<T, 8>();
    default: return leggy<T, 0>();
  }
}

}  // namespace

namespace FDTD_ISA {
RowFunctions<float> rows_f32(const RowStencil<float>& stencil) { return functions_for(stencil); }
RowFunctions<double> rows_f64(const RowStencil<double>& stencil) { return functions_for(stencil); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
