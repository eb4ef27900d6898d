#include "engine/cpu/field/image_halo.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace fdtd::cpu {
namespace {

// Writes the images at both ends of consecutive rows, `Reach` nodes each; 0: `reach`, known at run time only.
template <int Reach, class T>
void make_ends(T* row, std::ptrdiff_t step, int rows, std::ptrdiff_t nodes, int reach) {
  const int count = Reach > 0 ? Reach : reach;
  for (int r = 0; r < rows; ++r, row += step) {
    T* const end = row + nodes;
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k) {
      row[-1 - k] = row[k];
      end[k] = end[-1 - k];
    }
  }
}

template <class T>
void make_ends(T* row, std::ptrdiff_t step, int rows, std::ptrdiff_t nodes, int reach) {
  const auto make = reach == 1   ? make_ends<1, T>
                    : reach == 2 ? make_ends<2, T>
                    : reach == 3 ? make_ends<3, T>
                    : reach == 4 ? make_ends<4, T>
                                 : make_ends<0, T>;
  make(row, step, rows, nodes, reach);
}

}  // namespace

bool image_halo_pays(const GridStencil& stencil) { return stencil.family != Family::leggy; }

ImageHalo::ImageHalo(const Layout& layout, const GridStencil& stencil, const ImageWalls& mirror)
    : layout_(&layout), mirror_(mirror) {
  for (const Term& term : stencil.terms) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (term.weight != 0.0) below_[axis] = std::max(below_[axis], std::abs(term.offset[axis]));
  }
  above_ = below_;
  if (!mirror.below) below_[2] = 0;
  if (!mirror.above) above_[2] = 0;
  for (int y = 0; any() && y < layout.size[1]; ++y) of_row_.push_back(places(1, y));
  for (int z = 0; any() && z < layout.size[2]; ++z) of_plane_.push_back(places(2, z));
}

ImageHalo::Places ImageHalo::places(int axis, int at) const {
  const auto d = static_cast<std::size_t>(axis);
  Places places{{at}, 1};
  if (at < below_[d]) places.at[static_cast<std::size_t>(places.count++)] = -1 - at;
  const int mirrored = 2 * layout_->size[d] - 1 - at;
  if (mirrored < layout_->size[d] + above_[d]) places.at[static_cast<std::size_t>(places.count++)] = mirrored;
  return places;
}

template <class T>
void ImageHalo::make_rows(int y_begin, int y_end, int z_begin, int z_end, T* u) const {
  const auto [nx, ny, nz] = layout_->size;
  const int reach = below_[0];
  const bool inside =
      y_begin >= below_[1] && y_end <= ny - above_[1] && z_begin >= below_[2] && z_end <= nz - above_[2];
  const auto bytes = static_cast<std::size_t>(nx + 2 * reach) * sizeof(T);
  for (int z = z_begin; z < z_end; ++z) {
    make_ends(u + layout_->offset(0, y_begin, z), layout_->row, y_end - y_begin, nx, reach);
    if (inside) continue;
    const Places planes = plane_places(z);
    for (int y = y_begin; y < y_end; ++y) {
      const Places& rows = of_row_[static_cast<std::size_t>(y)];
      const T* const from = u + layout_->offset(-reach, y, z);
      for (int k = 0; k < planes.count; ++k)
        for (int r = k == 0 ? 1 : 0; r < rows.count; ++r)
          std::memcpy(
              u + layout_->offset(-reach, rows.at[static_cast<std::size_t>(r)], planes.at[static_cast<std::size_t>(k)]),
              from, bytes);
    }
  }
}

template void ImageHalo::make_rows(int, int, int, int, float*) const;
template void ImageHalo::make_rows(int, int, int, int, double*) const;

}  // namespace fdtd::cpu
