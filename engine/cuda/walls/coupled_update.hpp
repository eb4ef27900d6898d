// The update of a group of sites that are solved together (plan/coupled_walls.hpp), by the threads of a block in steps;
// between two of them all threads have ended the first.
//
// Thread t works place t of the group: wall t / 8 at an edge, t / 64 in a corner, there row t % 64 / 8, lane t % 8.
#pragma once

#include "engine/cuda/walls/boundary_update.hpp"
#include "engine/cuda/walls/coupled_tables.hpp"

namespace fdtd::cuda {

// Memory that the threads of a block share.
template <class T>
struct CoupledShared {
  T force[3][coupled_row][coupled_row];  // by wall, row and lane
  T sums[6 * coupled_row], all[6 * coupled_row];
};

template <class T>
class CoupledThread {
 public:
  CoupledThread() = default;  // without work
  FDTD_HOST_DEVICE CoupledThread(const CoupledView<T>& view, const BoundaryView<T>& s, std::uint32_t group,
                                 std::uint32_t thread)
      : CoupledThread(view, s, group, thread, view.kinds[view.kind[group]],
                      view.inverse + view.kinds[view.kind[group]].inverse) {}
  // `kind` and `inverse`: the group's, wherever they lie. All that does not change from step to step is read here.
  FDTD_HOST_DEVICE CoupledThread(const CoupledView<T>& view, const BoundaryView<T>& s, std::uint32_t group,
                                 std::uint32_t thread, const CoupledKind<T>& kind, const T* inverse)
      : kind_(&kind), inverse_(inverse), thread_(thread) {
    const std::uint32_t places = kind.walls == 2 ? coupled_row : coupled_row * coupled_row;
    wall_ = thread / places, row_ = thread % places / coupled_row, lane_ = thread % coupled_row;
    const std::uint32_t by_lane = wall_ == 0 ? 1 : 0, by_row = wall_ == 2 ? 1 : 2;  // the walls along which they lie
    is_place_ = wall_ < kind.walls && row_ < kind.rows[wall_ < kind.walls ? wall_ : 0] && lane_ < kind.taps[by_lane];
    if (!is_place_) return;
    lane_wall_ = by_lane, row_wall_ = by_row;
    at_ = view.origin[group] + lane_ * kind.step[by_lane] + (kind.walls == 3 ? row_ * kind.step[by_row] : 0);
    std::uint64_t first = view.place_begin[group];
    for (std::uint32_t w = 0; w < wall_; ++w) first += std::uint64_t{kind.rows[w]} * coupled_row;
    place_ = view.place[first + row_ * coupled_row + lane_];
    if (place_ == no_member) return;
    const BoundaryGroup<T>& g = s.groups[s.group_of_block[place_ / boundary_threads]];
    const T* const value = s.row_value + g.values + std::uint64_t{s.node_row[place_]} * g.row_values;
    FDTD_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) value_[i] = value[i];
    law_ = s.laws[s.law_list[g.laws]];
    state_ = g.state + (place_ - g.node);
    stride_ = g.stride;
    inverse_square_ = g.inverse_square;
  }

  // Reads the nodes; the force of each site alone.
  FDTD_HOST_DEVICE void begin(const BoundaryView<T>& s, int parity, const T* u0, CoupledShared<T>& shared) {
    if (!is_place_) return;
    const LongColumn<T> taps = column();
    load_line(taps, at_, u0, r_);
    T force{};
    if (place_ != no_member) {
      read_ = column_of(taps, r_).sum;
      before_ = s.q[parity][place_];
      sums_ = branch_sums_at(s, law_, state_, stride_);
      force = (read_ - after(T{})) * inverse_square_;
    }
    shared.force[wall_][row_][lane_] = force;
  }

  // The sums of the lone forces over taps, in the order of plan/coupled_walls.hpp.
  FDTD_HOST_DEVICE void add_up(CoupledShared<T>& shared) const {
    if (kind_->walls == 2) {
      if (thread_ < 2) shared.sums[thread_] = over_lanes(shared, 1 - thread_, 0, thread_);
      return;
    }
    const std::uint32_t which = thread_ / coupled_row, n = thread_ % coupled_row;
    T sum{};
    switch (which) {
      case 0:
        if (n < kind_->taps[2]) sum = over_lanes(shared, 1, n, 0);
        break;
      case 1:
        if (n < kind_->taps[1]) sum = over_lanes(shared, 2, n, 0);
        break;
      case 2:
        if (n < kind_->taps[2]) sum = over_lanes(shared, 0, n, 1);
        break;
      case 3:
        if (n < kind_->taps[0]) sum = over_rows(shared, 2, n, 1);
        break;
      case 4:
        if (n < kind_->taps[1]) sum = over_rows(shared, 0, n, 2);
        break;
      case 5:
        if (n < kind_->taps[0]) sum = over_rows(shared, 1, n, 2);
        break;
      default:
        return;
    }
    shared.sums[thread_] = sum;
  }

