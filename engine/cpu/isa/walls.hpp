// Near-wall corrections and the boundary update, on what the rows left of a tile in cache.
#pragma once

#include "engine/cpu/isa/lanes.hpp"

namespace fdtd::cpu {
namespace {

// Runs and blocks of `Entries` weights a node; 0: any number, told at run time.
template <class T, int Entries>
void correct_runs(const WallTables<T>& tables, const WallOp& op, const T* u, T* out) {
  using L = Lanes<T, T>;
  const std::uint64_t begin = tables.run_begin[op.table / 2];
  const auto entries = Entries > 0 ? Entries : static_cast<int>(tables.run_begin[op.table / 2 + 1] - begin);
  std::ptrdiff_t offset[Entries + (Entries == 0 ? 1 : 0)];
  T weight[Entries + (Entries == 0 ? 1 : 0)];
  for (std::uint64_t e = 0; e < static_cast<std::uint64_t>(Entries); ++e) {
    offset[e] = tables.run_offset[begin + e];
    weight[e] = tables.run_weight[begin + e];
  }
  const auto length = static_cast<std::ptrdiff_t>(op.length);
  for (std::uint32_t r = 0; r < op.rows; ++r, u += tables.row, out += tables.row) {
    for (std::ptrdiff_t x = 0; x < length; x += L::n) {
      typename L::V sum = L::load(out + x);
      if constexpr (Entries > 0) {
#pragma GCC unroll 9
        for (int e = 0; e < Entries; ++e) sum += weight[e] * L::load(u + x + offset[e]);
      } else {
        for (int e = 0; e < entries; ++e)
          sum += tables.run_weight[begin + e] * L::load(u + x + tables.run_offset[begin + e]);
      }
      if (x + L::n <= length) {
        L::store(out + x, sum);
      } else {
        L::store_some(out + x, sum, length - x);
      }
    }
  }
}

// In vectors no wider than the block: beyond the end of a row lies a line that nothing else reads, and that would come from memory.
template <class T, int Entries, std::size_t Bytes>
void correct_blocks(const WallTables<T>& tables, const WallOp& op, const T* u, T* out) {
  using L = Lanes<T, T, Bytes>;
  const std::uint64_t begin = tables.block_begin[op.table / 2];
  const auto entries = Entries > 0 ? Entries : static_cast<int>(tables.block_begin[op.table / 2 + 1] - begin);
  const T* const weights = tables.block_weight + begin * static_cast<std::uint64_t>(block_width<T>);
  const std::ptrdiff_t* const offsets = tables.block_offset + begin;
  const auto length = static_cast<std::ptrdiff_t>(op.length);
  if (length == 1) {  // beside a wall across x, of stencils of radius 1
    for (std::uint32_t r = 0; r < op.rows; ++r, u += tables.row, out += tables.row) {
      T sum = *out;
#pragma GCC unroll 9
      for (int e = 0; e < entries; ++e) sum += weights[e * block_width<T>] * u[offsets[e]];
      *out = sum;
    }
    return;
  }
  for (std::ptrdiff_t x = 0; x < length; x += L::n) {
    std::ptrdiff_t offset[Entries + (Entries == 0 ? 1 : 0)];
    typename L::V weight[Entries + (Entries == 0 ? 1 : 0)];
    for (int e = 0; e < Entries; ++e) offset[e] = offsets[e], weight[e] = L::load(weights + e * block_width<T> + x);
    const std::ptrdiff_t here = length - x < L::n ? length - x : L::n;
    for (std::uint32_t r = 0; r < op.rows; ++r) {
      const T* const from = u + r * tables.row;
      T* const to = out + r * tables.row + x;
      typename L::V sum = L::load(to);
      if constexpr (Entries > 0) {
#pragma GCC unroll 9
        for (int e = 0; e < Entries; ++e) sum += from[offset[e]] * weight[e];
      } else {
        for (int e = 0; e < entries; ++e) sum += from[offsets[e]] * L::load(weights + e * block_width<T> + x);
      }
      if (here == L::n) {
        L::store(to, sum);
      } else {
        L::store_some(to, sum, here);
      }
    }
  }
}

template <class T, int Entries>
FDTD_INLINE void correct_op(const WallTables<T>& tables, const WallOp& op, const T* u, T* out) {
  constexpr std::size_t narrow = 16, wide = vector_bytes < 32 ? vector_bytes : 32;
  const std::size_t bytes = op.length * sizeof(T);
  (op.table % 2 == 0 ? correct_runs<T, Entries>
   : bytes <= narrow ? correct_blocks<T, Entries, narrow>
   : bytes <= wide   ? correct_blocks<T, Entries, wide>
                     : correct_blocks<T, Entries, vector_bytes>)(tables, op, u, out);
}

template <class T>
void correct(const WallTables<T>& tables, const WallOp* ops, std::size_t count, const T* u1, T* u0) {
  for (const WallOp* op = ops; op != ops + count; ++op) {
    const std::uint64_t* const begin = (op->table % 2 == 0 ? tables.run_begin : tables.block_begin) + op->table / 2;
    const T* const u = u1 + op->offset;
    T* const out = u0 + op->offset;
    switch (begin[1] - begin[0]) {  // leggy stencils have 1 to M a node, 27 points 9
      case 1:
        correct_op<T, 1>(tables, *op, u, out);
        break;
      case 2:
        correct_op<T, 2>(tables, *op, u, out);
        break;
      case 3:
        correct_op<T, 3>(tables, *op, u, out);
        break;
      case 4:
        correct_op<T, 4>(tables, *op, u, out);
        break;
      case 9:
        correct_op<T, 9>(tables, *op, u, out);
        break;
      default:
        correct_op<T, 0>(tables, *op, u, out);
    }
  }
}

// Energy lost by the lanes of a group, in double, to be added up at the end: the same sum for vectors of any width.
template <class T>
class LostLanes {
 public:
  using L = Lanes<T, T>;
  using D = Lanes<double, double>;
  FDTD_INLINE void add(std::ptrdiff_t lane, double E, typename L::V power) {
    typename D::V* const sums = sums_ + lane / D::n;
    if constexpr (sizeof(T) == sizeof(double)) {
      sums[0] += E * power;
    } else {
      using HalfLanes = std::make_index_sequence<static_cast<std::size_t>(D::n)>;
      sums[0] += E * __builtin_convertvector(half<0>(power, HalfLanes()), typename D::V);
      sums[1] += E * __builtin_convertvector(half<D::n>(power, HalfLanes()), typename D::V);
    }
  }
  double total() const {
    double sums[batch_group];
    for (std::ptrdiff_t lane = 0; lane < batch_group; lane += D::n) D::store(sums + lane, sums_[lane / D::n]);
    for (int half = batch_group / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
  }

 private:
  template <std::ptrdiff_t First, std::size_t... Lane>
  static FDTD_INLINE auto half(typename L::V v, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(v, v, (static_cast<int>(Lane) + static_cast<int>(First))...);
  }
  typename D::V sums_[batch_group / D::n] = {};
};

// The branches of one site at a vector of nodes, before the step, and what of them the update needs.
template <class T, int Branches>
struct SiteState {
  using L = Lanes<T, T>;
  using V = typename L::V;
  V v[Branches], drive[Branches], A{}, W{};  // drive = d v - F g

