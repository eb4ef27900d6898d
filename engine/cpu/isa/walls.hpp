// Near-wall corrections and the boundary update, on what the rows left of a tile in cache.
#pragma once

#include "engine/cpu/isa/lanes.hpp"

namespace fdtd::cpu {
namespace {

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

// What the taps read of S u - u- in a group: `here` nodes of it, zero beyond.
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
  for (std::ptrdiff_t i = 0; i < here; ++i) start[i] = b.taps[0] * u[node[i]];
  for (std::uint32_t j = 1; j < b.tap_count; ++j) {
    for (std::ptrdiff_t i = 0; i < here; ++i) start[i] += b.taps[j] * u[node[i] + j * b.step];
  }
  for (std::ptrdiff_t i = here; i < batch_group; ++i) start[i] = 0;
}

// u+ and what the taps will read of it. q is that of the stored u+: the bits that a restart finds.
template <class T>
FDTD_INLINE void write_group(const Batch<T>& b, T* u, const std::int32_t* node, std::int32_t run, std::ptrdiff_t here,
                             const T* start, const T* after, T* q) {
  using L = Lanes<T, T>;
  if (b.tap_count == 1) {
    if (run < 0) {
      for (std::ptrdiff_t i = 0; i < here; ++i) u[node[i]] = q[i] = after[i];
      return;
    }
    for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
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
      for (std::ptrdiff_t i = 0; i < here; ++i) {
        const T moved = behind[node[i]] + part * (after[i] - start[i]);
        behind[node[i]] = moved;
        q[i] = j == 0 ? tap * moved : q[i] + tap * moved;
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
