// Rooms with narrow openings to the outside, as models of real rooms have them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

inline const std::array<std::string, 6> all_walls = {"wall", "wall", "wall", "wall", "wall", "wall"};

// A box of `size` whose wall x = 0 has rectangles left out: y_low, y_high, z_low, z_high.
using Rectangle = std::array<double, 4>;
inline void add_wall_with_holes(Mesh& mesh, double x, double width, double height, const std::vector<Rectangle>& holes,
                                const std::string& material, const Turn& turn) {
  std::vector<double> ys{0.0, width}, zs{0.0, height};
  for (const Rectangle& hole : holes) {
    ys.insert(ys.end(), {hole[0], hole[1]});
    zs.insert(zs.end(), {hole[2], hole[3]});
  }
  for (auto* list : {&ys, &zs}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (std::size_t i = 0; i + 1 < ys.size(); ++i)
    for (std::size_t k = 0; k + 1 < zs.size(); ++k) {
      const bool left_out = std::any_of(holes.begin(), holes.end(), [&](const Rectangle& hole) {
        return hole[0] <= ys[i] && ys[i + 1] <= hole[1] && hole[2] <= zs[k] && zs[k + 1] <= hole[3];
      });
      if (!left_out)
        add_quad(mesh,
                 {Place{x, ys[i], zs[k]}, {x, ys[i + 1], zs[k]}, {x, ys[i + 1], zs[k + 1]}, {x, ys[i], zs[k + 1]}},
                 material, turn);
    }
}

inline Mesh room_with_holes(const Place& size, const std::vector<Rectangle>& holes, const Turn& turn = unturned) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, size, {"", "wall", "wall", "wall", "floor", "ceiling"}, turn);
  add_wall_with_holes(mesh, 0.0, size[1], size[2], holes, "front", turn);
  merge_vertices(mesh);
  return mesh;
}

// A box whose wall x = 0, of the material "front", ends `gap` below the ceiling.
inline Mesh room_with_short_wall(const Place& size, double gap, const Turn& turn = unturned) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, size, {"", "wall", "wall", "wall", "floor", "ceiling"}, turn);
  add_quad(mesh, {Place{0, 0, 0}, {0, size[1], 0}, {0, size[1], size[2] - gap}, {0, 0, size[2] - gap}}, "front", turn);
  merge_vertices(mesh);
  return mesh;
}

// A box of six walls, each ending `gap` from its neighbours.
inline Mesh room_of_separate_walls(const Place& size, double gap, const Turn& turn = unturned) {
  Mesh mesh;
  for (std::size_t d = 0; d < 3; ++d)
    for (const double at : {0.0, size[d]}) {
      Place low{gap, gap, gap}, high{size[0] - gap, size[1] - gap, size[2] - gap};
      low[d] = high[d] = at;
      std::array<std::string, 6> one;
      one[2 * d] = "wall";
      add_box(mesh, low, high, one, turn);
    }
  merge_vertices(mesh);
  return mesh;
}

// A studio of 7 x 5.6 x 3 m: a beam, solid, of 0.3 x 0.4 m lies on one wall, `gap` below the ceiling, which ends above
// its outer edge: a slit of 5.6 m leads over the beam outside.
inline Mesh studio(double gap, const Turn& turn = unturned) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {7, 5.6, 3}, {"", "wall", "wall", "wall", "floor", "ceiling"}, turn);
  add_quad(mesh, {Place{-0.2, 0, 3}, {0, 0, 3}, {0, 5.6, 3}, {-0.2, 5.6, 3}}, "ceiling", turn);
  for (const double y : {0.0, 5.6})
    add_quad(mesh, {Place{-0.2, y, 2.5}, {0, y, 2.5}, {0, y, 3}, {-0.2, y, 3}}, "wall", turn);
  add_quad(mesh, {Place{0, 0, 0}, {0, 5.6, 0}, {0, 5.6, 2.6}, {0, 0, 2.6}}, "wall", turn);
  add_box(mesh, {-0.2, 0, 2.6}, {0.1, 5.6, 3.0 - gap}, {"beam", "beam", "beam", "beam", "beam", "beam"}, turn);
  merge_vertices(mesh);
  return mesh;
}

// Walls, floor and ceiling 0.2 m thick, of blocks that touch, about 4 x 3 x 2.5 m; in a doorway of 1 x 2.1 m in the wall
// x < 0 a solid leaf with `gap` on all sides.
inline Mesh room_of_blocks(double gap, const Turn& turn = unturned) {
  Mesh mesh;
  const double t = 0.2;
  const auto block = [&](const Place& low, const Place& high, const std::string& material) {
    add_box(mesh, low, high, {material, material, material, material, material, material}, turn);
  };
  block({-t, -t, -t}, {4 + t, 3 + t, 0}, "wall");
  block({-t, -t, 2.5}, {4 + t, 3 + t, 2.5 + t}, "wall");
  block({4, -t, 0}, {4 + t, 3 + t, 2.5}, "wall");
  block({-t, -t, 0}, {4, 0, 2.5}, "wall");
  block({-t, 3, 0}, {4, 3 + t, 2.5}, "wall");
  block({-t, 0, 0}, {0, 1, 2.5}, "wall");
  block({-t, 2, 0}, {0, 3, 2.5}, "wall");
  block({-t, 1, 2.1}, {0, 2, 2.5}, "wall");
  block({-0.1, 1 + gap, gap}, {-0.05, 2 - gap, 2.1 - gap}, "leaf");
  merge_vertices(mesh);
  return mesh;
}

}  // namespace fdtd::test
