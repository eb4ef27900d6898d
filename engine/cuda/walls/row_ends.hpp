// Walls across x that the marching kernel settles itself: the ends of rows. In memory every node of such a wall lies by
// itself, and a launch that comes after the march pays 0.1 ns for each; the march has them at hand (march_ends.cuh). Of the
// faces of a room that is a box (faces.hpp) the largest at x = 0 and the largest at x = nx - 1 are taken. What they keep
// (q, V, G, `lost`) lies where it would lie otherwise, and all of it is worked to the same bits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/walls/box_faces.hpp"

namespace fdtd::cuda {

// Side 0 is x = 0, side 1 x = nx - 1.
struct EndsShape {
  bool has[2] = {};
  std::uint32_t taps = 0;
};

// Does a tile of this width have all nodes that an end's taps read, and no tile both ends? nx: nodes of a row.
inline bool holds_ends(const EndsShape& ends, int nx, int width) {
  const int first = nx - static_cast<int>(ends.taps);
  return (!ends.has[0] || width >= static_cast<int>(ends.taps)) &&
         (!ends.has[1] || (first >= 0 && first / width == (nx - 1) / width)) &&
         (!(ends.has[0] && ends.has[1]) || width < nx);
}

// A launch's parameter: the ends, or none. images: rigid walls are mirrored, as around ends they always are.
template <class T>
struct MarchEnds : EndsShape {
  static constexpr bool any = true, images = true;
  BoxFace<T> face[2];
  int y[2], z[2];  // of a face's node 0; its rows lie along y, one a plane
  T *V, *G;
  T *q[2], *lost[2];  // SiteView's
};
template <bool images_>
struct NoEnds {
  static constexpr bool any = false, images = images_;
};

// Takes them out of `faces`: both, where tiles of one of these widths hold both, or else one. None where there is none, or
// no width holds any. Where V, G, q and `lost` are is left open (placed).
template <class T>
std::optional<MarchEnds<T>> take_ends(std::vector<BoxFace<T>>& faces, const Layout& layout,
                                      std::span<const int> widths);

template <class T>
MarchEnds<T> placed(MarchEnds<T> ends, const SiteView<T>& sites);

}  // namespace fdtd::cuda
