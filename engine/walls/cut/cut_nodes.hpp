// Cut voxels and their neighbours as nodes with masses, passages and weights, and the runs that passages join them to:
// secured_cut.cpp makes them stable.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/axis_bounds.hpp"
#include "engine/walls/cut/cut_run.hpp"
#include "engine/walls/cut/cut_weights.hpp"
#include "engine/walls/cut/node_set.hpp"

namespace fdtd {

class CutNodes {
 public:
  static constexpr std::uint32_t wall = 0xffffffffU, whole_air = 0xfffffffeU;  // neighbours that are not in the list
  static constexpr double rounding = 1e-13;

  // A mesh's voxels, with the weights that secured_cut.hpp begins with; and those that it made of them. Throws
  // std::invalid_argument for a node outside the grid, std::length_error from 2^32 nodes on.
  CutNodes(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds);
  CutNodes(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds);

  // A node of a run along z with all that belongs to it along z; `below` and `above`: wall, whole_air or 0 for a node of
  // the list. And nodes of whole runs along z, ascending, as if there were nothing along the other axes.
  struct LineNode {
    std::uint64_t node;
    double mass, held, up, weight, end;
    std::uint32_t below, above, at_rim;
  };
  LineNode line_node(std::size_t i) const;
  CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds, const std::vector<LineNode>& line_nodes);

  std::size_t count() const { return nodes_.size(); }
  std::uint64_t node(std::size_t i) const { return nodes_[i]; }
  const std::array<AxisBound, 3>& bounds() const { return bounds_; }
  std::size_t from(std::uint64_t node) const {
    return index(node);
  }                                             // the place of the first node that is not below it
  std::size_t find(std::uint64_t node) const {  // its place, or count()
    const std::size_t i = index(node);
    return i < nodes_.size() && nodes_[i] == node ? i : nodes_.size();
  }
  const AxisBound& bound(std::size_t d) const { return bounds_[d]; }
  // Places in the list: side 2 d is below, 2 d + 1 above along axis d.
  std::uint32_t beside(std::size_t i, std::size_t side) const { return beside_[i][side]; }
  std::uint32_t above(std::size_t i, std::size_t d) const { return beside_[i][2 * d + 1]; }
  std::uint32_t below(std::size_t i, std::size_t d) const { return beside_[i][2 * d]; }
  // The passage below a node, and across a side; that above it is up[d][i].
  double down(std::size_t i, std::size_t d) const {
    const std::uint32_t j = below(i, d);
    return j == wall ? 0.0 : j == whole_air ? 1.0 : up[d][j];
  }
  double open_to(std::size_t i, std::size_t side) const { return side % 2 == 0 ? down(i, side / 2) : up[side / 2][i]; }

  // The mass with which a node satisfies C2 by itself.
  double need(std::size_t i, std::size_t d) const {
    return bounds_[d].whole > 0.0 ? 0.5 * (strength_below(i, d) + strength_above(i, d)) : 0.0;
  }
  bool is_short(std::size_t i, std::size_t d) const { return free_mass(i) < need(i, d) * (1.0 - rounding); }
  // The part of a node's mass that links leave to the runs.
  double free_mass(std::size_t i) const { return mass[i] - held_[i]; }

  // Nodes that open passages join along an axis; none where the bound holds whatever they are.
  std::vector<CutRun> runs_along(std::size_t d) const;
  std::vector<std::uint32_t> nodes_of(const CutRun& run, std::size_t d) const;
  // Whether every node of a run satisfies the bound by itself, the common case; whether the run does.
  bool each_suffices(const CutRun& run, std::size_t d) const;
  bool is_bounded(const CutRun& run, const std::vector<std::uint32_t>& at, std::size_t d) const;
  // By how much a node's weight is above a passage beside it (C1); the fraction of their mass that nodes of a run lack
  // (C2).
  double too_wide(std::size_t i, std::size_t d) const;
  double missing(const CutRun& run, std::size_t d) const;
  Violation worst() const;  // of all nodes

  // work(i) of every node, work(run) of every run, in parallel; threads that wait for so few cost more than they save.
  static constexpr std::int64_t few = 32768;
  template <class Work>
  void each(const Work& work) const {
    const auto nodes = static_cast<std::int64_t>(nodes_.size());
#pragma omp parallel for schedule(static) if (nodes > few)
    for (std::int64_t i = 0; i < nodes; ++i) work(static_cast<std::size_t>(i));
  }
  template <class Work>
  static void each_run(const std::vector<CutRun>& runs, const Work& work) {
    const auto count = static_cast<std::int64_t>(runs.size());
#pragma omp parallel for schedule(static) if (count > few)
    for (std::int64_t r = 0; r < count; ++r) work(runs[static_cast<std::size_t>(r)]);
  }

  std::vector<double> mass;
  std::array<std::vector<double>, 3> up, weight, end;  // w of the passage above, phi, rho
  // Whole voxels beside passages that are partly closed: 1; beside_fitted: voxels beside fitted ones (CutFraction).
  std::vector<char> at_rim;
  static constexpr char beside_fitted = 2;

 private:
  CutNodes(const AirMask& air, const std::array<AxisBound, 3>& bounds);
  std::array<int, 3> place(std::uint64_t node) const {
    return {static_cast<int>(node % stride_[1]), static_cast<int>(node % stride_[2] / stride_[1]),
            static_cast<int>(node / stride_[2])};
  }
  std::size_t index(std::uint64_t node) const;
  // each_node(visit): of every cut voxel and of those beside cut passages, in parallel, some of them again and again.
  template <class EachNode>
  void list_with_neighbours(const EachNode& each_node);
  double first_weight(std::size_t i, std::size_t d) const;
  void hold_links(const std::vector<CutLink>& links);

  double weight_at(std::uint32_t j, std::size_t d) const { return j >= whole_air ? 1.0 : weight[d][j]; }
  double end_at(std::uint32_t j, std::size_t d) const { return j >= whole_air ? 0.0 : end[d][j]; }
  double strength(double open, double weights, double ends, std::size_t d) const;
  double strength_below(std::size_t i, std::size_t d) const;
  double strength_above(std::size_t i, std::size_t d) const;
  // test(run, masses, strengths) of a run, both functions of the place in it.
  template <class Test>
  auto judge(const CutRun& run, const std::vector<std::uint32_t>& at, std::size_t d, const Test& test) const {
    return test(
        run, [&](std::uint32_t n) { return free_mass(at[n]); },
        [&](std::uint32_t n) { return n == 0 ? strength_below(at[0], d) : strength_above(at[n - 1], d); });
  }

  const AirMask& air_;
  std::array<int, 3> size_;
  std::array<AxisBound, 3> bounds_;
  std::array<std::uint64_t, 3> stride_{};
  std::vector<std::uint64_t> nodes_;
  NodeSet places_;            // of nodes_; empty for nodes of runs along z, which are few and scattered
  std::vector<double> held_;  // mass that links hold
  std::vector<std::array<std::uint32_t, 6>> beside_;
};

}  // namespace fdtd
