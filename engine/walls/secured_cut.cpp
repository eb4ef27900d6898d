#include "engine/walls/secured_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "engine/error.hpp"
#include "engine/walls/cut_run.hpp"

namespace fdtd {
namespace {

constexpr std::uint32_t wall = 0xffffffffU, whole_air = 0xfffffffeU;  // neighbours that are not in the list
constexpr double rounding = 1e-13;

struct Loan {  // by places in the list of nodes
  std::uint32_t borrower, lender;
  double mass;
};

class CutNodes {
 public:
  CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds) : air_(air), size_(air.size()), bounds_(bounds) {
    stride_ = {1, static_cast<std::uint64_t>(size_[0]),
               static_cast<std::uint64_t>(size_[0]) * static_cast<std::uint64_t>(size_[1])};
  }

  void take(const CutVoxels& cut) {
    for (const CutShare& one : cut.volumes) nodes_.push_back(one.node);
    for (std::size_t d = 0; d < 3; ++d)
      for (const CutShare& one : cut.passages[d]) nodes_.insert(nodes_.end(), {one.node, one.node + stride_[d]});
    list_with_neighbours();
    for (const CutShare& one : cut.volumes) mass_[index(one.node)] = static_cast<double>(one.share);
    for (std::size_t d = 0; d < 3; ++d)
      for (const CutShare& one : cut.passages[d]) up_[d][index(one.node)] = static_cast<double>(one.share);
    for (std::size_t d = 0; d < 3; ++d)
      each([&](std::size_t i) {
        weight_[d][i] = first_weight(i, d);
        if (mass_[i] == 1.0 && weight_[d][i] < 1.0) at_rim_[i] = 1;
      });
  }

  void take(const SecuredCut& cut) {
    for (const NodeShare& one : cut.masses) nodes_.push_back(one.node);
    for (std::size_t d = 0; d < 3; ++d) {
      for (const NodeShare& one : cut.passages[d]) nodes_.insert(nodes_.end(), {one.node, one.node + stride_[d]});
      for (const NodeShare& one : cut.weights[d]) nodes_.push_back(one.node);
      for (const NodeShare& one : cut.ends[d]) nodes_.push_back(one.node);
    }
    list_with_neighbours();
    for (const NodeShare& one : cut.masses) mass_[index(one.node)] = one.share;
    for (std::size_t d = 0; d < 3; ++d) {
      for (const NodeShare& one : cut.passages[d]) up_[d][index(one.node)] = one.share;
      for (const NodeShare& one : cut.weights[d]) weight_[d][index(one.node)] = one.share;
      for (const NodeShare& one : cut.ends[d]) end_[d][index(one.node)] = one.share;
    }
  }

  void secure() {
    find_normals();
    std::array<std::vector<CutRun>, 3> runs;
    for (std::size_t d = 0; d < 3; ++d) runs[d] = runs_along(d);
    for (int k = 0; k < 2; ++k) {
      for (std::size_t d = 0; d < 3; ++d) find_short(d, runs[d]);
      drop_weights();
      lend(runs);
    }
    close();
    stiffen_ends();
    std::stable_sort(lent_.begin(), lent_.end(), [](const Loan& a, const Loan& b) {
      return std::tie(a.borrower, a.lender) < std::tie(b.borrower, b.lender);
    });
  }

  SecuredCut result() const {
    SecuredCut out;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (mass_[i] != 1.0) out.masses.push_back({nodes_[i], mass_[i]});
      for (std::size_t d = 0; d < 3; ++d) {
        if (above(i, d) != wall && up_[d][i] != 1.0) out.passages[d].push_back({nodes_[i], up_[d][i]});
        if (weight_[d][i] != 1.0) out.weights[d].push_back({nodes_[i], weight_[d][i]});
        if (end_[d][i] != 0.0) out.ends[d].push_back({nodes_[i], end_[d][i]});
      }
    }
    for (const Loan& one : lent_) {
      const std::uint64_t from = nodes_[one.borrower], to = nodes_[one.lender];
      const double share = std::min(1.0, one.mass / mass_[one.borrower]);
      if (!out.moved.empty() && out.moved.back().from == from && out.moved.back().to == to)
        out.moved.back().share += share;
      else
        out.moved.push_back({from, to, share});
    }
    return out;
  }

