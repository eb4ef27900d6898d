// Sites of edges and corners that are solved together (plan/coupled_walls.hpp), group by group, or, along an edge along
// x, a strip of groups of one kind at a time: those whose nodes lie in one tile are updated with it, the others when
// all tiles have their S u - u-. Those of a tile along an edge along y or z are updated in blocks of groups of one kind
// (vector/isa/coupled_block.hpp); energies are added up group by group in their order nevertheless.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/walls/boundary_batches.hpp"
#include "engine/plan/coupled_tables.hpp"
#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

template <class T>
class CoupledGroups {
 public:
  using Reach = typename BoundaryBatches<T>::Reach;
  CoupledGroups(const Boundary& boundary, const Layout& layout, Reach reach);
  CoupledGroups(const CoupledGroups&) = delete;
  CoupledGroups& operator=(const CoupledGroups&) = delete;

  std::size_t count() const { return placed_.size(); }  // groups and strips
  int max_taps_read() const { return max_taps_read_; }
  std::size_t in_tile(std::size_t tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  std::size_t before_tile(std::size_t tile) const { return tile_begin_[tile]; }
  // Updates the groups and strips of a tile in a step of this parity; returns `lost` and the energy that they dissipate.
  double update_tile(std::size_t tile, const RowFunctions<T>& functions, int parity, T* u0, double lost);
  // The same for a group or strip alone, of those that reach beyond their tile.
  double update(std::size_t group, const RowFunctions<T>& functions, int parity, T* u0) const {
    return functions.update_coupled(view(group, parity, u0));
  }
  // Sets the taps' sums of u- for the next step of this parity.
  void read(const RowFunctions<T>& functions, T* u, int parity) const;
  // The first groups and strips of `parts` equal ranges of [begin, end), and the end.
  std::vector<std::size_t> ranges(std::size_t begin, std::size_t end, int parts) const;
  // The time of the tile's groups, in nodes of air of 7 points.
  double cost(std::size_t tile) const;
  // The energy stored in the branches of the groups whose edge or corner lies in the tile.
  double stored(std::size_t tile) const;
  // The taps' sums of u+ after a step of this parity, and their nodes: parts are tiles, or the groups and strips of those
  // that reach beyond.
  const T* reads(int parity) const { return q_[static_cast<std::size_t>(parity)].get(); }
  WallRow::Reads read_nodes() const;

  void reset(std::size_t tile);  // sets the state to zero
  void save(BranchValues<std::vector<std::byte>>& branches) const;
  void restore(const BranchValues<std::vector<std::byte>>& branches);

 private:
  struct Placed {
    std::uint32_t kind;
    std::uint32_t count;  // of its groups: members_[first] and on
    std::size_t first;
    std::ptrdiff_t origin;  // in a field
    std::size_t q, state;   // first of its values
  };
  // A group, a strip, or a block of groups: one call updates it.
  struct Unit {
    std::array<std::uint32_t, block_groups> groups;  // of placed_
    std::uint32_t count;
    std::ptrdiff_t next;  // from a group of a block to the next, in a field
  };
  Coupled<T> view(std::size_t group, int parity, T* u) const {
    const Placed& p = placed_[group];
    return {&kinds_[p.kind], u + p.origin, state_.get() + p.state, q_[static_cast<std::size_t>(parity)].get() + p.q,
            static_cast<int>(p.count)};
  }
  void place(std::vector<std::uint64_t>& groups, const Layout& layout);
  Coupled<T> view(const Unit& unit, int parity, T* u, double* lost) const {
    Coupled<T> block = view(unit.groups[0], parity, u);
    if (block.kind->in_blocks) block.count = static_cast<int>(unit.count), block.next = unit.next, block.lost = lost;
    return block;
  }
  // Calls function(boundary node, law, place of its first V, from V to G, place in q) for every site of a group; the next
  // branch is as far from G as G from V.
  template <class Function>
  void each_site(const Placed& p, const Function& function) const;
  std::size_t q_end(std::size_t group) const { return group < placed_.size() ? placed_[group].q : q_length_; }

  const Boundary& boundary_;
  CoupledTables<T> tables_;
  std::vector<CoupledKind<T>> kinds_;
  std::vector<Placed> placed_;
  std::vector<std::uint64_t> members_;  // groups of tables_
  std::vector<Unit> units_;
  std::vector<double> lost_;                                // of each group and strip, in a step
  std::vector<std::size_t> tile_begin_{0}, unit_begin_{0};  // of placed_, of units_
  std::vector<std::size_t> tile_q_{0}, tile_state_{0};      // the first values of each tile, and the end
  Reach reach_;
  int max_taps_read_ = 1;
  using Values = std::unique_ptr<T[], Free>;
  std::size_t q_length_ = 0, state_length_ = 0;
  std::array<Values, 2> q_;  // in even and odd steps
  Values state_;
};

}  // namespace fdtd::cpu
