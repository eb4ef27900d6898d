// The update of sites that are solved together at an edge or in a corner (plan/coupled_walls.hpp). The eight sites of a
// row are the lanes of a vector.
//
// The group's nodes are copied to t[k][j], lanes i, and once more with lanes j for the wall whose taps run along i.
// Both backends and all vector widths add up taps, and forces over taps, in the order of the taps.
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/cpu/field/vector_code.hpp"

namespace fdtd::cpu {
namespace {

template <class T, int Walls>
class CoupledUpdate {
 public:
  explicit CoupledUpdate(const Coupled<T>& group) : g_(group), kind_(*group.kind) {}

  // Returns the energy that the sites dissipate.
  double step() {
    load();
    V f[Walls][rows];
    const T* q = g_.q;
    const T* state = g_.state;
    for (int w = 0; w < Walls; ++w) {
      for (int r = 0; r < wall(w).rows; ++r, q += lanes) {
        reads_[w][r] = read(w, r);
        f[w][r] = force_alone(w, r, q, state);
        state += std::ptrdiff_t{wall(w).branches} * 2 * lanes;
      }
    }
    V shift[Walls][rows];
    if constexpr (Walls == 2) {
      solve_edge(f, shift);
    } else {
      solve_corner(f, shift);
    }
    lost_ = Doubles{};
    T* q_after = g_.q;
    T* own = g_.state;
    for (int w = 0; w < Walls; ++w) {
      for (int r = 0; r < wall(w).rows; ++r, q_after += lanes) {
        f[w][r] -= constant(w, r, share) * shift[w][r];
        step_branches(w, r, load_from(q_after), (reads_[w][r] - shift[w][r]) - wall(w).square * f[w][r], own);
        own += std::ptrdiff_t{wall(w).branches} * 2 * lanes;
      }
    }
    apply(f);
    store();
    q_after = g_.q;
    for (int w = 0; w < Walls; ++w)
      for (int r = 0; r < wall(w).rows; ++r, q_after += lanes) store_to(q_after, read(w, r));
    double lost = 0.0;
    for (int l = 0; l < lanes; ++l) lost += lost_[l];
    return lost;
  }

  // What the taps read of a field, to q.
  void read_only() {
    load();
    T* q = g_.q;
    for (int w = 0; w < Walls; ++w)
      for (int r = 0; r < wall(w).rows; ++r, q += lanes) store_to(q, read(w, r));
  }

 private:
  static constexpr int lanes = group_lanes, rows = Walls == 2 ? 1 : lanes;
  enum { Q, scale, loss, weight, share, A_part, W_part, inertance, series, constants };
  typedef T V __attribute__((vector_size(lanes * sizeof(T))));
  typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));

  static V load_from(const T* at) {
    V v;
    std::memcpy(&v, at, sizeof(V));
    return v;
  }
  static void store_to(T* at, V v) { std::memcpy(at, &v, sizeof(V)); }

  const CoupledWallKind<T>& wall(int w) const { return kind_.wall[w]; }
  V constant(int w, int r, int which) const { return load_from(wall(w).constants + (r * constants + which) * lanes); }
  V taps(int w) const { return load_from(wall(w).tap); }
  int depth(int w) const { return w < Walls ? wall(w).taps : 1; }
  std::ptrdiff_t step_of(int w) const { return w < Walls ? wall(w).step : 0; }

  // Which nodes of a row are the group's; null: all. Others may be under way in another thread.
  const std::uint8_t* own_of(int j, int k) const {
    return kind_.own == nullptr ? nullptr : kind_.own + lanes * (j + lanes * k);
  }

  void transpose() {
    for (int k = 0; k < depth(2); ++k)
      for (int j = 0; j < depth(1); ++j)
        for (int i = 0; i < depth(0); ++i) across_[k][i][j] = t_[k][j][i];
  }

  void load() {
    for (int k = 0; k < depth(2); ++k) {
      for (int i = 0; i < depth(0); ++i) across_[k][i] = V{};
      for (int j = 0; j < depth(1); ++j) {
        const T* const at = g_.u + j * step_of(1) + k * step_of(2);
        V v{};
        const std::uint8_t* const own = own_of(j, k);
        for (int i = 0; i < depth(0); ++i)
          if (own == nullptr || own[i] != 0) v[i] = at[i * step_of(0)];
        t_[k][j] = v;
      }
    }
    transpose();
  }

  void store() {
    for (int k = 0; k < depth(2); ++k)
      for (int j = 0; j < depth(1); ++j) {
        T* const at = g_.u + j * step_of(1) + k * step_of(2);
        const std::uint8_t* const own = own_of(j, k);
        for (int i = 0; i < depth(0); ++i)
          if (own == nullptr || own[i] != 0) at[i * step_of(0)] = t_[k][j][i];
      }
    transpose();
  }

  // What the taps of row r of wall w read.
  V read(int w, int r) const {
    const T* const tap = wall(w).tap;
    const auto node = [&](int n) { return w == 0 ? across_[r][n] : w == 1 ? t_[r][n] : t_[n][r]; };
    V sum = tap[0] * node(0);
    for (int n = 1; n < wall(w).taps; ++n) sum += tap[n] * node(n);
    return sum;
  }

  const T* rule(int w, int r, int b) const {
    return wall(w).rules + std::ptrdiff_t{r * wall(w).branches + b} * 3 * lanes;
  }
  V drive(int w, int r, int b, const T* state) const {
    const T* const c = rule(w, r, b);
    return load_from(c + lanes) * load_from(state) - load_from(c + 2 * lanes) * load_from(state + lanes);
  }

