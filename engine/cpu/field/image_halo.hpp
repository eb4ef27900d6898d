// The walls of a room that is a box, in the halo: mirror images of the nodes inside (plan/image_walls.hpp). Every
// kernel then reads them like other nodes, instead of corrections after it (near_wall_ops.hpp).
//
// Data movement: the ends of a row lie in its own last cache line or the one before it where possible (layout.hpp);
// along y and z the radius' rows and planes are also written at each side, and read as those of a plain halo are.
#pragma once

#include <array>
#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/plan/image_walls.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cpu {

// Are images faster than corrections? Not for stencils on the axes (docs/performance/cpu-tried.md): these have few
// corrections and would read little of the halo.
bool image_halo_pays(const GridStencil& stencil);

class ImageHalo {
 public:
  // Without walls in `mirror` there are no images. `layout` must outlive the object.
  ImageHalo(const Layout& layout, const GridStencil& stencil, const ImageWalls& mirror);
  bool any() const { return mirror_.sides; }

  // Writes the images of a tile's nodes, whose values are final in this step. An image is no further from a reader than
  // the node itself: dependences between tiles cover their images.
  template <class T>
  void make(const Tile& tile, T* u) const {
    if (any()) make_rows(tile.y_begin, tile.y_end, tile.z_begin, tile.z_end, u);
  }
  // The same for whole planes [begin, end), which may be a neighbour's planes in the halo; without images across z.
  template <class T>
  void make_planes(int begin, int end, T* u) const {
    if (any()) make_rows(0, layout_->size[1], begin, end, u);
  }

 private:
  // A coordinate, then its images.
  struct Places {
    std::array<int, 3> at{};
    int count = 0;
  };
  Places places(int axis, int at) const;
  Places plane_places(int z) const {
    return z >= 0 && z < layout_->size[2] ? of_plane_[static_cast<std::size_t>(z)] : Places{{z}, 1};
  }
  template <class T>
  void make_rows(int y_begin, int y_end, int z_begin, int z_end, T* u) const;

  const Layout* layout_;
  ImageWalls mirror_;
  std::array<int, 3> below_{}, above_{};  // nodes up to this distance from a wall have images behind it
  std::vector<Places> of_row_, of_plane_;
};

}  // namespace fdtd::cpu