  Violation worst() const {
    Violation most{-std::numeric_limits<double>::infinity(), 0.0};
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (const double open : {down(i, d), up_[d][i]})
          if (open > 0.0) most.passages = std::max(most.passages, weight_[d][i] - open);
      }
      for (const CutRun& run : runs_along(d)) {
        if (each_suffices(run, d)) continue;
        most.masses = std::max(
            most.masses, judge(run, nodes_of(run, d), d,
                               [](const auto& r, const auto& m, const auto& e) { return missing_mass(r, m, e); }));
      }
    }
    return most;
  }

 private:
  template <class Work>
  void each(const Work& work) const {
    const auto count = static_cast<std::int64_t>(nodes_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) work(static_cast<std::size_t>(i));
  }

  std::array<int, 3> place(std::uint64_t node) const {
    return {static_cast<int>(node % stride_[1]), static_cast<int>(node % stride_[2] / stride_[1]),
            static_cast<int>(node / stride_[2])};
  }
  std::size_t index(std::uint64_t node) const {
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }
  std::uint32_t above(std::size_t i, std::size_t d) const { return beside_[i][2 * d + 1]; }
  std::uint32_t below(std::size_t i, std::size_t d) const { return beside_[i][2 * d]; }

  // Cut voxels and their neighbours: farther ones neither lend nor lose.
  void list_with_neighbours() {
    const auto unique = [&] {
      std::sort(nodes_.begin(), nodes_.end());
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    };
    unique();
    if (!nodes_.empty() && nodes_.back() >= stride_[2] * static_cast<std::uint64_t>(size_[2]))
      throw std::invalid_argument("secure: a cut voxel is not in the grid");
    const std::size_t own = nodes_.size();
    for (std::size_t i = 0; i < own; ++i) {
      const auto at = place(nodes_[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        for (const int way : {-1, 1}) {
          auto next = at;
          next[d] += way;
          if (air_(next[0], next[1], next[2]))
            nodes_.push_back(way > 0 ? nodes_[i] + stride_[d] : nodes_[i] - stride_[d]);
        }
      }
    }
    unique();
    if (nodes_.size() >= whole_air) throw std::length_error("secure: more than 2^32 nodes beside cut voxels");
    mass_.assign(nodes_.size(), 1.0);
    at_rim_.assign(nodes_.size(), 0);
    beside_.resize(nodes_.size());
    for (std::size_t d = 0; d < 3; ++d) {
      up_[d].assign(nodes_.size(), 0.0);
      weight_[d].assign(nodes_.size(), 1.0);
      end_[d].assign(nodes_.size(), 0.0);
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
        if (side % 2 == 1) up_[d][i] = 1.0;
      }
    });
  }

  double down(std::size_t i, std::size_t d) const {
    const std::uint32_t j = below(i, d);
    return j == wall ? 0.0 : j == whole_air ? 1.0 : up_[d][j];
  }
  double weight_at(std::uint32_t j, std::size_t d) const { return j >= whole_air ? 1.0 : weight_[d][j]; }

  // The fold where a whole voxel ends at a wall on its face; the least passage where both are open.
  double first_weight(std::size_t i, std::size_t d) const {
    const double low = down(i, d), high = up_[d][i];
    if (low > 0.0 && high > 0.0) return std::min(low, high);
    return mass_[i] == 1.0 && std::max(low, high) == 1.0 ? 1.0 : 0.0;
  }

  double end_at(std::uint32_t j, std::size_t d) const { return j >= whole_air ? 0.0 : end_[d][j]; }
  double strength(double open, double weights, double ends, std::size_t d) const {
    const AxisBound& bound = bounds_[d];
    return (bound.first * open + bound.rest * std::min(open, 0.5 * weights) + 2.0 * bound.bend * ends) / bound.whole;
  }
  // Of the passages beside a node; what lies beyond a closed one is not read.
  double strength_below(std::size_t i, std::size_t d) const {
    const double open = down(i, d);
    if (!(open > 0.0)) return 0.0;
    const std::uint32_t j = below(i, d);
    return strength(open, weight_at(j, d) + weight_[d][i], end_at(j, d) + end_[d][i], d);
  }
  double strength_above(std::size_t i, std::size_t d) const {
    const double open = up_[d][i];
    if (!(open > 0.0)) return 0.0;
    const std::uint32_t j = above(i, d);
    return strength(open, weight_[d][i] + weight_at(j, d), end_[d][i] + end_at(j, d), d);
  }
  // The mass with which a node satisfies the bound by itself.
  double need(std::size_t i, std::size_t d) const {
    return bounds_[d].whole > 0.0 ? 0.5 * (strength_below(i, d) + strength_above(i, d)) : 0.0;
  }
  bool is_short(std::size_t i, std::size_t d) const { return mass_[i] < need(i, d) * (1.0 - rounding); }
  // What a node can lend, or, negative, what it lacks on lines that break the bound.
  double surplus(std::size_t i) const {
    double spare = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < 3; ++d) {
      const double left = mass_[i] - need(i, d);
      spare = std::min(spare, left < 0.0 && short_[d][i] == 0 ? 0.0 : left);
    }
    return spare;
  }

  // ---- runs ------------------------------------------------------------------------------------------------------
  std::vector<CutRun> runs_along(std::size_t d) const {
    std::vector<CutRun> runs;
    if (!(bounds_[d].whole > 0.0)) return runs;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::uint32_t from = below(i, d);
      if (from < whole_air && down(i, d) > 0.0) continue;
      CutRun run{static_cast<std::uint32_t>(i), 1, from == whole_air, false};
      std::size_t at = i;
      for (; up_[d][at] > 0.0 && above(at, d) < whole_air; ++run.count) at = above(at, d);
      run.open_above = up_[d][at] > 0.0;
      runs.push_back(run);
    }
    return runs;
  }
  template <class Work>
  void each_run(const std::vector<CutRun>& runs, const Work& work) const {
    const auto count = static_cast<std::int64_t>(runs.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < count; ++r) work(runs[static_cast<std::size_t>(r)]);
  }
  // The nodes of a run, read in turn.
  std::vector<std::uint32_t> nodes_of(const CutRun& run, std::size_t d) const {
    std::vector<std::uint32_t> nodes(run.count, run.first);
    for (std::uint32_t n = 1; n < run.count; ++n) nodes[n] = above(nodes[n - 1], d);
    return nodes;
  }
  // test(run, masses, strengths) of a run, both functions of the place in it.
  template <class Test>
  double judge(const CutRun& run, const std::vector<std::uint32_t>& at, std::size_t d, const Test& test) const {
    return test(
        run, [&](std::uint32_t n) { return mass_[at[n]]; },
        [&](std::uint32_t n) { return n == 0 ? strength_below(at[0], d) : strength_above(at[n - 1], d); });
  }
  bool is_bounded(const CutRun& run, const std::vector<std::uint32_t>& at, std::size_t d) const {
    return judge(run, at, d, [](const auto& r, const auto& m, const auto& e) { return bounded(r, m, e) ? 1.0 : 0.0; }) >
           0.0;
  }
  // Whether every node of a run satisfies the bound by itself, the common case.
  bool each_suffices(const CutRun& run, std::size_t d) const {
    std::size_t at = run.first;
    for (std::uint32_t n = 0;; at = above(at, d)) {
      if (is_short(at, d)) return false;
      if (++n == run.count) return true;
    }
  }

  // Nodes with less mass than they need by themselves, on runs that break the bound.
  void find_short(std::size_t d, const std::vector<CutRun>& runs) {
    short_[d].assign(nodes_.size(), 0);
    each_run(runs, [&](const CutRun& run) {
      if (each_suffices(run, d)) return;
      const std::vector<std::uint32_t> at = nodes_of(run, d);
      if (is_bounded(run, at, d)) return;
      for (const std::uint32_t i : at) short_[d][i] = is_short(i, d) ? 1 : 0;
    });
  }

  // Squared components of the unit normal of the wall, from differences of passages, smoothed over the six neighbours.
  void find_normals() {
    std::vector<std::array<float, 3>> difference(nodes_.size());
    each([&](std::size_t i) {
      for (std::size_t d = 0; d < 3; ++d) difference[i][d] = static_cast<float>(up_[d][i] - down(i, d));
    });
    normal_.resize(nodes_.size());
    each([&](std::size_t i) {
      std::array<double, 3> sum{};
      for (std::size_t d = 0; d < 3; ++d) {
        sum[d] = static_cast<double>(difference[i][d]);
        for (const std::uint32_t j : beside_[i])
          if (j < whole_air) sum[d] += 0.25 * static_cast<double>(difference[j][d]);
      }
      const double square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
      for (std::size_t d = 0; d < 3; ++d)
        normal_[i][d] = square > 0.0 ? static_cast<float>(sum[d] * sum[d] / square) : 0.0F;
    });
  }

  // No long legs at nodes whose own mass does not suffice for them, and at their neighbours.
  void drop_weights() {
    for (std::size_t d = 0; d < 3; ++d) {
      each([&](std::size_t i) {
        const auto lacks = [&](std::uint32_t j) { return j < whole_air && short_[d][j] != 0; };
        if (short_[d][i] != 0 || lacks(below(i, d)) || lacks(above(i, d))) weight_[d][i] = 0.0;
      });
    }
  }

  double open_to(std::size_t i, std::size_t side) const { return side % 2 == 0 ? down(i, side / 2) : up_[side / 2][i]; }

  void lend(const std::array<std::vector<CutRun>, 3>& runs) {
    constexpr int rounds = 8;
    constexpr float aside = 0.01F;  // what neighbours along the wall lend, too
    const std::size_t count = nodes_.size();
    std::vector<double> extra(count), scale(count), change(count);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t d = 0; d < 3; ++d) find_short(d, runs[d]);
      each([&](std::size_t i) { extra[i] = surplus(i); });
      const auto share = [&](std::size_t i, std::size_t side) {  // of the neighbour, in what i asks for
        const std::uint32_t j = beside_[i][side];
        if (j >= whole_air || extra[j] <= 0.0 || !(open_to(i, side) > 0.0)) return 0.0;
        return extra[j] * static_cast<double>(normal_[i][side / 2] + aside);
      };
      // `scale` of a node that lacks: what it asks for in each unit of its neighbours' shares; of a donor: what it can
      // give of what is asked.
      each([&](std::size_t i) {
        scale[i] = 0.0;
        if (extra[i] >= -rounding) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) sum += share(i, side);
        scale[i] = sum > 0.0 ? -extra[i] / sum : 0.0;
      });
      const auto asked = [&](std::size_t i, std::size_t side) { return scale[i] * share(i, side); };
      each([&](std::size_t j) {
        if (extra[j] <= 0.0) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) {
          const std::uint32_t i = beside_[j][side];
          if (i < whole_air && extra[i] < -rounding) sum += asked(i, side ^ 1U);
        }
        scale[j] = sum > extra[j] ? extra[j] / sum : 1.0;
        change[j] = -scale[j] * sum;
      });
      bool any = false;
      each([&](std::size_t i) {
        if (extra[i] > 0.0) return;
        change[i] = 0.0;
        if (extra[i] >= -rounding) return;
        for (std::size_t side = 0; side < 6; ++side) {
          const double wish = asked(i, side);
          if (wish > 0.0) change[i] += wish * scale[beside_[i][side]];
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (change[i] == 0.0) continue;
        mass_[i] += change[i];
        any = true;
        for (std::size_t side = 0; side < 6 && change[i] > 0.0; ++side) {
          const std::uint32_t j = beside_[i][side];
          const double amount = j < whole_air ? asked(i, side) * scale[j] : 0.0;
          if (amount > 0.0) lent_.push_back({static_cast<std::uint32_t>(i), j, amount});
        }
      }
      if (!any) break;
    }
  }

  // What is still short: no long legs there, and passages as much smaller as their run asks for.
  void close() {
    for (std::size_t d = 0; d < 3; ++d) {
      each_run(runs_along(d), [&](const CutRun& run) {
        if (!each_suffices(run, d)) close(run, d);
      });
    }
  }
  void close(const CutRun& run, std::size_t d) {
    const std::vector<std::uint32_t> at = nodes_of(run, d);
    if (is_bounded(run, at, d)) return;
    for (const std::uint32_t i : at)
      if (is_short(i, d)) weight_[d][i] = 0.0;
    // With `factor` of both passages a node satisfies the bound by itself.
    std::vector<double> factor, areas, weights;
    for (const std::uint32_t i : at) {
      factor.push_back(std::min(1.0, mass_[i] / need(i, d)));
      areas.push_back(up_[d][i]);
      weights.push_back(weight_[d][i]);
    }
    const auto suffices = [&](double part) {
      for (std::uint32_t n = 0; n < run.count; ++n) {
        const double next = n + 1 < run.count ? factor[n + 1] : 1.0;
        if (areas[n] > 0.0) up_[d][at[n]] = areas[n] * (1.0 - part * (1.0 - std::min(factor[n], next)));
      }
      for (std::uint32_t n = 0; n < run.count; ++n) {
        const double low = down(at[n], d), high = up_[d][at[n]];
        weight_[d][at[n]] = std::min(weights[n], low > 0.0 && high > 0.0 ? std::min(low, high) : std::max(low, high));
      }
      return is_bounded(run, at, d);
    };
    if (suffices(0.0)) return;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (suffices(middle) ? high : low) = middle;
    }
    suffices(high);
  }

  // What second differences of differences miss of a run's volume, as far as its bound allows: at nodes themselves, of
  // the last node of a run at the one before it. Not at rims of sheets: setbacks of rims (sheet_rims.hpp) count on it.
  void stiffen_ends() {
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(bounds_[d].bend > 0.0)) continue;
      each_run(runs_along(d), [&](const CutRun& run) { stiffen_ends(run, d); });
    }
  }
  void stiffen_ends(const CutRun& run, std::size_t d) {
    const std::vector<std::uint32_t> at = nodes_of(run, d);
    std::vector<double> missing(run.count, 0.0);
    double sum = 0.0;
    for (std::uint32_t n = 0; n < run.count; ++n) {
      const bool low = down(at[n], d) > 0.0, high = up_[d][at[n]] > 0.0;
      const double left = mass_[at[n]] - weight_[d][at[n]];
      if (at_rim_[at[n]] != 0 || !(left > 0.0) || (!low && !high)) continue;
      const std::uint32_t to = low && high ? n : low ? n - 1 : n + 1;
      if (to >= run.count || !(down(at[to], d) > 0.0 && up_[d][at[to]] > 0.0)) continue;
      missing[to] += left;
      sum += left;
    }
    if (!(sum > 0.0)) return;
    const auto suffices = [&](double part) {
      for (std::uint32_t n = 0; n < run.count; ++n) end_[d][at[n]] = part * missing[n];
      return is_bounded(run, at, d);
    };
    if (suffices(1.0)) return;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      (suffices(middle) ? low : high) = middle;
    }
    suffices(low);
  }

  const AirMask& air_;
  std::array<int, 3> size_;
  std::array<AxisBound, 3> bounds_;
  std::array<std::uint64_t, 3> stride_{};
  std::vector<std::uint64_t> nodes_;
  std::vector<std::array<std::uint32_t, 6>> beside_;
  std::vector<double> mass_;
  std::array<std::vector<double>, 3> up_, weight_, end_;
  std::vector<std::array<float, 3>> normal_;
  std::array<std::vector<char>, 3> short_;
  std::vector<char> at_rim_;  // whole voxels beside passages that are partly closed
  std::vector<Loan> lent_;
};

}  // namespace

SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds) {
  CutNodes nodes(air, bounds);
  nodes.take(cut);
  nodes.secure();
  const Violation left = nodes.worst();
  constexpr double rounding = 1e-12;
  if (!(left.passages <= rounding && left.masses <= rounding))
    throw Error(Status::numerical,
                fmt::format("voxels that walls cut break the bounds of stability by {:.1g} and {:.1g}", left.passages,
                            left.masses),
                "please report the scene; another grid_spacing may avoid it");
  return nodes.result();
}

Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds) {
  CutNodes nodes(air, bounds);
  nodes.take(cut);
  return nodes.worst();
}

}  // namespace fdtd
