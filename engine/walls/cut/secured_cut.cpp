#include "engine/walls/cut/secured_cut.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/touched_pages.hpp"
#include "engine/walls/cut/cut_nodes.hpp"
#include "engine/walls/cut/mass_loans.hpp"

namespace fdtd {
namespace {

// A part that holds, as near to `bad`, at which none does, as `halvings` of what lies between bring it; `good` holds.
template <class Holds>
double last_held(double good, double bad, int halvings, const Holds& holds) {
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (good + bad);
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

// No long legs at nodes that are short of mass, and passages as much smaller as their run asks for.
void close_run(CutNodes& nodes, const CutRun& run, std::size_t d) {
  const std::vector<std::uint32_t> at = nodes.nodes_of(run, d);
  if (nodes.is_bounded(run, at, d)) return;
  for (const std::uint32_t i : at)
    if (nodes.is_short(i, d)) nodes.weight[d][i] = 0.0;
  // With `factor` of both passages a node satisfies the bound by itself.
  std::vector<double> factor, areas, weights;
  for (const std::uint32_t i : at) {
    factor.push_back(std::min(1.0, nodes.free_mass(i) / nodes.need(i, d)));
    areas.push_back(nodes.up[d][i]);
    weights.push_back(nodes.weight[d][i]);
  }
  const auto suffices = [&](double part) {
    for (std::uint32_t n = 0; n < run.count; ++n) {
      const double next = n + 1 < run.count ? factor[n + 1] : 1.0;
      if (areas[n] > 0.0) nodes.up[d][at[n]] = areas[n] * (1.0 - part * (1.0 - std::min(factor[n], next)));
    }
    for (std::uint32_t n = 0; n < run.count; ++n) {
      const double low = nodes.down(at[n], d), high = nodes.up[d][at[n]];
      nodes.weight[d][at[n]] =
          std::min(weights[n], low > 0.0 && high > 0.0 ? std::min(low, high) : std::max(low, high));
    }
    return nodes.is_bounded(run, at, d);
  };
  if (suffices(0.0)) return;
  suffices(last_held(1.0, 0.0, 40, suffices));
}

// Adds the part of a run's volume that second differences of differences miss, as far as its bound allows: at nodes
// themselves, of the last node of a run at the one before it. Not at rims of sheets: setbacks of rims (sheet_rims.hpp)
// count on it.
void stiffen_ends(CutNodes& nodes, const CutRun& run, std::size_t d) {
  bool any = false;
  for (std::uint32_t n = 0, at = run.first; n < run.count && !any; ++n, at = nodes.above(at, d))
    any = nodes.at_rim[at] == 0 && nodes.mass[at] - nodes.weight[d][at] > 0.0;
  if (!any) return;  // the common case
  const std::vector<std::uint32_t> at = nodes.nodes_of(run, d);
  std::vector<double> missing(run.count, 0.0);
  double sum = 0.0;
  for (std::uint32_t n = 0; n < run.count; ++n) {
    const bool low = nodes.down(at[n], d) > 0.0, high = nodes.up[d][at[n]] > 0.0;
    const double left = nodes.mass[at[n]] - nodes.weight[d][at[n]];
    if (nodes.at_rim[at[n]] != 0 || !(left > 0.0) || (!low && !high)) continue;
    const std::uint32_t to = low && high ? n : low ? n - 1 : n + 1;
    if (to >= run.count || !(nodes.down(at[to], d) > 0.0 && nodes.up[d][at[to]] > 0.0)) continue;
    if (nodes.at_rim[at[to]] == CutNodes::beside_fitted) continue;
    missing[to] += left;
    sum += left;
  }
  if (!(sum > 0.0)) return;
  const auto suffices = [&](double part) {
    for (std::uint32_t n = 0; n < run.count; ++n) nodes.end[d][at[n]] = part * missing[n];
    return nodes.is_bounded(run, at, d);
  };
  if (suffices(1.0)) return;
  suffices(last_held(0.0, 1.0, 30, suffices));
}

// The lists of some nodes.
void append_nodes(const CutNodes& nodes, const SharedNodes& shared, std::size_t begin, std::size_t end,
                  SecuredCut& out) {
  for (std::size_t i = begin; i < end; ++i) {
    if (!shared.own(i)) continue;
    if (nodes.mass[i] != 1.0) out.masses.push_back({nodes.node(i), nodes.mass[i]});
    for (std::size_t d = 0; d < 3; ++d) {
      if (nodes.above(i, d) != CutNodes::wall && nodes.up[d][i] != 1.0)
        out.passages[d].push_back({nodes.node(i), nodes.up[d][i]});
      if (nodes.weight[d][i] != 1.0) out.weights[d].push_back({nodes.node(i), nodes.weight[d][i]});
      if (nodes.end[d][i] != 0.0) out.ends[d].push_back({nodes.node(i), nodes.end[d][i]});
    }
  }
}

SecuredCut result(const CutNodes& nodes, const SharedNodes& shared, const std::vector<Loan>& lent,
                  const std::vector<CutLink>& links) {
  constexpr std::size_t nodes_a_part = 65536;
  std::vector<SecuredCut> parts((nodes.count() + nodes_a_part - 1) / nodes_a_part);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (parts.size() > 1)
  for (std::size_t p = 0; p < parts.size(); ++p) {
    failure.guard([&] {
      append_nodes(nodes, shared, p * nodes_a_part, std::min(nodes.count(), (p + 1) * nodes_a_part), parts[p]);
    });
  }
  failure.rethrow();
  const auto all = [&](const auto& list_of) {
    std::vector<std::vector<NodeFraction>> lists;
    for (SecuredCut& part : parts) lists.push_back(std::move(list_of(part)));
    return concatenated(lists);
  };
  SecuredCut out;
  out.masses = all([](SecuredCut & of) -> auto& { return of.masses; });
  for (std::size_t d = 0; d < 3; ++d) {
    out.passages[d] = all([d](SecuredCut & of) -> auto& { return of.passages[d]; });
    out.weights[d] = all([d](SecuredCut & of) -> auto& { return of.weights[d]; });
    out.ends[d] = all([d](SecuredCut & of) -> auto& { return of.ends[d]; });
  }
  for (const CutLink& one : links) {
    const std::size_t i = nodes.find(one.node);
    if (i < nodes.count() && shared.own(i) && nodes.bound(one.axis).link > 0.0) out.links.push_back(one);
  }
  for (const Loan& one : lent) {
    const std::uint64_t from = nodes.node(one.borrower), to = nodes.node(one.lender);
    const double fraction = std::min(1.0, one.mass / nodes.mass[one.borrower]);
    if (!out.moved.empty() && out.moved.back().from == from && out.moved.back().to == to)
      out.moved.back().fraction += fraction;
    else
      out.moved.push_back({from, to, fraction});
  }
  return out;
}

}  // namespace

SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds,
                  const PlanePartition& partition) {
  const CutVoxels near = partition.whole() ? CutVoxels{} : SharedNodes::listed(cut, air, partition);
  CutNodes nodes(air, partition.whole() ? cut : near, bounds);
  SharedNodes shared(air, nodes, partition);
  const std::vector<Loan> lent = lend_masses(nodes, shared);
  // work(nodes, run) of every run, also of those that other processes have a part of.
  const auto each_run_along = [&](std::size_t d, const auto& work) {
    CutNodes::each_run(shared.runs_along(d), [&](const CutRun& run) { work(nodes, run); });
    if (d < 2) return;
    shared.each_lines([&](CutNodes& lines, const auto&) {
      CutNodes::each_run(lines.runs_along(2), [&](const CutRun& run) { work(lines, run); });
    });
  };
  for (std::size_t d = 0; d < 3; ++d) {
    each_run_along(d, [d](CutNodes& of, const CutRun& run) {
      if (!of.each_suffices(run, d)) close_run(of, run, d);
    });
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (bounds[d].bend > 0.0) each_run_along(d, [d](CutNodes& of, const CutRun& run) { stiffen_ends(of, run, d); });
  const Violation left = shared.worst();
  constexpr double rounding = 1e-12;
  if (!(left.passages <= rounding && left.masses <= rounding))
    throw Error(Status::numerical,
                fmt::format("voxels that walls cut break the bounds of stability by {:.1g} and {:.1g}", left.passages,
                            left.masses),
                "please report the scene; another grid_spacing may avoid it");
  return result(nodes, shared, lent, cut.links);
}

SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds) {
  return secure(air, cut, bounds, {});
}

Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds) {
  return CutNodes(air, cut, bounds).worst();
}

}  // namespace fdtd