  FDTD_INLINE SiteState(const T* velocity, const T* displacement, std::ptrdiff_t stride, const BranchRule<T>* rule) {
#pragma GCC unroll 4
    for (int i = 0; i < Branches; ++i) {
      v[i] = L::load(velocity + i * stride);
      drive[i] = rule[i].d * v[i] - rule[i].F * L::load(displacement + i * stride);
      A += rule[i].beta * drive[i];
      W += v[i];
    }
  }
};

// What the taps read of S u - u- in a group: `here` nodes of it, zero beyond, where nothing moves.
template <class T>
FDTD_INLINE void read_group(const Batch<T>& b, const T* u, const std::int32_t* node, std::int32_t run,
                            std::ptrdiff_t here, T* start) {
  using L = Lanes<T, T>;
  if (run >= 0) {
    for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
      auto sum = b.taps[0] * L::load(u + run + l);
      for (std::uint32_t j = 1; j < b.tap_count; ++j) sum += b.taps[j] * L::load(u + run + j * b.step + l);
      L::store(start + l, sum);
    }
    return;
  }
  for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
    auto sum = b.taps[0] * L::gather(u, node + l, here - l);
    for (std::uint32_t j = 1; j < b.tap_count; ++j) sum += b.taps[j] * L::gather(u + j * b.step, node + l, here - l);
    L::store(start + l, sum);
  }
}

// u+ and what the taps will read of it. q is that of the stored u+: the bits that a restart finds.
template <class T>
FDTD_INLINE void write_group(const Batch<T>& b, T* u, const std::int32_t* node, std::int32_t run, std::ptrdiff_t here,
                             const T* start, const T* after, T* q) {
  using L = Lanes<T, T>;
  if (b.tap_count == 1) {
    for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
      if (run < 0)
        L::scatter(u, node + l, L::load(after + l), here - l);
      else
        L::store(u + run + l, L::load(after + l));
      L::store(q + l, L::load(after + l));
    }
    return;
  }
  for (std::uint32_t j = 0; j < b.tap_count; ++j) {
    T* const behind = u + j * b.step;
    const T tap = b.taps[j], part = tap * b.inverse_square;
    if (run >= 0) {
      for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
        const auto moved = L::load(behind + run + l) + part * (L::load(after + l) - L::load(start + l));
        L::store(behind + run + l, moved);
        L::store(q + l, j == 0 ? tap * moved : L::load(q + l) + tap * moved);
      }
    } else {
      for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
        const auto moved = L::gather(behind, node + l, here - l) + part * (L::load(after + l) - L::load(start + l));
        L::scatter(behind, node + l, moved, here - l);
        L::store(q + l, j == 0 ? tap * moved : L::load(q + l) + tap * moved);
      }
    }
  }
}

