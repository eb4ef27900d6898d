#include "engine/walls/cut/cut_nodes.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>

#include "base/parallel_failure.hpp"
#include "base/touched_pages.hpp"

namespace fdtd {

CutNodes::CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds)
    : air_(air), size_(air.size()), bounds_(bounds) {
  stride_ = {1, static_cast<std::uint64_t>(size_[0]),
             static_cast<std::uint64_t>(size_[0]) * static_cast<std::uint64_t>(size_[1])};
}

CutNodes::CutNodes(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds)
    : CutNodes(air, bounds) {
  list_with_neighbours([&](const auto& visit) {
    each_item(cut.volumes, [&](const CutFraction& one) { visit(one.node); });
    for (std::size_t d = 0; d < 3; ++d)
      each_item(cut.passages[d], [&](const CutFraction& one) { visit(one.node), visit(one.node + stride_[d]); });
    each_item(cut.links, [&](const CutLink& one) { visit(one.node), visit(one.to); });
  });
  hold_links(cut.links);
  each_item(cut.volumes, [&](const CutFraction& one) { mass[index(one.node)] = static_cast<double>(one.fraction); });
  for (std::size_t d = 0; d < 3; ++d)
    each_item(cut.passages[d],
              [&](const CutFraction& one) { up[d][index(one.node)] = static_cast<double>(one.fraction); });
  for (std::size_t d = 0; d < 3; ++d)
    each([&](std::size_t i) {
      weight[d][i] = first_weight(i, d);
      if (mass[i] == 1.0 && weight[d][i] < 1.0) at_rim[i] = 1;
    });
  // Second differences across a fitted passage would add to its flow.
  for (std::size_t d = 0; d < 3; ++d)
    for (const CutFraction& one : cut.passages[d]) {
      if (!one.fitted) continue;
      for (const std::uint64_t node : {one.node, one.node + stride_[d]}) {
        const std::size_t i = find(node);
        if (i == nodes_.size()) continue;
        weight[d][i] = 0.0;
        at_rim[i] = beside_fitted;
      }
    }
}

CutNodes::CutNodes(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds)
    : CutNodes(air, bounds) {
  list_with_neighbours([&](const auto& visit) {
    for (const auto* list :
         {&cut.masses, &cut.weights[0], &cut.weights[1], &cut.weights[2], &cut.ends[0], &cut.ends[1], &cut.ends[2]})
      each_item(*list, [&](const NodeFraction& one) { visit(one.node); });
    for (std::size_t d = 0; d < 3; ++d)
      each_item(cut.passages[d], [&](const NodeFraction& one) { visit(one.node), visit(one.node + stride_[d]); });
    each_item(cut.links, [&](const CutLink& one) { visit(one.node), visit(one.to); });
  });
  hold_links(cut.links);
  for (const NodeFraction& one : cut.masses) mass[index(one.node)] = one.fraction;
  for (std::size_t d = 0; d < 3; ++d) {
    for (const NodeFraction& one : cut.passages[d]) up[d][index(one.node)] = one.fraction;
    for (const NodeFraction& one : cut.weights[d]) weight[d][index(one.node)] = one.fraction;
    for (const NodeFraction& one : cut.ends[d]) end[d][index(one.node)] = one.fraction;
  }
}

CutNodes::LineNode CutNodes::line_node(std::size_t i) const {
  const auto kind = [](std::uint32_t j) { return j < whole_air ? 0U : j; };
  return {nodes_[i],         mass[i],           held_[i],
          up[2][i],          weight[2][i],      end[2][i],
          kind(below(i, 2)), kind(above(i, 2)), static_cast<std::uint32_t>(at_rim[i])};
}

CutNodes::CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds, const std::vector<LineNode>& line_nodes)
    : CutNodes(air, bounds) {
  for (const LineNode& one : line_nodes) {
    nodes_.push_back(one.node);
    mass.push_back(one.mass);
    held_.push_back(one.held);
    up[2].push_back(one.up);
    weight[2].push_back(one.weight);
    end[2].push_back(one.end);
    at_rim.push_back(static_cast<char>(one.at_rim));
  }
  for (std::size_t d = 0; d < 2; ++d) {
    bounds_[d] = {};
    up[d].assign(nodes_.size(), 0.0);
    weight[d].assign(nodes_.size(), 0.0);
    end[d].assign(nodes_.size(), 0.0);
  }
  beside_.assign(nodes_.size(), {wall, wall, wall, wall, wall, wall});
  each([&](std::size_t i) {
    const auto place_of = [&](std::uint32_t kind, std::uint64_t node) {
      if (kind != 0) return kind;
      const std::size_t j = find(node);
      return j < nodes_.size() ? static_cast<std::uint32_t>(j) : wall;  // of another run, beyond a closed passage
    };
    beside_[i][4] = place_of(line_nodes[i].below, nodes_[i] - stride_[2]);
    beside_[i][5] = place_of(line_nodes[i].above, nodes_[i] + stride_[2]);
  });
}

