// The update of sites that are solved together in a corner (plan/coupled_walls.hpp), and of all groups of such sites.
// The eight sites of a row are the lanes of a vector.
//
// The group's nodes are copied to t[k][j], lanes i, and once more with lanes j for the wall whose taps run along i.
#pragma once

#include "engine/vector/isa/coupled_edge.hpp"

namespace fdtd::cpu {
namespace {

template <class T>
class CornerUpdate {
 public:
  explicit CornerUpdate(const Coupled<T>& group) : g_(group), kind_(*group.kind) {}

  // Returns the energy that the sites dissipate.
  double step() {
    load();
    const T* q = g_.q;
    const T* state = g_.state;
    for (int w = 0; w < walls; ++w) {
      for (int r = 0; r < wall(w).rows; ++r, q += lanes) {
        sites_[w][r].reads = read(w, r);
        sites_[w][r].find_force(RowConstants<T>(wall(w), r), wall(w).branches, wall(w).inverse_square, q, state);
        state += std::ptrdiff_t{wall(w).branches} * Sites::branch_step;
      }
    }
    V shift[walls][lanes];
    solve(shift);
    typename Sites::Doubles lost{};
    q = g_.q;
    T* own = g_.state;
    for (int w = 0; w < walls; ++w) {
      for (int r = 0; r < wall(w).rows; ++r, q += lanes) {
        sites_[w][r].step(RowConstants<T>(wall(w), r), wall(w).branches, wall(w).square, shift[w][r], q, own, lost);
        own += std::ptrdiff_t{wall(w).branches} * Sites::branch_step;
      }
    }
    apply();
    keep_reads();
    return sum_of_lanes<lanes>(lost);
  }

  // The sums of a field that the taps read, to q.
  void read_only() {
    load();
    keep_reads();
  }

 private:
  static constexpr int lanes = group_lanes, walls = 3;
  using Sites = CoupledSites<T, lanes>;
  using V = typename Sites::V;

  const CoupledWallKind<T>& wall(int w) const { return kind_.wall[w]; }
  V taps(int w) const { return Sites::load(wall(w).tap); }
  int depth(int w) const { return wall(w).taps; }
  GroupNodes<T> nodes(int j, int k) const {
    return {wall(0).step, depth(0), kind_.own == nullptr ? nullptr : kind_.own + lanes * (j + lanes * k)};
  }
  T* row(int j, int k) const { return g_.u + j * wall(1).step + k * wall(2).step; }

  void load() {
    for (int k = 0; k < depth(2); ++k) {
      for (int j = 0; j < lanes; ++j) t_[k][j] = j < depth(1) ? nodes(j, k).load(row(j, k)) : V{};
      transpose_8(t_[k], across_[k]);
    }
  }

  // The sum that the taps of row r of wall w read.
  V read(int w, int r) const {
    const T* const tap = wall(w).tap;
    const auto node = [&](int n) { return w == 0 ? across_[r][n] : w == 1 ? t_[r][n] : t_[n][r]; };
    V sum = tap[0] * node(0);
    for (int n = 1; n < wall(w).taps; ++n) sum += tap[n] * node(n);
    return sum;
  }
  void keep_reads() const {
    T* q = g_.q;
    for (int w = 0; w < walls; ++w)
      for (int r = 0; r < wall(w).rows; ++r, q += lanes) Sites::store(q, read(w, r));
  }

  V over_rows(int w, const T* tap, int count) const {
    V sum = tap[0] * sites_[w][0].force;
    for (int r = 1; r < count; ++r) sum += tap[r] * sites_[w][r].force;
    return sum;
  }
  V over_lanes(int w, V tap, int count) const {
    V sums{};
    for (int r = 0; r < count; ++r) sums[r] = sum_of_lanes<lanes>(tap * sites_[w][r].force);
    return sums;
  }

  void solve(V (&shift)[walls][lanes]) const {
    const T *const b = wall(1).tap, *const c = wall(2).tap;
    const int nj = depth(1), nk = depth(2);
    const V sums[6] = {over_lanes(1, taps(0), nk), over_lanes(2, taps(0), nj),
                       over_lanes(0, taps(1), nk), over_rows(2, b, nj),
                       over_rows(0, c, nk),        over_rows(1, c, nk)};  // coupled_unknowns
    // Lanes beyond those that the taps read are zero and add nothing.
    const int counts[6] = {nk, nj, nk, depth(0), nj, depth(0)};
    V all[6] = {};
    for (int s = 0; s < 6; ++s) {
      const T* column = kind_.inverse + std::ptrdiff_t{s} * lanes * 6 * lanes;
      for (int l = 0; l < counts[s]; ++l, column += 6 * lanes) {
        const T one = sums[s][l];
#pragma GCC unroll 6
        for (int r = 0; r < 6; ++r) all[r] += Sites::load(column + r * lanes) * one;
      }
    }
    for (int k = 0; k < nk; ++k) {
      shift[0][k] = taps(1) * all[0][k] + c[k] * all[1];
      shift[1][k] = taps(0) * all[2][k] + c[k] * all[3];
    }
    for (int j = 0; j < nj; ++j) shift[2][j] = taps(0) * all[4][j] + b[j] * all[5];
  }

  void apply() {
    const V a = taps(0);
    for (int k = 0; k < depth(2); ++k) {
      const V f = sites_[0][k].force, g = sites_[1][k].force;
      for (int j = 0; j < depth(1); ++j) {
        V taken = a * f[j] + wall(1).tap[j] * g;
        taken += wall(2).tap[k] * sites_[2][j].force;
        t_[k][j] -= taken;
        nodes(j, k).store(row(j, k), t_[k][j]);
      }
      transpose_8(t_[k], across_[k]);
    }
  }

  const Coupled<T>& g_;
  const CoupledKind<T>& kind_;
  V t_[lanes][lanes], across_[lanes][lanes];
  Sites sites_[walls][lanes];
};

template <class T>
double update_coupled(const Coupled<T>& group) {
  if (group.kind->walls == 3) return CornerUpdate<T>(group).step();
  return with_edge(group, [](auto& edge) { return edge.step(); });
}

template <class T>
void read_coupled(const Coupled<T>& group) {
  if (group.kind->walls == 3) {
    CornerUpdate<T>(group).read_only();
  } else {
    with_edge(group, [](auto& edge) { edge.read_only(); });
  }
}

}  // namespace
}  // namespace fdtd::cpu
