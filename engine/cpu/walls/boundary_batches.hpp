// Batches of boundary nodes: the nodes of a tile whose sites have the same laws, as arrays over the nodes, so that
// branches are updated vector by vector whether the wall runs along x or across it. Sites whose taps reach into another
// tile form separate batches, updated when all tiles have their S u - u-.
//
// Only few nodes of a tile lie at walls, so memory latency limits the update. A batch therefore holds only its state
// and the place of its state, on its own cache lines in the order of tiles; everything else belongs to its kind, of
// which a wall has few.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/walls/intern_pool.hpp"
#include "engine/cpu/walls/wall_row.hpp"
#include "engine/plan/boundary.hpp"
#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

template <class T>
class BoundaryBatches {
 public:
  enum class Reach { within_tile, beyond };
  BoundaryBatches(const Boundary& boundary, const Layout& layout, Reach reach);
  BoundaryBatches(const BoundaryBatches&) = delete;
  BoundaryBatches& operator=(const BoundaryBatches&) = delete;

  // Boundary update of tiles [begin, end) of a layer, or of one batch, in a step of this parity. Stores the energy that
  // each tile with batches dissipates in dissipated[tile - begin], or returns it.
  void update(std::size_t begin, std::size_t end, const RowFunctions<T>& functions, int parity, T* u0,
              double* dissipated);
  double update_batch(std::size_t index, const RowFunctions<T>& functions, int parity, T* u0);
  std::size_t count() const { return placed_.size(); }  // batches
  int max_taps_read() const { return max_taps_read_; }  // of a batch; 1 without any
  std::size_t in_tile(std::size_t tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  std::size_t before_tile(std::size_t tile) const { return tile_begin_[tile]; }  // batches of the tiles before
  // Prefetch what the update of tiles [begin, end) reads in a step of this parity: first the places, then the state
  // itself.
  void prefetch_index(std::size_t begin, std::size_t end) const {
    prefetch_lines(placed_.data() + tile_begin_[begin], placed_.data() + tile_begin_[end]);
  }
  void prefetch(std::size_t begin, std::size_t end, int parity) const;
  // The time of the tile's update, in nodes of air of 7 points: such a node moves some 3 values a step, a boundary node
  // q, V and G, with more arithmetic.
  double cost(std::size_t tile) const;
  // Sets the taps' sums of u- for the next step of this parity.
  void read(const T* u, int parity);
  // The first batches of the `parts` ranges of [begin, end) with nearly equal numbers of nodes, and the end.
  std::vector<std::size_t> ranges(std::size_t begin, std::size_t end, int parts) const;
  // The energy stored in the branches of the tile.
  double stored(std::size_t tile) const;
  // The taps' sums of u+ after a step of this parity, and their nodes: parts are batches.
  const T* reads(int parity) const { return q_[static_cast<std::size_t>(parity)].get(); }
  WallRow::Reads read_nodes(const Boundary& boundary) const;

  void reset(std::size_t tile);  // sets the state to zero
  void save(BranchValues<std::vector<std::byte>>& branches) const;
  void restore(const BranchValues<std::vector<std::byte>>& branches);

 private:
  struct Kind {
    std::uint32_t count, stride, sites, branches;  // branches of one node, over its sites
    std::size_t laws, node, pieces, constant,
        taps;                 // places in the pools; of node: offsets, then runs; constant: Q ...
    std::uint32_t constants;  // of each: `stride`, or one group where all nodes have the same
    std::uint32_t tap_count;
    std::ptrdiff_t step;
    T inverse_square;
    auto operator<=>(const Kind&) const = default;
  };
  struct Placed {
    std::uint32_t kind;
    std::ptrdiff_t origin;  // of the tile
    std::size_t q, state;   // first of its q, of its branches' values
  };
  using Kinds = std::map<Kind, std::uint32_t>;
  void place(std::size_t tile, const std::vector<std::size_t>& nodes, const Boundary& boundary,
             const std::vector<double>& admittances, const Layout& layout, Kinds& known);
  void place_constants(Kind& kind, const std::vector<std::size_t>& nodes, const Boundary& boundary,
                       const std::vector<double>& admittances);
  BatchKind<T> view(const Kind& kind) const;
  void find_spans(const Layout& layout);
  Batch<T> batch(const Placed& p, int parity, T* u) const {
    return {.kind = &kinds_[p.kind],
            .u = u + p.origin,
            .branches = state_.get() + p.state,
            .q = q_[static_cast<std::size_t>(parity)].get() + p.q};
  }
  std::size_t q_end(std::size_t batch) const { return batch < placed_.size() ? placed_[batch].q : q_length_; }
  std::size_t state_end(std::size_t batch) const {
    return batch < placed_.size() ? placed_[batch].state : branch_state_size * order_.size();
  }
  // Where the first value of the i-th of order_ is; the next ones are a group apart.
  static std::size_t place_of(std::size_t i) { return branch_state_size * (i - i % batch_group) + i % batch_group; }

  std::vector<LawCoefficients<T>> laws_;
  std::vector<BranchCoefficients<T>> branches_;
  InternPool<std::uint32_t> law_lists_;
  InternPool<std::int32_t> node_;  // offsets of a batch's nodes, then its groups' runs
  InternPool<GroupPiece> pieces_;
  InternPool<T> constants_;  // Q, scale, loss, weights site after site; taps
  std::vector<BatchKind<T>> kinds_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> tile_begin_{0};
  // For each tile: the number of tiles from it on, side by side along y, with batches of the same kinds.
  std::vector<std::uint32_t> span_;
  int max_taps_read_ = 1;
  std::ptrdiff_t tile_step_ = 0;  // from a tile to the next along y
  using Values = std::unique_ptr<T[], Free>;
  std::size_t q_length_ = 0;
  std::array<Values, 2> q_;  // the taps' sums of u- in even and odd steps; u+ of one step is u- two steps later
  Values state_;
  std::vector<std::uint64_t> order_;  // of the branches' nodes: index in the State, or padding
  std::uint64_t states_ = 0;
};

}  // namespace fdtd::cpu
