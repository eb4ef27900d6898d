// One launch a step, two in large rooms, for all that is not the bare scheme: near-wall corrections, walls, receivers,
// and the energy that the walls took in the step before. Blocks have roles, by number:
//   the energy lost in the step before (tally.hpp), receivers (a warp each), sites (sites.hpp),
//   units of near-wall nodes (near.hpp; many of them have a launch of their own, and so have the faces of boxes: faces.hpp,
//   where the energy is added beside them).
// All of them read u1 = u^n; a node of u0 is written by one thread alone. What a role adds up it adds in a fixed order.
//
// Traffic on a large box with branches on all walls: u0 read and written and, where walls are not mirrored
// (mirror.hpp), u1 read at every near-wall node (M layers); at every boundary node q, V and G read and written, and 4
// bytes of tables where it is no face's (faces.hpp). On an H200 a node of a wall along x costs 0.03 ns whatever the
// order of work and however early its values are asked for; one of a wall across x 0.1 ns, as each of its nodes is
// accessed by itself; two thirds of it is writing. So the march settles those itself where it mirrors the walls (ends.hpp),
// and faces across x that are corrected keep their columns of u1 side by side (SiteView::line): one access less of three.
// What else was tried is told with its figures in bench/results/h200/tried.md: a launch that follows the march while it
// runs, walls that run ahead of the next step's march, ends of rows kept apart.
#pragma once

#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/transducers/receivers.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/box_faces.hpp"
#include "engine/cuda/walls/loss_sums.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd::cuda {

template <class T>
struct WallsView {
  NearView<T> near;
  SiteView<T> sites;
  ListenView listen;
  TallyView tally;
  bool corrects = true;  // near-wall rows; false: the kernel mirrors the walls, and `near` is empty
};

// What is to be added in a step of this parity.
template <class T>
FDTD_BOTH LossesView<T> losses_before(const WallsView<T>& view, int parity) {
  return {view.tally, view.sites.lost[1 - parity], view.listen.counter + view.listen.receivers, view.listen.dissipated};
}

// The walls of a step of this parity, u1 and u0 the arrays' first values; nothing is launched where there is nothing to
// do.
template <class T>
void launch_walls(const WallsView<T>& view, const FacesView<T>& faces, int parity, const T* u1, T* u0, Stream stream);
// After the last step of a block: receivers hear u, the energy lost in the last step (of the other parity) is added.
template <class T>
void launch_listen(const WallsView<T>& view, int parity, const T* u, Stream stream);
// After a restore: what the taps read of u, for the next step of this parity.
template <class T>
void launch_read(const WallsView<T>& view, int parity, const T* u, Stream stream);

}  // namespace fdtd::cuda