// A vector of nodes with one site each, of `Branches` branches: everything once in registers. What was stored is what
// moves the branches: in f32 the balance then closes to rounding.
template <class T, int Branches>
FDTD_INLINE typename Lanes<T, T>::V move_one_site(const Batch<T>& b, const LawRule<T>& law, const BranchRule<T>* rule,
                                                  const T* q, std::ptrdiff_t k, std::ptrdiff_t c,
                                                  typename Lanes<T, T>::V start, std::ptrdiff_t lane,
                                                  LostLanes<T>& lost) {
  using L = Lanes<T, T>;
  const auto stride = static_cast<std::ptrdiff_t>(b.stride);
  T* const V = b.V + k;
  T* const G = b.G + k;
  const SiteState<T, Branches> site(V, G, stride, rule);
  const auto weight = L::load(b.weight + c);
  const auto known = typename L::V{} + weight * ((law.A_part * site.A + law.W_part * site.W) + site.W);
  const auto u_before = L::load(q + k);
  const auto u_after = L::load(b.scale + c) * (start + L::load(b.Q + c) * u_before) - L::load(b.loss + c) * known;
  const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
  const auto p = (half_moved - law.inertance * (site.A - site.W)) * law.series;
#pragma GCC unroll 4
  for (int i = 0; i < Branches; ++i) {
    const auto v_after = rule[i].beta * (site.drive[i] + p);
    const auto mean = (v_after + site.v[i]) * static_cast<T>(0.5);
    L::store(V + i * stride, v_after);
    L::store(G + i * stride, L::load(G + i * stride) + mean);
    lost.add(lane, rule[i].E, weight * (mean * mean));
  }
  return u_after;
}

