// Whether two slabs' plans are the same: their walls bit by bit, whatever the order of their patterns.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/plan/slab.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {

inline void check_same(const NearWall& a, const NearWall& b) {
  const auto row = [](const NearWall& walls, std::uint32_t pattern) {
    std::vector<std::tuple<int, int, int, double>> entries;
    for (std::uint64_t e = walls.pattern_begin[pattern]; e < walls.pattern_begin[pattern + 1]; ++e) {
      const RowEntry& entry = walls.entries[e];
      entries.emplace_back(entry.offset[0], entry.offset[1], entry.offset[2], entry.weight);
    }
    return entries;
  };
  CHECK(a.node_count == b.node_count);
  const auto same_mass = [](const NodeMass& m, const NodeMass& n) { return m.node == n.node && m.mass == n.mass; };
  CHECK(std::equal(a.masses.begin(), a.masses.end(), b.masses.begin(), b.masses.end(), same_mass));
  REQUIRE(a.segments.size() == b.segments.size());
  bool same = true;
  for (std::size_t s = 0; s < a.segments.size(); ++s)
    same = same && a.segments[s].node == b.segments[s].node && a.segments[s].length == b.segments[s].length &&
           row(a, a.segments[s].pattern) == row(b, b.segments[s].pattern);
  CHECK(same);
}

inline void check_same(const Boundary& a, const Boundary& b) {
  CHECK(a.laws.size() == b.laws.size());
  CHECK((a.nodes == b.nodes));
  CHECK((a.site_begin == b.site_begin));
  CHECK((a.branch_begin == b.branch_begin));
  CHECK((a.inverse_mass == b.inverse_mass));
  CHECK((a.coupled == b.coupled));
  CHECK((a.coupled_begin == b.coupled_begin));
  REQUIRE(a.sites.size() == b.sites.size());
  bool same = true;
  for (std::size_t s = 0; s < a.sites.size(); ++s)
    same = same && a.sites[s].law == b.sites[s].law && a.sites[s].weight == b.sites[s].weight;
  CHECK(same);
}

inline void check_same(const SlabPlan& a, const SlabPlan& b) {
  CHECK(a.plan.grid.size == b.plan.grid.size);
  CHECK(a.plan.air.all_air() == b.plan.air.all_air());
  CHECK(a.plan.air.count() == b.plan.air.count());
  CHECK(a.own_nodes_begin == b.own_nodes_begin);
  CHECK(a.own_nodes_end == b.own_nodes_end);
  CHECK(a.own_branches_begin == b.own_branches_begin);
  CHECK(a.own_branches_end == b.own_branches_end);
  REQUIRE(a.branches.size() == b.branches.size());
  for (std::size_t i = 0; i < a.branches.size(); ++i) {
    CHECK(a.branches[i].begin == b.branches[i].begin);
    CHECK(a.branches[i].end == b.branches[i].end);
  }
  CHECK(a.receiver_of == b.receiver_of);
  for (std::size_t s = 0; s < b.plan.sources.size(); ++s) CHECK(a.plan.sources[s].nodes == b.plan.sources[s].nodes);
  check_same(a.plan.near_wall, b.plan.near_wall);
  check_same(a.plan.boundary, b.plan.boundary);
}

}  // namespace fdtd::test
