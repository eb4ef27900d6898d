// Boundary -> batches: the boundary nodes of a tile whose sites have the same laws, as arrays over the nodes, so that
// branches are updated vector by vector whether the wall runs along x or across it. Sites whose taps reach
// into another tile are kept apart, to be worked when all tiles have their S u - u-.
//
// Few nodes of a tile are its walls': what an update waits for is memory. So batches hold nothing but their state and
// where it is, on cache lines of its own in the order of tiles; all else is their kind's, of which a wall has few.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/field/layout.hpp"
#include "engine/cpu/field/vector_code.hpp"
#include "engine/cpu/walls/intern_pool.hpp"
#include "engine/plan/boundary.hpp"

namespace fdtd::cpu {

template <class T>
class Batches {
 public:
  enum class Reach { within_tile, beyond };
  Batches(const Boundary& boundary, const Layout& layout, Reach reach);
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  // Boundary update of tiles [begin, end) of a layer, or of one batch, in a step of this parity. What each tile with
  // batches loses goes to lost[0], ..., for those of `begin`, ...; or is returned.
  void lose(std::size_t begin, std::size_t end, const RowFunctions<T>& functions, int parity, T* u0, double* lost);
  double lose_batch(std::size_t index, const RowFunctions<T>& functions, int parity, T* u0);
  std::size_t count() const { return placed_.size(); }  // batches
  std::size_t in_tile(std::size_t tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  std::size_t before_tile(std::size_t tile) const { return tile_begin_[tile]; }  // batches of the tiles before
  // Asks memory for what the update of tiles [begin, end) will read: first where it is, then the state itself, in a
  // step of this parity.
  void fetch_places(std::size_t begin, std::size_t end) const {
    fetch_lines(placed_.data() + tile_begin_[begin], placed_.data() + tile_begin_[end]);
  }
  void fetch(std::size_t begin, std::size_t end, int parity) const;
  // What an update of the tile takes, in nodes of air of 7 points: some 3 values of them move a step, here q, V and G, and more
  // is done.
  double cost(std::size_t tile) const;
  // Sets what the taps read of u-, for the next step of this parity.
  void read(const T* u, int parity);
  // Where `parts` shares of nearly equal numbers of nodes of the batches [begin, end) begin, and the end.
  std::vector<std::size_t> shares(std::size_t begin, std::size_t end, int parts) const;
  // What the branches of the tile hold.
  double stored(std::size_t tile) const;

  void silence(std::size_t tile);  // at rest
  void save(std::vector<std::byte>& velocity, std::vector<std::byte>& displacement) const;
  void restore(const std::vector<std::byte>& velocity, const std::vector<std::byte>& displacement);

 private:
  struct Kind {
    std::uint32_t count, stride, sites, branches;  // branches of one node, over its sites
    std::size_t laws, node, constant, taps;        // places in the pools: laws of the sites; offsets, then runs; Q ...
    std::uint32_t constants;                       // of each: `stride`, or a group's where all nodes have the same
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
    return batch < placed_.size() ? placed_[batch].state : 2 * order_.size();
  }
  // Where V of the i-th of order_ is; G is a group further on.
  static std::size_t place_of(std::size_t i) { return 2 * (i - i % batch_group) + i % batch_group; }

  std::vector<LawCoefficients<T>> laws_;
  std::vector<BranchCoefficients<T>> branches_;
  Pool<std::uint32_t> law_lists_;
  Pool<std::int32_t> node_;  // offsets of a batch's nodes, then its groups' runs
  Pool<T> constants_;        // Q, scale, loss, weights site after site; taps
  std::vector<BatchKind<T>> kinds_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> tile_begin_{0};
  // Of each tile: how many, itself the first, lie side by side along y and have batches of the same kinds.
  std::vector<std::uint32_t> span_;
  std::ptrdiff_t tile_step_ = 0;  // from a tile to the next along y
  using Values = std::unique_ptr<T[], Free>;
  std::size_t q_length_ = 0;
  std::array<Values, 2> q_;  // what the taps read of u- in even and odd steps; u+ of one is u- two steps on
  Values state_;
  std::vector<std::uint64_t> order_;  // of the branches' nodes: place in the State, or none for padding
  std::uint64_t states_ = 0;
};

}  // namespace fdtd::cpu
