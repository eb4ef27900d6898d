// Walls across x that the marching kernel updates itself: the first and last nodes of every row. In memory every node
// of such a wall lies apart, and a launch after the march pays 0.1 ns for each; the march holds them in shared memory
// (tma/row_ends.cuh). Of the faces of a room that is a box (box_faces.hpp) the largest at x = 0 and the largest at x =
// nx - 1 are chosen. Their q, V, G and `lost` lie where they would lie otherwise, and all values are equal to the last
// bit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/walls/box_faces.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t max_end_taps = 3;  // of a face that the march updates: two vectors hold them

// Side 0 is x = 0, side 1 x = nx - 1.
struct RowEnds {
  bool has[2] = {};
  std::uint32_t taps = 0;
};

// Does a tile of this width hold all nodes that the taps of an end read, and no tile both ends? nx: nodes of a row.
inline bool holds_row_ends(const RowEnds& ends, int nx, int width) {
  const int first = nx - static_cast<int>(ends.taps);
  return (!ends.has[0] || width >= static_cast<int>(ends.taps)) &&
         (!ends.has[1] || (first >= 0 && first / width == (nx - 1) / width)) &&
         (!(ends.has[0] && ends.has[1]) || width < nx);
}

// A launch's parameter: the ends, or none. images: rigid walls are mirrored, as around ends they always are.
template <class T>
struct MarchRowEnds : RowEnds {
  static constexpr bool any = true, images = true;
  BoxFace<T> face[2];
  int y[2], z[2];  // of a face's node 0; its rows lie along y, one a plane
  BranchValues<T*> state;
  T *q[2], *lost[2];  // BoundaryView's
};
template <bool images_>
struct NoRowEnds {
  static constexpr bool any = false, images = images_;
};

// Moves them out of `faces`: both where tiles of one of these widths hold both, or else one; none where no width holds
// any. placed() fills in the addresses of V, G, q and `lost`.
template <class T>
std::optional<MarchRowEnds<T>> take_row_ends(std::vector<BoxFace<T>>& faces, const Layout& layout,
                                             std::span<const int> widths);

template <class T>
MarchRowEnds<T> placed(MarchRowEnds<T> ends, const BoundaryView<T>& sites);

}  // namespace fdtd::cuda
