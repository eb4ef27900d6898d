// The blocks that the marching kernels without tensor copies are compiled for: a table each, from whose rows kernels are
// instantiated. Plain data: tests read it without a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/cuda/field/cube_weights.hpp"
#include "engine/cuda/kernels/table_rows.hpp"

namespace fdtd::cuda {

struct MarchBlock {
  int group;  // rows of a group are compiled together
  int radius;
  std::uint64_t shells;  // plane_sums: those that the kernel adds
  int x, y, vectors;     // threads, and the vectors of each
  bool in_float, in_double;

  template <class T>
  constexpr bool compiled_in() const {
    return sizeof(T) == sizeof(float) ? in_float : in_double;
  }
};

namespace compiled_blocks {

struct Threads {
  int x, y, vectors;
};
// A shape of stencils, and the blocks that its registers leave room for.
struct Shape {
  int group, radius;
  std::uint64_t shells;
  std::span<const Threads> in_float, in_double;
};

template <const auto& shapes>
constexpr std::size_t count_rows() {
  std::size_t count = 0;
  for (const Shape& shape : shapes) count += shape.in_float.size() + shape.in_double.size();
  return count;
}
template <const auto& shapes>
constexpr auto rows_of() {
  std::array<MarchBlock, count_rows<shapes>()> rows{};
  std::size_t at = 0;
  for (const Shape& shape : shapes)
    for (const bool in_float : {true, false})
      for (const Threads& block : in_float ? shape.in_float : shape.in_double)
        rows[at++] = {shape.group, shape.radius, shape.shells, block.x, block.y, block.vectors, in_float, !in_float};
  return rows;
}

// Leggy stencils.
inline constexpr std::array<Threads, 3> star_long = {{{16, 16, 1}, {8, 32, 1}, {32, 8, 1}}};
inline constexpr std::array<Threads, 4> star_medium = {{{16, 24, 1}, {16, 16, 1}, {8, 32, 1}, {32, 8, 1}}};
inline constexpr std::array<Threads, 4> star_eight = {{{16, 32, 1}, {32, 16, 1}, {16, 16, 1}, {8, 32, 1}}};
inline constexpr std::array<Threads, 5> star_short = {{{16, 16, 1}, {8, 32, 1}, {32, 8, 1}, {16, 32, 1}, {32, 16, 1}}};
inline constexpr std::array<Shape, 20> star_shapes = {{
    {0, 1, 0, star_short, star_short},    {0, 2, 0, star_short, star_short},    {0, 3, 0, star_short, star_short},
    {0, 4, 0, star_short, star_short},    {0, 5, 0, star_short, star_short},    {0, 6, 0, star_short, star_short},
    {0, 7, 0, star_short, star_short},    {1, 8, 0, star_eight, star_eight},    {1, 9, 0, star_medium, star_medium},
    {1, 10, 0, star_medium, star_medium}, {1, 11, 0, star_medium, star_medium}, {1, 12, 0, star_medium, star_medium},
    {1, 13, 0, star_long, star_long},  // 16 x 24 spills in double where there is no sm_90
    {2, 14, 0, star_long, star_long},     {2, 15, 0, star_long, star_long},     {2, 16, 0, star_long, star_long},
    {2, 17, 0, star_long, star_long},     {2, 18, 0, star_long, star_long},     {2, 19, 0, star_long, star_long},
    {2, 20, 0, star_long, star_long},
}};
inline constexpr auto star = rows_of<star_shapes>();

// Stencils with the cube's symmetries. At radius 4 the registers of double leave room for 128 threads a block (168 each,
// three blocks). Compact-4, 5, 6 and 8 are the same sets as box-200, 210, 211 and 220, compact-12, 13 and 14 as box-311,
// 320 and 321; the full cube of 729 points is for users' stencils.
inline constexpr std::array<Threads, 6> usual = {
    {{16, 16, 1}, {32, 8, 1}, {16, 8, 1}, {32, 4, 1}, {16, 8, 2}, {16, 16, 2}}};
inline constexpr std::array<Threads, 7> large = {
    {{16, 16, 1}, {32, 8, 1}, {16, 8, 1}, {32, 4, 1}, {16, 8, 2}, {16, 16, 2}, {32, 16, 1}}};
inline constexpr std::array<Threads, 4> small = {{{16, 8, 1}, {32, 4, 1}, {8, 16, 1}, {16, 8, 2}}};
inline constexpr std::array<Shape, 31> plane_sums_shapes = {{
    {0, 1, box_shells_up_to(1, 0, 0), large, large}, {0, 1, box_shells_up_to(1, 1, 0), large, large},
    {0, 1, box_shells_up_to(1, 1, 1), large, large}, {0, 2, box_shells_up_to(2, 0, 0), large, large},
    {0, 2, box_shells_up_to(2, 1, 0), large, large}, {1, 2, box_shells_up_to(2, 1, 1), large, large},
    {1, 2, box_shells_up_to(2, 2, 0), large, large}, {1, 2, box_shells_up_to(2, 2, 1), large, large},
    {1, 2, box_shells_up_to(2, 2, 2), large, large}, {2, 3, compact_shells_up_to(9), large, large},
    {2, 3, compact_shells_up_to(10), large, large},  {2, 3, compact_shells_up_to(11), large, large},
    {2, 3, box_shells_up_to(3, 0, 0), large, large}, {3, 3, box_shells_up_to(3, 1, 0), large, large},
    {3, 3, box_shells_up_to(3, 1, 1), large, large}, {3, 3, box_shells_up_to(3, 2, 0), large, large},
    {3, 3, box_shells_up_to(3, 2, 1), large, large}, {4, 3, box_shells_up_to(3, 2, 2), large, large},
    {4, 3, box_shells_up_to(3, 3, 0), large, large}, {5, 3, box_shells_up_to(3, 3, 1), large, large},
    {5, 3, box_shells_up_to(3, 3, 2), large, large}, {5, 3, box_shells_up_to(3, 3, 3), large, large},
    {6, 4, box_shells_up_to(4, 0, 0), usual, small}, {6, 4, compact_shells_up_to(16), usual, small},
    {6, 4, compact_shells_up_to(17), usual, small},  {7, 4, compact_shells_up_to(18), usual, small},
    {7, 4, compact_shells_up_to(19), usual, small},  {8, 4, compact_shells_up_to(20), usual, small},
    {8, 4, compact_shells_up_to(21), usual, small},  {9, 4, compact_shells_up_to(22), usual, small},
    {9, 4, box_shells_up_to(4, 4, 4), usual, small},
}};
inline constexpr auto plane_sums = rows_of<plane_sums_shapes>();

}  // namespace compiled_blocks

}  // namespace fdtd::cuda