std::size_t CutNodes::index(std::uint64_t node) const {
  if (places_.count() > 0) return places_.place(node);
  return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
}

// Cut voxels and their neighbours: farther ones neither lend nor lose.
template <class EachNode>
void CutNodes::list_with_neighbours(const EachNode& each_node) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> least = none, most = 0;
  each_node([&](std::uint64_t node) {
    for (std::uint64_t known = least; node < known && !least.compare_exchange_weak(known, node);) {
    }
    for (std::uint64_t known = most; node > known && !most.compare_exchange_weak(known, node);) {
    }
  });
  if (least != none) {
    if (most >= stride_[2] * static_cast<std::uint64_t>(size_[2]))
      throw std::invalid_argument("secure: a cut voxel is not in the grid");
    const int begin = static_cast<int>(least / stride_[2]), end = static_cast<int>(most / stride_[2]) + 1;
    NodeSet own(size_, begin, end), all(size_, std::max(0, begin - 1), std::min(size_[2], end + 1));
    each_node([&](std::uint64_t node) { own.add(node); });
    own.number();
    own.each([&](std::uint64_t node) {
      all.add(node);
      const auto at = place(node);
      for (std::size_t d = 0; d < 3; ++d) {
        for (const int way : {-1, 1}) {
          auto next = at;
          next[d] += way;
          if (air_(next[0], next[1], next[2])) all.add(way > 0 ? node + stride_[d] : node - stride_[d]);
        }
      }
    });
    own = {};
    all.number();
    nodes_ = all.nodes();
    places_ = std::move(all);
  }
  if (nodes_.size() >= whole_air) throw std::length_error("secure: more than 2^32 nodes beside cut voxels");
  resize_touched(mass, nodes_.size(), 1.0);
  resize_touched(held_, nodes_.size(), 0.0);
  at_rim.assign(nodes_.size(), 0);
  resize_touched(beside_, nodes_.size());
  for (std::size_t d = 0; d < 3; ++d) {
    resize_touched(up[d], nodes_.size(), 0.0);
    resize_touched(weight[d], nodes_.size(), 1.0);
    resize_touched(end[d], nodes_.size(), 0.0);
  }
  each([&](std::size_t i) {
    const auto at = place(nodes_[i]);
    for (std::size_t side = 0; side < 6; ++side) {
      const std::size_t d = side / 2;
      auto next = at;
      next[d] += side % 2 == 0 ? -1 : 1;
      std::uint32_t& to = beside_[i][side];
      to = wall;
      if (!air_(next[0], next[1], next[2])) continue;
      const std::uint64_t node = side % 2 == 0 ? nodes_[i] - stride_[d] : nodes_[i] + stride_[d];
      const std::size_t j = index(node);
      to = j < nodes_.size() && nodes_[j] == node ? static_cast<std::uint32_t>(j) : whole_air;
      if (side % 2 == 1) up[d][i] = 1.0;
    }
  });
}

// A link of strength c adds c (u_i - u_j)^2 <= 2 c (u_i^2 + u_j^2) to the form that 4 M bounds.
void CutNodes::hold_links(const std::vector<CutLink>& links) {
  for (const CutLink& one : links) {
    const double half = 0.5 * bounds_[one.axis].link * static_cast<double>(one.fraction);
    for (const std::uint64_t node : {one.node, one.to}) held_[index(node)] += half;
  }
}

// The fold where a whole voxel ends at a wall on its face; the least passage where both are open.
double CutNodes::first_weight(std::size_t i, std::size_t d) const {
  const double low = down(i, d), high = up[d][i];
  if (low > 0.0 && high > 0.0) return std::min(low, high);
  return mass[i] == 1.0 && std::max(low, high) == 1.0 ? 1.0 : 0.0;
}

