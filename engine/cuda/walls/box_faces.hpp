// Faces of a room: groups of equal boundary nodes (boundary_groups.hpp) that form a rectangle, updated by a kernel of
// their own.
//
// All that a node needs besides its own values is known before the launch: it is the launch's parameter, and a node's
// address is arithmetic.
// So a thread requests q, V and G at once, u0 as soon as it is written, and waits for memory once. Nodes keep the order
// of their group, and so do q, V, G and `lost`.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/walls/branch_update.hpp"
#include "engine/cuda/walls/loss_sums.hpp"
#include "engine/cuda/walls/rectangle.hpp"

namespace fdtd::cuda {

// boundary_groups.hpp, which kernels that know faces alone leave out
template <class T>
struct BoundaryTables;
template <class T>
struct BoundaryView;

inline constexpr std::uint32_t max_faces = 8;                         // of a launch: what its parameter holds
inline constexpr std::uint32_t min_face_taps = 2, max_face_taps = 8;  // as wall_taps.hpp makes them
inline constexpr std::uint32_t blocks_together = 16;
inline constexpr std::uint32_t worthwhile_nodes = 150000;  // so many nodes of faces are worth a launch

// As BoundaryGroup has it.
template <class T>
struct BoxFace {
  std::uint32_t first_block, count;   // of the launch's blocks (view_of); nodes
  std::uint32_t node, state, stride;  // first of its nodes (q, lost) and of its V and G; from branch to branch
  std::uint32_t branches, taps;
  Rectangle place;
  std::int64_t base;          // of the first value that the face reads; from there 32 bits are enough
  std::uint32_t first, step;  // of node 0, from the base; from node to node of a column, mod 2^32
  T tap[max_taps];
  T inverse_square;
  T value[4];
  LawCoefficients<T> law;
  BranchCoefficients<T> branch[max_face_branches];
};

// All that the launch reads but the fields, by value.
template <class T>
struct FacesView {
  BoxFace<T> face[max_faces];  // behind the last: no blocks
  std::uint32_t blocks = 0;
  std::uint32_t branches = 0, taps = 0;  // of a face: the most; all have the same
  BranchValues<T*> state;
  T *q[2], *lost[2];  // BoundaryView's

  std::uint32_t runs = 0;    // of blocks_together blocks; the rest of these comes last
  std::uint32_t stride = 1;  // from a run to the one that comes next

  // The block that comes as the `n`th: runs of all faces in turns. While memory opens a row for every node of a wall
  // across x, it gives those of others whole rows.
  FDTD_HOST_DEVICE std::uint32_t block_at(std::uint32_t n) const {
    constexpr std::uint32_t together = blocks_together;
    return n / together < runs ? n / together * stride % runs * together + n % together : n;
  }
  FDTD_HOST_DEVICE std::uint32_t face_of(std::uint32_t block) const {
    std::uint32_t f = 0;
    FDTD_UNROLL
    for (std::uint32_t k = 1; k < max_faces; ++k) f += block >= face[k].first_block ? 1 : 0;
    return f;
  }
};

// Moves the largest faces out of the groups that the kernel boundary_step updates (walls.cu), behind the others. None
// where they have fewer than `least` nodes in all; results do not depend on it.
template <class T>
std::vector<BoxFace<T>> take_faces(BoundaryTables<T>& sites, std::uint64_t least = worthwhile_nodes);

// A launch of these faces, all of them or some.
template <class T>
FacesView<T> view_of(const std::vector<BoxFace<T>>& faces, const BoundaryView<T>& sites);

// The faces of a step of this parity, u0 the array's first value, and the losses of the step before; nothing is
// launched where there are no faces.
template <class T>
void launch_faces(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream);

// The data of a group for branch_update.hpp, with a number of taps known at compile time, up to max_column.
template <class T, int taps>
struct FaceColumn {
  static constexpr std::uint32_t column = taps, tap_count = taps;
  std::uint32_t step;
  T inverse_square;
  const T (&tap)[max_taps];
};
// More than a column holds: any number up to max_taps.
template <class T>
struct FaceColumn<T, max_taps> {
  std::uint32_t column, tap_count, step;
  T inverse_square;
  const T (&tap)[max_taps];
};

// until_u0() waits until the previous launch of the same step has written u0. All other values that a node needs are
// older.
template <class T, int taps, int max_branches, class Wait>
FDTD_HOST_DEVICE void update_box_face_node(const FacesView<T>& view, const BoxFace<T>& face, std::uint32_t i,
                                           int parity, T* u0, const Wait& until_u0) {
  static_assert(taps <= max_column || taps == max_taps);
  const FaceColumn<T, taps> g = [&] {
    if constexpr (taps == max_taps)
      return FaceColumn<T, taps>{face.taps, face.taps, face.step, face.inverse_square, face.tap};
    else
      return FaceColumn<T, taps>{face.step, face.inverse_square, face.tap};
  }();
  const BranchState<T, std::uint32_t> own{view.state, view.q[parity], face.node + i, face.state + i, face.stride};
  const int branches = max_branches == 1 ? 1 : static_cast<int>(face.branches);
  const PreviousState<T, max_branches> previous = previous_state<T, max_branches>(own, branches);
  T* const u = u0 + face.base;
  const std::uint32_t at = face.first + face.place.offset(i);
  until_u0();
  T r[taps == max_taps ? max_taps : max_column];
  load_line(g, at, u, r);
  auto column = column_of(g, r);
  const double lost =
      update_branches<T, max_branches>(own, previous, g, face.law, face.branch, face.value, column, branches);
  store_line(g, at, column.r, u);
  view.lost[parity][own.node] = static_cast<T>(lost);
}

// A thread's work, on faces of up to `most` branches. u0 holds the room's S u1 - u-.
template <class T, int taps, int max_branches, class Wait>
FDTD_HOST_DEVICE void update_box_face(const FacesView<T>& view, std::uint32_t block, std::uint32_t thread, int parity,
                                      T* u0, const Wait& until_u0) {
  const BoxFace<T>& face = view.face[view.face_of(block)];
  const std::uint32_t i = (block - face.first_block) * boundary_threads + thread;
  if (i < face.count) update_box_face_node<T, taps, max_branches>(view, face, i, parity, u0, until_u0);
}

}  // namespace fdtd::cuda
