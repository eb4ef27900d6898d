// The launches around the march in every step. Before it: near-wall corrections (near_wall.hpp), of a slab in two parts,
// for some nodes read planes that its neighbours send. After it: boundary nodes, receivers, and the sum of the energy
// that the walls took in the previous step. Rooms whose walls the march mirrors have no corrections.
//
// The role of a block after the march follows from its number: losses of the previous step (loss_sums.hpp), receivers (a
// warp each), boundary nodes (boundary_groups.hpp; nodes with more taps than a column holds have a launch of their
// own, and so have the faces of boxes, box_faces.hpp, which then add the losses). All blocks read u1 = u^n; one thread
// alone writes a node of u0 in a launch. Sites that are solved together where walls meet (coupled_update.hpp) have two
// launches, a block a group: edges, then corners. Every sum is added in a fixed order.
//
// Corrections and boundary nodes are two launches: a thread that did both for a column of four nodes took their rows
// one after the other, and its registers left a third of the threads that wait for memory side by side.
//
// Traffic: at every near-wall node u0 read and written, u1 read, its row and 9 bytes for its place; at every boundary
// node u0, q, V and G read and written, and 4 bytes of tables. On an H200 a node of a wall along x costs 0.03 ns; one
// of a wall across x costs 0.1 ns, because each of its nodes is accessed by itself; two thirds of that is writing. So
// the march updates those itself where it mirrors the walls (row_ends.hpp). docs/performance/gpu-tried.md has what else
// was tried, with its figures: a launch that follows the march while it runs, walls that run ahead of the next step's
// march, ends of rows stored apart.
#pragma once

#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/transducers/receivers.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/box_faces.hpp"
#include "engine/cuda/walls/coupled_tables.hpp"
#include "engine/cuda/walls/loss_sums.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd::cuda {

template <class T>
struct WallsView {
  NearView<T> near;  // nothing, where the kernel mirrors the walls
  BoundaryView<T> sites;
  ReceiversView receivers;
  LossSumsView loss_sums;
  CoupledView<T> coupled;
};

// The losses that a step of this parity adds.
template <class T>
FDTD_HOST_DEVICE LossesView<T> losses_before(const WallsView<T>& view, int parity) {
  return {view.loss_sums, view.sites.lost[1 - parity], view.receivers.counter + view.receivers.count,
          view.receivers.dissipated};
}

// Launches nothing where there is nothing to do.
template <class T>
void launch_corrections(const NearView<T>& near, NearPart part, const T* u1, T* u0, Stream stream);
// After a march that does not know solid voxels.
template <class T>
void launch_clear_solids(const NearView<T>& near, T* u0, Stream stream);

// The walls of a step of this parity, after the march; u1 and u0 are the arrays' first values. Launches nothing where
// there is nothing to do.
template <class T>
void launch_walls(const WallsView<T>& view, const FacesView<T>& faces, int parity, const T* u1, T* u0, Stream stream);
// After the last step of a block: samples the receivers and adds the energy lost in the last step (of the other
// parity).
template <class T>
void launch_sample_receivers(const WallsView<T>& view, int parity, const T* u, Stream stream);
// After a restore: gathers what the taps read of u, for the next step of this parity.
template <class T>
void launch_gather_taps(const WallsView<T>& view, int parity, const T* u, Stream stream);

}  // namespace fdtd::cuda
