// The bound of cut voxels on one run: nodes along an axis, joined by open passages (secured_cut.hpp).
//
// With masses m_i of the nodes and strengths e of the passages it is 4 M - G^T diag(e) G >= 0, a tridiagonal matrix, and
// holds exactly if the pivots of its triangular factors are positive. m_i >= (e- + e+)/2 at every node suffices, but asks
// for more: along a wall that crosses the axis obliquely the voxels short of mass stand beside others with more than
// they need, and the sum is what counts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fdtd {

struct CutRun {
  std::uint32_t first = 0, count = 0;  // nodes, by the number of the first
  // Beyond the ends: whole voxels, without end (pivot 1), rather than a wall or a closed passage.
  bool open_below = false, open_above = false;
};

// mass(n) of node n = 0..count-1; strength(n) of the passage below node n, n = 0..count.
template <class Mass, class Strength>
bool bounded(const CutRun& run, const Mass& mass, const Strength& strength) {
  constexpr double rounding = 1e-13;  // of sums that whole voxels satisfy with equality
  double below = run.open_below ? strength(0) : 0.0, pivot = 1.0;
  for (std::uint32_t n = 0; n < run.count; ++n) {
    const bool last = n + 1 == run.count;
    const double above = last && !run.open_above ? 0.0 : strength(n + 1);
    pivot = 4.0 * (1.0 + rounding) * mass(n) - below - above - (below > 0.0 ? below * below / pivot : 0.0);
    if (last ? pivot < above : !(pivot > 0.0)) return false;
    below = above;
  }
  return true;
}

// The least fraction of its own mass that, given to every node, satisfies the bound; 0 where it holds.
template <class Mass, class Strength>
double missing_mass(const CutRun& run, const Mass& mass, const Strength& strength) {
  if (bounded(run, mass, strength)) return 0.0;
  double low = 0.0, high = 0.0;
  for (std::uint32_t n = 0; n < run.count; ++n)
    high = std::max(high, 0.5 * (strength(n) + strength(n + 1)) / mass(n) - 1.0);
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    const bool enough = bounded(
        run, [&](std::uint32_t n) { return mass(n) * (1.0 + middle); }, strength);
    (enough ? high : low) = middle;
  }
  return high;
}

}  // namespace fdtd
