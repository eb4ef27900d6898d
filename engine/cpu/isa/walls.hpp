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

}  // namespace
}  // namespace fdtd::cpu