double CutNodes::strength(double open, double weights, double ends, std::size_t d) const {
  const AxisBound& bound = bounds_[d];
  return (bound.first * open + bound.rest * std::min(open, 0.5 * weights) + 2.0 * bound.bend * ends) / bound.whole;
}
// Of the passages beside a node; nothing beyond a closed one is read.
double CutNodes::strength_below(std::size_t i, std::size_t d) const {
  const double open = down(i, d);
  if (!(open > 0.0)) return 0.0;
  const std::uint32_t j = below(i, d);
  return strength(open, weight_at(j, d) + weight[d][i], end_at(j, d) + end[d][i], d);
}
double CutNodes::strength_above(std::size_t i, std::size_t d) const {
  const double open = up[d][i];
  if (!(open > 0.0)) return 0.0;
  const std::uint32_t j = above(i, d);
  return strength(open, weight[d][i] + weight_at(j, d), end[d][i] + end_at(j, d), d);
}

std::vector<CutRun> CutNodes::runs_along(std::size_t d) const {
  if (!(bounds_[d].whole > 0.0)) return {};
  constexpr std::size_t nodes_a_list = 65536;
  std::vector<std::vector<CutRun>> lists((nodes_.size() + nodes_a_list - 1) / nodes_a_list);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (lists.size() > 1)
  for (std::size_t l = 0; l < lists.size(); ++l) {
    failure.guard([&] {
      for (std::size_t i = l * nodes_a_list; i < std::min(nodes_.size(), (l + 1) * nodes_a_list); ++i) {
        const std::uint32_t from = below(i, d);
        if (from < whole_air && down(i, d) > 0.0) continue;
        CutRun run{static_cast<std::uint32_t>(i), 1, from == whole_air, false};
        std::size_t at = i;
        for (; up[d][at] > 0.0 && above(at, d) < whole_air; ++run.count) at = above(at, d);
        run.open_above = up[d][at] > 0.0;
        lists[l].push_back(run);
      }
    });
  }
  failure.rethrow();
  return concatenated(lists);
}

// The nodes of a run, read in turn.
std::vector<std::uint32_t> CutNodes::nodes_of(const CutRun& run, std::size_t d) const {
  std::vector<std::uint32_t> nodes(run.count, run.first);
  for (std::uint32_t n = 1; n < run.count; ++n) nodes[n] = above(nodes[n - 1], d);
  return nodes;
}

bool CutNodes::is_bounded(const CutRun& run, const std::vector<std::uint32_t>& at, std::size_t d) const {
  return judge(run, at, d, [](const auto& r, const auto& m, const auto& e) { return bounded(r, m, e); });
}

bool CutNodes::each_suffices(const CutRun& run, std::size_t d) const {
  std::size_t at = run.first;
  for (std::uint32_t n = 0;; at = above(at, d)) {
    if (is_short(at, d)) return false;
    if (++n == run.count) return true;
  }
}

double CutNodes::too_wide(std::size_t i, std::size_t d) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const double open : {down(i, d), up[d][i]})
    if (open > 0.0) most = std::max(most, weight[d][i] - open);
  return most;
}

double CutNodes::missing(const CutRun& run, std::size_t d) const {
  if (each_suffices(run, d)) return 0.0;
  return judge(run, nodes_of(run, d), d,
               [](const auto& r, const auto& m, const auto& e) { return missing_mass(r, m, e); });
}

Violation CutNodes::worst() const {
  double passages = -std::numeric_limits<double>::infinity(), masses = 0.0;
  const auto nodes = static_cast<std::int64_t>(nodes_.size());
  for (std::size_t d = 0; d < 3; ++d) {
#pragma omp parallel for schedule(static) reduction(max : passages) if (nodes > few)
    for (std::int64_t i = 0; i < nodes; ++i) passages = std::max(passages, too_wide(static_cast<std::size_t>(i), d));
    const std::vector<CutRun> runs = runs_along(d);
    const auto count = static_cast<std::int64_t>(runs.size());
#pragma omp parallel for schedule(static) reduction(max : masses) if (count > few)
    for (std::int64_t r = 0; r < count; ++r) masses = std::max(masses, missing(runs[static_cast<std::size_t>(r)], d));
  }
  return {passages, masses};
}

}  // namespace fdtd
