// Boundary -> batches: the boundary nodes of a tile whose sites have the same laws, as arrays over the nodes, so that
// branches are updated vector by vector whether the wall runs along x or across it. Sites whose taps reach
// into another tile are kept apart, to be worked when all tiles have their S u - u-.
#pragma once

#include <array>
#include <vector>

#include "engine/backend.hpp"
#include "engine/boundary.hpp"
#include "engine/cpu/kernel.hpp"
#include "engine/cpu/layout.hpp"
#include "engine/cpu/pool.hpp"

namespace fdtd::cpu {

template <class T>
class Batches {
 public:
  enum class Reach { within_tile, beyond };
  Batches(const Boundary& boundary, const Layout& layout, Reach reach);
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  // Boundary update of the tile, or of one batch, in a step of this parity; returns the energy lost.
  double lose(std::size_t tile, const RowFunctions<T>& functions, int parity, T* u0);
  double lose_batch(std::size_t batch, const RowFunctions<T>& functions, int parity, T* u0);
  std::size_t count() const { return placed_.size(); }  // batches
  std::size_t in_tile(std::size_t tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  std::size_t before_tile(std::size_t tile) const { return tile_begin_[tile]; }  // batches of the tiles before
  // What an update of the tile takes, in nodes of air: some 3 values of them move a step, here q, V and G, and more is done.
  double cost(std::size_t tile) const;
  // Sets what the taps read of u-, for the next step of this parity.
  void read(const T* u, int parity);
  // Where `parts` shares of nearly equal numbers of nodes of the batches [begin, end) begin, and the end.
  std::vector<std::size_t> shares(std::size_t begin, std::size_t end, int parts) const;
  // What the branches of the tile hold.
  double stored(std::size_t tile) const;

  void silence();  // everything at rest
  void save(std::vector<std::byte>& velocity, std::vector<std::byte>& displacement) const;
  void restore(const std::vector<std::byte>& velocity, const std::vector<std::byte>& displacement);
  std::int64_t bytes() const;

 private:
  struct Placed {
    std::uint32_t count, stride, sites, branches;  // branches of one node, over its sites
    std::size_t laws, node, constant, taps;        // places in the pools: laws of the sites; offsets, then runs; Q ...
    std::size_t q, state;                          // first of its q, of its V and G
    std::uint32_t constants;                       // of each: `stride`, or a group's where all nodes have the same
    std::ptrdiff_t origin, step;
    std::uint32_t tap_count;
    T inverse_square;
  };
  void place(std::size_t tile, const std::vector<std::size_t>& nodes, const Boundary& boundary, const Layout& layout);
  void place_constants(Placed& placed, const std::vector<std::size_t>& nodes, const Boundary& boundary, double square);
  void place_taps(Placed& placed, const WallLaw& law, const Layout& layout);
  Batch<T> view(const Placed& placed);
  double weight(const Placed& p, std::uint32_t site, std::uint32_t k) const {
    const std::size_t in_site = p.constants == p.stride ? k : 0;
    return static_cast<double>(constants_.all()[p.constant + std::size_t{3 + site} * p.constants + in_site]);
  }

  std::vector<LawRule<T>> laws_;
  std::vector<BranchRule<T>> branches_;
  std::vector<LawBranch> exact_;
  std::vector<double> inertance_;
  Pool<std::uint32_t> law_lists_;
  Pool<std::int32_t> node_;  // offsets of a batch's nodes, then its groups' runs
  Pool<T> constants_;        // Q, scale, loss, weights site after site; taps
  std::vector<Placed> placed_;
  std::vector<Batch<T>> views_;  // as the kernels take them
  std::vector<std::size_t> tile_begin_{0};
  std::array<std::vector<T>, 2> q_;  // what the taps read of u- in even and odd steps; u+ of one is u- two steps on
  std::vector<T> V_, G_;
  std::vector<std::uint64_t> order_;  // of V_ and G_: place in the State, or none for padding
  std::uint64_t states_ = 0;
};

}  // namespace fdtd::cpu