  FDTD_HOST_DEVICE void solve(CoupledShared<T>& shared) const {
    const std::uint32_t n = kind_->walls == 2 ? 2 : 6 * coupled_row;
    if (thread_ >= n) return;
    T sum{};
    for (std::uint32_t c = 0; c < n; ++c) sum = fused(inverse_[c * n + thread_], shared.sums[c], sum);
    shared.all[thread_] = sum;
  }

  // The forces of all sites together, and their branches. Stores the energy lost.
  FDTD_HOST_DEVICE void finish(const BoundaryView<T>& s, int parity, CoupledShared<T>& shared) {
    if (!is_place_ || place_ == no_member) return;
    const T shift = shift_of(shared), moved_to = after(shift);
    shared.force[wall_][row_][lane_] = ((read_ - shift) - moved_to) * inverse_square_;
    const T p = FreeEquation<T>::pressure(law_, sums_, (moved_to - before_) * static_cast<T>(0.5));
    double lost = 0.0;
    std::uint64_t at = state_;
    for (std::uint32_t b = law_.branch_begin; b < law_.branch_end; ++b, at += stride_) {
      const BranchCoefficients<T>& branch = s.branches[b];
      BranchValues<T> now = load_branch(s.state, at);
      update_branch<FreeRounding<T>>(branch, FreeEquation<T>::pull(branch, now), p, value_[3], now, lost);
      store_branch(s.state, at, now);
    }
    s.lost[parity][place_] = static_cast<T>(lost);
  }

  // u+ at the group's nodes: the threads of the first wall write a column each. Nodes that no site of the group reads
  // may belong to others, which other blocks write at the same time.
  FDTD_HOST_DEVICE void apply(const CoupledShared<T>& shared, T* u0) {
    if (!is_place_ || wall_ != 0) return;
    FDTD_UNROLL
    for (std::uint32_t i = 0; i < coupled_row; ++i) {
      if (i >= kind_->taps[0]) continue;
      T taken = kind_->tap[0][i] * shared.force[0][row_][lane_] + kind_->tap[1][lane_] * shared.force[1][row_][i];
      if (kind_->walls == 3) taken += kind_->tap[2][row_] * shared.force[2][lane_][i];
      if ((kind_->own[row_][lane_] >> i & 1U) != 0) u0[at_ + i * kind_->step[0]] = r_[i] - taken;
    }
  }

  // The sums of u+ that the taps read, for the step after the next.
  FDTD_HOST_DEVICE void keep(const BoundaryView<T>& s, int parity, const T* u0) {
    if (!is_place_ || place_ == no_member) return;
    load_line(column(), at_, u0, r_);
    s.q[parity][place_] = tap_value(column(), r_);
  }

 private:
  FDTD_HOST_DEVICE LongColumn<T> column() const {
    return {kind_->taps[wall_], kind_->taps[wall_], kind_->step[wall_], T{}, kind_->tap[wall_]};
  }
  // q+ when other walls' forces take `shift` of what the taps read.
  FDTD_HOST_DEVICE T after(T shift) const {
    const T known = value_[3] * FreeEquation<T>::known_flow(law_, sums_);
    return FreeEquation<T>::node_after(node_coefficients(value_), before_, read_ - shift, known);
  }
  FDTD_HOST_DEVICE T over_lanes(const CoupledShared<T>& shared, std::uint32_t of, std::uint32_t row,
                                std::uint32_t taps) const {
    T sum{};
    for (std::uint32_t l = 0; l < kind_->taps[taps]; ++l)
      sum = fused(kind_->tap[taps][l], shared.force[of][row][l], sum);
    return sum;
  }
  FDTD_HOST_DEVICE T over_rows(const CoupledShared<T>& shared, std::uint32_t of, std::uint32_t lane,
                               std::uint32_t taps) const {
    T sum{};
    for (std::uint32_t r = 0; r < kind_->taps[taps]; ++r)
      sum = fused(kind_->tap[taps][r], shared.force[of][r][lane], sum);
    return sum;
  }
  FDTD_HOST_DEVICE T shift_of(const CoupledShared<T>& shared) const {
    const T of_lane = kind_->tap[lane_wall_][lane_];
    if (kind_->walls == 2) return of_lane * shared.all[wall_];
    const T* const own = shared.all + wall_ * 2 * coupled_row;
    return of_lane * own[row_] + kind_->tap[row_wall_][row_] * own[coupled_row + lane_];
  }

  const CoupledKind<T>* kind_ = nullptr;
  const T* inverse_ = nullptr;
  std::uint32_t thread_ = 0, wall_ = 0, row_ = 0, lane_ = 0, lane_wall_ = 0, row_wall_ = 0, place_ = no_member;
  std::uint32_t stride_ = 0;
  std::uint64_t state_ = 0;
  LawCoefficients<T> law_{};
  T value_[4]{}, inverse_square_{};
  bool is_place_ = false;
  std::int64_t at_ = 0;
  T r_[coupled_row]{}, read_{}, before_{};
  BranchSums<T> sums_{};
};

}  // namespace fdtd::cuda
