// One launch a step, two in large rooms, for all that is not the bare scheme: near-wall corrections, walls, receivers, and
// the energy that the walls took in the step before. Blocks have roles, by number:
//   the energy lost in the step before (tally.hpp), receivers (a warp each), sites (sites.hpp),
//   units of near-wall nodes (near.hpp; many of them have a launch of their own).
// All of them read u1 = u^n; a node of u0 is written by one thread alone. What a role adds up it adds in a fixed order.
//
// Traffic on a large box with branches on all walls: u0 read and written and u1 read at every near-wall node (M layers), and
// at every boundary node 4 bytes of tables and q, V and G read and written. On an H200 a node of a wall along x costs
// 0.03 ns whatever the order of work and however early its values are asked for (persistent blocks, prefetching and
// asynchronous copies were tried and gained nothing); one of a wall across x 0.1 ns, as each of its accesses opens a row of
// memory of its own. So such faces keep their columns of u1 side by side (SiteView::line): one access less of three. Two warps
// of the marching kernel that settle such a face right behind the plane just written were tried as well: of leggy-4's 45 us
// they saved 20, and what the smaller tile cost; leggy-1 and -2 became 2 to 4 % slower. So was a launch that follows the march
// while it runs, on a few multiprocessors left to it: telling it which planes are written needs a fence, and the march with a
// fence every plane takes 150 us longer, every 8 planes as long as before; a column at a time it saves 10 us of 540. Walls that
// run ahead of the next step's march, beside it, make a step a fifth longer. And faces of few branches in a
// launch of their own with a third more blocks in flight: nothing. In all the walls of a room of
// 601 x 501 x 451 nodes take 75 (leggy-1) to 95 us (leggy-4), their DRAM traffic alone 31 to 43.
#pragma once

#include "engine/cuda/faces.hpp"
#include "engine/cuda/kernel.hpp"
#include "engine/cuda/near.hpp"
#include "engine/cuda/sites.hpp"
#include "engine/cuda/tally.hpp"

namespace fdtd::cuda {

// Receivers hear u^n while step n is made: sample n - 1 of the block. Each has a counter of its own, -1 at the start of a
// block, so that a captured graph of steps knows where it is; after them, so has the energy lost in each layer.
struct ListenView {
  std::uint32_t receivers;
  const std::uint64_t* begin;  // taps of receiver r: [begin[r], begin[r + 1])
  const std::int64_t* offset;
  const double* weight;
  double* samples;        // [r * capacity + n]
  std::int64_t capacity;  // steps
  std::int64_t* counter;  // receivers, then layers
  double* dissipated;     // by layer
};

template <class T>
struct WallsView {
  NearView<T> near;
  SiteView<T> sites;
  ListenView listen;
  TallyView tally;
  bool corrects = true;  // near-wall rows; false: the kernel mirrors the walls, and `near` is empty
};

// The walls of a step of this parity, u1 and u0 the arrays' first values; nothing is launched where there is nothing to do.
template <class T>
void launch_walls(const WallsView<T>& view, const FacesView<T>& faces, int parity, const T* u1, T* u0, Stream stream);
// After the last step of a block: receivers hear u, the energy lost in the last step (of the other parity) is added.
template <class T>
void launch_listen(const WallsView<T>& view, int parity, const T* u, Stream stream);
// After a restore: what the taps read of u, for the next step of this parity.
template <class T>
void launch_read(const WallsView<T>& view, int parity, const T* u, Stream stream);

}  // namespace fdtd::cuda
