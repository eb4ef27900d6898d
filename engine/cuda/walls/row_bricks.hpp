// Near-wall corrections whose rows are long, of stencils of 57 points and more within two nodes (125 at most), by bricks
// of the room: a warp has a row's weights in its registers, a lane every 32nd of the 125 points, and adds for up to
// eight nodes of that row at a time, from u1 that the tensor copy engine has brought to shared memory.
//
// A thread a node reads a row of weights and places for itself (near_wall.hpp): in 32 neighbours 23 rows differ, since
// walls are oblique, and the reading of rows is most of the time. Here a row is read once for up to eight nodes, and
// points that it does not use are weights of zero. The sum of a node has an order of its own, the same whatever nodes
// share its warp: lane by lane, then halves of the warp in turns. So a stencil's rows are added in this order or in that
// of near_wall.hpp, never in both; only rows in which two weights of one place cannot become one without rounding stay
// there.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd::cuda {

inline constexpr int brick_radius = 2, brick_side = 2 * brick_radius + 1, brick_points = 125;
inline constexpr std::array<int, 3> brick_size = {16, 14, 8};
// A brick of u1 with its halo, in x as wide as copies want it.
inline constexpr int brick_halo_x = 4;
inline constexpr std::array<int, 3> brick_box = {brick_size[0] + 2 * brick_halo_x, brick_size[1] + 2 * brick_radius,
                                                 brick_size[2] + 2 * brick_radius};
inline constexpr std::uint32_t unit_nodes = 8, unit_row_bits = 24;

struct RowBrick {
  std::int32_t x, y, z;      // of its first node
  std::uint32_t first_unit;  // its units end where the next brick's begin
};

// Of a unit's nodes: the first of their points in the box.
struct alignas(16) UnitPlaces {
  std::uint16_t of[unit_nodes];
};

template <class T>
struct RowBrickTables {
  std::vector<RowBrick> bricks;                   // ascending, and one more behind the last
  std::int64_t inside_begin = 0, inside_end = 0;  // bricks of the slab's inside
  std::vector<std::uint32_t> head;                // of a unit: its row, its nodes << unit_row_bits
  std::vector<UnitPlaces> place;
  std::vector<FourOf<T>> weights;  // 32 a row: lane l's of points l, l + 32, l + 64, l + 96

  std::int64_t count() const { return bricks.empty() ? 0 : static_cast<std::int64_t>(bricks.size()) - 1; }
};

// A node's place in the box: of the first of the points around it.
constexpr int place_in_box(int x, int y, int z) {
  return (z * brick_box[1] + y) * brick_box[0] + x + brick_halo_x - brick_radius;
}

// Is it a stencil of long rows that bricks hold?
bool has_long_rows(const GridStencil& stencil);

// Moves the nodes whose rows bricks take out of `near`, whose rows stay; `inside`: planes of a slab that read no
// neighbour's.
template <class T>
RowBrickTables<T> take_long_rows(NearTables<T>& near, const Layout& layout, std::pair<int, int> inside);

// On the GPU, bound to the two arrays.
template <class T>
class RowBricks {
 public:
  RowBricks(const RowBrickTables<T>& tables, const Layout& layout, std::array<void*, 2> fields);
  // u1 = fields[which], u0 the other. Launches nothing where there is nothing to do.
  void launch(NearPart part, int which, Stream stream) const;
  std::int64_t borders() const;  // bricks that read a neighbour's planes
  bool empty() const { return memory_ == nullptr; }

 private:
  struct Memory;
  std::shared_ptr<const Memory> memory_;  // none: no bricks
};

}  // namespace fdtd::cuda
