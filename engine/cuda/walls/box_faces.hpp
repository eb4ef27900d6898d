// The faces of a room that is a box: sites.hpp's groups of nodes that are alike to the last weight and form a
// rectangle. Where the marching kernel mirrors the walls (plan/image_walls.hpp) nothing is left to correct, and what such a node
// needs besides its own values is known before the launch: all of it comes as the launch's parameter, and where a node
// lies is arithmetic. So a thread asks for q, V and G at once, for u0 as soon as it is there, and waits for memory once.
// The order of nodes, and so that of q, V, G and `lost`, is the groups'.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/walls/branch_update.hpp"
#include "engine/cuda/walls/loss_sums.hpp"
#include "engine/cuda/walls/rectangle.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t most_faces = 8;                           // of a launch: what its parameter holds
inline constexpr std::uint32_t least_face_taps = 2, most_face_taps = 3;  // as wall_taps.hpp makes them
inline constexpr std::uint32_t blocks_together = 16;
inline constexpr std::uint32_t worthwhile_nodes = 150000;  // so many nodes of faces are worth a launch

// As SiteGroup has it, without what only corrections need.
template <class T>
struct BoxFace {
  std::uint32_t first_block, count;   // of the launch's blocks (view_of); nodes
  std::uint32_t node, state, stride;  // first of its nodes (q, lost) and of its V and G; from branch to branch
  std::uint32_t branches, taps;
  Rectangle place;
  std::int64_t base;          // of the first value that the face reads; from there 32 bits are enough
  std::uint32_t first, step;  // of node 0, from the base; from node to node of a column, mod 2^32
  T tap[max_column];
  T inverse_square;
  T value[4];
  LawCoefficients<T> law;
  BranchCoefficients<T> branch[max_face_branches];
};

// All that the launch reads but the fields, by value.
template <class T>
struct FacesView {
  BoxFace<T> face[most_faces];  // behind the last: no blocks
  std::uint32_t blocks = 0;
  std::uint32_t branches = 0, taps = 0;  // of a face: the most; all have the same
  T *V, *G;
  T *q[2], *lost[2];  // SiteView's

  std::uint32_t runs = 0;    // of blocks_together blocks; what is left of these comes last
  std::uint32_t stride = 1;  // from a run to the one that comes next

  // The block that comes as the `n`th: runs of all faces in turns. While memory opens a row for every node of a wall
  // across x, it gives those of others whole rows.
  FDTD_BOTH std::uint32_t block_at(std::uint32_t n) const {
    constexpr std::uint32_t together = blocks_together;
    return n / together < runs ? n / together * stride % runs * together + n % together : n;
  }
  FDTD_BOTH std::uint32_t face_of(std::uint32_t block) const {
    std::uint32_t f = 0;
    FDTD_UNROLL
    for (std::uint32_t k = 1; k < most_faces; ++k) f += block >= face[k].first_block ? 1 : 0;
    return f;
  }
};

// Takes the largest faces out of the groups that `work` settles (walls.cu), and puts their groups behind those. None
// where they have fewer than `least` nodes in all; results do not depend on it. A face that has anything to correct is
// never taken.
template <class T>
std::vector<BoxFace<T>> take_faces(SiteTables<T>& sites, std::uint64_t least = worthwhile_nodes);

// A launch of these faces, all of them or some.
template <class T>
FacesView<T> view_of(const std::vector<BoxFace<T>>& faces, const SiteView<T>& sites);

// The faces of a step of this parity, u0 the array's first value, and the losses of the step before; nothing is launched where
// there are no faces.
template <class T>
void launch_faces(const FacesView<T>& view, const LossesView<T>& losses, int parity, T* u0, Stream stream);

// What settle.hpp asks of a group, the number of taps known when it is compiled.
template <class T, int taps>
struct FaceColumn {
  static constexpr std::uint32_t column = taps, tap_count = taps;
  std::uint32_t step;
  T inverse_square;
  const T (&tap)[max_column];
};

// until_u0(): waits for what the launch before, of the same step, has written of u0. All else that a node needs is older.
template <class T, int taps, int most, class Wait>
FDTD_BOTH void settle_node(const FacesView<T>& view, const BoxFace<T>& face, std::uint32_t i, int parity, T* u0,
                           const Wait& until_u0) {
  const FaceColumn<T, taps> g{face.step, face.inverse_square, face.tap};
  const Kept<T, std::uint32_t> kept{view.V, view.G, view.q[parity], face.node + i, face.state + i, face.stride};
  const int branches = most == 1 ? 1 : static_cast<int>(face.branches);
  const Past<T, most> past = past_of<T, most>(kept, branches);
  T* const u = u0 + face.base;
  const std::uint32_t at = face.first + face.place.offset(i);
  until_u0();
  T r[max_column];
  load_line(g, at, u, r);
  Column<T> column = column_of(g, r);
  const double lost = settle<T, most>(kept, past, g, face.law, face.branch, face.value, column, branches);
  store_line(g, at, column.r, u);
  view.lost[parity][kept.node] = static_cast<T>(lost);
}

// A thread's work, on faces of up to `most` branches. u0 holds the room's S u1 - u-.
template <class T, int taps, int most, class Wait>
FDTD_BOTH void settle_face(const FacesView<T>& view, std::uint32_t block, std::uint32_t thread, int parity, T* u0,
                           const Wait& until_u0) {
  const BoxFace<T>& face = view.face[view.face_of(block)];
  const std::uint32_t i = (block - face.first_block) * site_threads + thread;
  if (i < face.count) settle_node<T, taps, most>(view, face, i, parity, u0, until_u0);
}

}  // namespace fdtd::cuda
