// The walls of a room that is a box, in the halo: mirror images of the nodes within (plan/image_walls.hpp), which every kernel then reads
// like any others, where corrections would follow it (wall_ops.hpp).
//
// Data movement: the ends of a row fall into its own last cache line or into the one before it wherever they can
// (layout.hpp); along y and z radius rows and planes a side are written besides, of which a plain halo is read as well.
#pragma once

#include <array>

#include "engine/cpu/field/layout.hpp"
#include "engine/plan/image_walls.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cpu {

// Do images take less time than corrections? For stencils on the axes they do not (bench/results/cpu-tried.md): of what such
// a stencil would have written in the halo it reads little, and few are its corrections.
bool images_pay(const GridStencil& stencil);

class Images {
 public:
  // None at all where `mirror` has none. `layout` has to outlive them.
  Images(const Layout& layout, const GridStencil& stencil, const ImageWalls& mirror);
  bool any() const { return mirror_.sides; }

  // The images of a tile's nodes, which have got their values and keep them for this step. They lie no further from a reader than
  // the nodes themselves: what orders tiles orders their images.
  template <class T>
  void make(const Tile& tile, T* u) const {
    if (any()) make_rows(tile.y_begin, tile.y_end, tile.z_begin, tile.z_end, u);
  }
  // The same of whole planes [begin, end), which may lie in the halo: a neighbour's, for which z has no images.
  template <class T>
  void make_planes(int begin, int end, T* u) const {
    if (any()) make_rows(0, layout_->size[1], begin, end, u);
  }

 private:
  // Of one coordinate: itself, then its images.
  struct Places {
    std::array<int, 3> at{};
    int count = 0;
  };
  Places places(int axis, int at) const;
  template <class T>
  void make_rows(int y_begin, int y_end, int z_begin, int z_end, T* u) const;

  const Layout* layout_;
  ImageWalls mirror_;
  std::array<int, 3> below_{}, above_{};  // nodes up to so far from a wall have images behind it
};

}  // namespace fdtd::cpu