// Any sites and branches: in two goes over them.
template <class T>
FDTD_INLINE typename Lanes<T, T>::V move_sites(const Batch<T>& b, const LawRule<T>* laws, const BranchRule<T>* branches,
                                               const T* q, std::ptrdiff_t k, std::ptrdiff_t c,
                                               typename Lanes<T, T>::V start, std::ptrdiff_t lane, LostLanes<T>& lost) {
  using L = Lanes<T, T>;
  const auto stride = static_cast<std::ptrdiff_t>(b.stride);
  const auto each_site = [&](const auto& function) {
    std::ptrdiff_t at = k;
    for (std::uint32_t s = 0; s < b.sites; ++s) {
      const LawRule<T>& law = laws[b.laws[s]];
      typename L::V A{}, W{};
      for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i) {
        const std::ptrdiff_t branch = at + static_cast<std::ptrdiff_t>(i - law.branch_begin) * stride;
        const auto v = L::load(b.V + branch);
        A += branches[i].beta * (branches[i].d * v - branches[i].F * L::load(b.G + branch));
        W += v;
      }
      function(law, L::load(b.weight + static_cast<std::ptrdiff_t>(s) * b.constant_stride + c), A, W, at);
      at += static_cast<std::ptrdiff_t>(law.branch_end - law.branch_begin) * stride;
    }
  };
  typename L::V known{};
  each_site([&](const LawRule<T>& law, auto weight, auto A, auto W, std::ptrdiff_t) {
    known += weight * ((law.A_part * A + law.W_part * W) + W);
  });
  const auto u_before = L::load(q + k);
  const auto u_after = L::load(b.scale + c) * (start + L::load(b.Q + c) * u_before) - L::load(b.loss + c) * known;
  const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
  each_site([&](const LawRule<T>& law, auto weight, auto A, auto W, std::ptrdiff_t at) {
    const auto p = (half_moved - law.inertance * (A - W)) * law.series;
    for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, at += stride) {
      const auto v = L::load(b.V + at), g = L::load(b.G + at);
      const auto v_after = branches[i].beta * ((branches[i].d * v - branches[i].F * g) + p);
      const auto mean = (v_after + v) * static_cast<T>(0.5);
      L::store(b.V + at, v_after);
      L::store(b.G + at, g + mean);
      lost.add(lane, branches[i].E, weight * (mean * mean));
    }
  });
  return u_after;
}

template <class T, int Branches>
double lose_groups(const Batch<T>& b, const LawRule<T>* laws, const BranchRule<T>* branches, T* q, T* u0) {
  using L = Lanes<T, T>;
  LostLanes<T> lost;
  T after[batch_group], start[batch_group];
  const auto count = static_cast<std::ptrdiff_t>(b.count);
  T* const u = u0 + b.origin;
  for (std::ptrdiff_t g = 0; g * batch_group < count; ++g) {
    const std::ptrdiff_t first = g * batch_group, constants = g * b.constant_step;
    const std::ptrdiff_t here = count - first < batch_group ? count - first : batch_group;
    read_group(b, u, b.node + first, b.run[g], here, start);
    for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
      const auto r = L::load(start + l);
      if constexpr (Branches > 0) {
        const LawRule<T>& law = laws[b.laws[0]];
        L::store(after + l, move_one_site<T, Branches>(b, law, branches + law.branch_begin, q, first + l, constants + l,
                                                       r, l, lost));
      } else {
        L::store(after + l, move_sites(b, laws, branches, q, first + l, constants + l, r, l, lost));
      }
    }
    write_group(b, u, b.node + first, b.run[g], here, start, after, q + first);
  }
  return lost.total();
}

// boundary.hpp's update of a batch.
template <class T>
double lose(const Batch<T>& b, const LawRule<T>* laws, const BranchRule<T>* branches, int parity, T* u0) {
  const auto groups = b.sites != 1      ? lose_groups<T, 0>
                      : b.branches == 1 ? lose_groups<T, 1>
                      : b.branches == 2 ? lose_groups<T, 2>
                      : b.branches == 3 ? lose_groups<T, 3>
                                        : lose_groups<T, 0>;
  return groups(b, laws, branches, b.q[parity], u0);
}

}  // namespace
}  // namespace fdtd::cpu