  // Also A and W of the row.
  V force_alone(int w, int r, const T* q, const T* state) {
    V A{}, W{};
    for (int b = 0; b < wall(w).branches; ++b, state += 2 * lanes) {
      A += load_from(rule(w, r, b)) * drive(w, r, b, state);
      W += load_from(state);
    }
    A_[w][r] = A, W_[w][r] = W;
    const V known = constant(w, r, weight) * ((constant(w, r, A_part) * A + constant(w, r, W_part) * W) + W);
    const V after =
        constant(w, r, scale) * (reads_[w][r] + constant(w, r, Q) * load_from(q)) - constant(w, r, loss) * known;
    return (reads_[w][r] - after) * wall(w).inverse_square;
  }

  // sum over the lanes of tap times force.
  T over_lanes(const T* tap, V force, int count) const {
    T sum = tap[0] * force[0];
    for (int l = 1; l < count; ++l) sum += tap[l] * force[l];
    return sum;
  }
  V over_rows(const T* tap, const V (&force)[rows], int count) const {
    V sum = tap[0] * force[0];
    for (int r = 1; r < count; ++r) sum += tap[r] * force[r];
    return sum;
  }

  void solve_edge(const V (&f)[Walls][rows], V (&shift)[Walls][rows]) const {
    const T over_first = over_lanes(wall(0).tap, f[1][0], wall(0).taps),
            over_second = over_lanes(wall(1).tap, f[0][0], wall(1).taps);
    const T* const m = kind_.inverse;
    shift[0][0] = taps(1) * (m[0] * over_first + m[2] * over_second);
    shift[1][0] = taps(0) * (m[1] * over_first + m[3] * over_second);
  }

  void solve_corner(const V (&f)[Walls][rows], V (&shift)[Walls][rows]) const {
    const T *const a = wall(0).tap, *const b = wall(1).tap, *const c = wall(2).tap;
    const int ni = depth(0), nj = depth(1), nk = depth(2);
    V sums[6] = {};  // coupled_unknowns
    for (int k = 0; k < nk; ++k) sums[0][k] = over_lanes(a, f[1][k], ni);
    for (int j = 0; j < nj; ++j) sums[1][j] = over_lanes(a, f[2][j], ni);
    for (int k = 0; k < nk; ++k) sums[2][k] = over_lanes(b, f[0][k], nj);
    sums[3] = over_rows(b, f[2], nj);
    sums[4] = over_rows(c, f[0], nk);
    sums[5] = over_rows(c, f[1], nk);
    V all[6] = {};
    const T* column = kind_.inverse;
    for (int s = 0; s < 6; ++s)
      for (int l = 0; l < lanes; ++l, column += 6 * lanes)
        for (int r = 0; r < 6; ++r) all[r] += load_from(column + r * lanes) * sums[s][l];
    for (int k = 0; k < nk; ++k) {
      shift[0][k] = taps(1) * all[0][k] + c[k] * all[1];
      shift[1][k] = taps(0) * all[2][k] + c[k] * all[3];
    }
    for (int j = 0; j < nj; ++j) shift[2][j] = taps(0) * all[4][j] + b[j] * all[5];
  }

  void step_branches(int w, int r, V before, V after, T* state) {
    const V half_moved = (after - before) * static_cast<T>(0.5);
    const V p = (half_moved - constant(w, r, inertance) * (A_[w][r] - W_[w][r])) * constant(w, r, series);
    for (int b = 0; b < wall(w).branches; ++b, state += 2 * lanes) {
      const V v = load_from(state), v_after = load_from(rule(w, r, b)) * (drive(w, r, b, state) + p);
      const V mean = (v_after + v) * static_cast<T>(0.5);
      store_to(state + lanes, load_from(state + lanes) + mean);
      store_to(state, v_after);
      Doubles E;
      std::memcpy(&E, wall(w).E + std::ptrdiff_t{r * wall(w).branches + b} * lanes, sizeof E);
      const V taken = constant(w, r, weight) * (mean * mean);
      lost_ += E * __builtin_convertvector(taken, Doubles);
    }
  }

  void apply(const V (&f)[Walls][rows]) {
    for (int k = 0; k < depth(2); ++k)
      for (int j = 0; j < depth(1); ++j) {
        V taken = taps(0) * f[0][k][j] + wall(1).tap[j] * f[1][k];
        if constexpr (Walls == 3) taken += wall(2).tap[k] * f[2][j];
        t_[k][j] -= taken;
      }
  }

  const Coupled<T>& g_;
  const CoupledKind<T>& kind_;
  V t_[rows][lanes], across_[rows][lanes];
  V reads_[Walls][rows], A_[Walls][rows], W_[Walls][rows];
  Doubles lost_;
};

template <class T>
double update_coupled(const Coupled<T>& group) {
  return group.kind->walls == 2 ? CoupledUpdate<T, 2>(group).step() : CoupledUpdate<T, 3>(group).step();
}

template <class T>
void read_coupled(const Coupled<T>& group) {
  if (group.kind->walls == 2) {
    CoupledUpdate<T, 2>(group).read_only();
  } else {
    CoupledUpdate<T, 3>(group).read_only();
  }
}

}  // namespace
}  // namespace fdtd::cpu
