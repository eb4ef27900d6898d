#include "engine/cuda/walls/row_ends.hpp"

#include <algorithm>
#include <array>

#include "engine/cuda/walls/boundary_groups.hpp"

namespace fdtd::cuda {
namespace {

struct At {
  int side, y, z;
};

// Which wall across x the face is, and where its first node lies; none: it is no end of rows.
template <class T>
std::optional<At> end_at(const BoxFace<T>& face, const Layout& layout) {
  const bool low = face.step == 1, high = face.step == static_cast<std::uint32_t>(-1);
  if ((!low && !high) || face.taps > max_end_taps) return std::nullopt;
  const bool along_y = face.place.width == 1 || face.place.offset(1) == layout.row;
  const bool by_planes = face.count <= face.place.width || face.place.offset(face.place.width) == layout.plane;
  if (!along_y || !by_planes) return std::nullopt;
  const std::int64_t node = face.base + face.first - layout.first;
  const std::int64_t z = node / layout.plane, y = node % layout.plane / layout.row, x = node % layout.row;
  if (x != (low ? 0 : layout.size[0] - 1)) return std::nullopt;
  return At{low ? 0 : 1, static_cast<int>(y), static_cast<int>(z)};
}

}  // namespace

template <class T>
std::optional<MarchRowEnds<T>> take_row_ends(std::vector<BoxFace<T>>& faces, const Layout& layout,
                                             std::span<const int> widths) {
  std::array<std::size_t, 2> found{faces.size(), faces.size()};
  MarchRowEnds<T> ends{};
  for (std::size_t f = 0; f < faces.size(); ++f) {  // the largest come first
    const auto at = end_at(faces[f], layout);
    if (!at || ends.has[at->side]) continue;
    ends.has[at->side] = true;
    ends.taps = faces[f].taps;  // a launch's faces have taps in common
    ends.face[at->side] = faces[f];
    ends.y[at->side] = at->y, ends.z[at->side] = at->z;
    found[static_cast<std::size_t>(at->side)] = f;
  }
  const bool there[2] = {ends.has[0], ends.has[1]};
  const auto held = [&](bool low, bool high) {
    ends.has[0] = low && there[0], ends.has[1] = high && there[1];
    return (ends.has[0] || ends.has[1]) &&
           std::ranges::any_of(widths, [&](int width) { return holds_row_ends(ends, layout.size[0], width); });
  };
  if (!held(true, true) && !held(true, false) && !held(false, true)) return std::nullopt;
  std::vector<BoxFace<T>> left;
  for (std::size_t f = 0; f < faces.size(); ++f)
    if (!(ends.has[0] && f == found[0]) && !(ends.has[1] && f == found[1])) left.push_back(faces[f]);
  faces.swap(left);
  return ends;
}

template <class T>
MarchRowEnds<T> placed(MarchRowEnds<T> ends, const BoundaryView<T>& sites) {
  ends.state = sites.state;
  for (int parity = 0; parity < 2; ++parity) {
    ends.q[parity] = sites.q[parity];
    ends.lost[parity] = sites.lost[parity];
  }
  return ends;
}

template std::optional<MarchRowEnds<float>> take_row_ends(std::vector<BoxFace<float>>&, const Layout&,
                                                          std::span<const int>);
template std::optional<MarchRowEnds<double>> take_row_ends(std::vector<BoxFace<double>>&, const Layout&,
                                                           std::span<const int>);
template MarchRowEnds<float> placed(MarchRowEnds<float>, const BoundaryView<float>&);
template MarchRowEnds<double> placed(MarchRowEnds<double>, const BoundaryView<double>&);

}  // namespace fdtd::cuda
