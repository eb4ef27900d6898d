#include "engine/cuda/kernels/march/blocks.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <tuple>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cuda;

namespace {

template <class T>
void check_rows(std::span<const MarchBlock> table) {
  std::set<std::tuple<int, std::uint64_t, int, int, int>> seen;
  for (const MarchBlock& row : table) {
    if (!row.compiled_in<T>()) continue;
    CAPTURE(sizeof(T), row.radius, row.shells, row.x, row.y, row.vectors);
    CHECK(row.x * row.y % 32 == 0);
    CHECK(row.x * row.y <= 512);
    CHECK(seen.insert({row.radius, row.shells, row.x, row.y, row.vectors}).second);
  }
}

template <class T>
bool has_block(std::span<const MarchBlock> table, int radius, std::uint64_t shells) {
  return std::ranges::any_of(table, [&](const MarchBlock& row) {
    return row.compiled_in<T>() && row.radius == radius && (shells & ~row.shells) == 0;
  });
}

template <class T>
void check_stencils() {
  for (int M = 1; M <= 20; ++M) CHECK(has_block<T>(compiled_blocks::star, M, 0));
  for (int R = 1; R <= 4; ++R) CHECK(has_block<T>(compiled_blocks::plane_sums, R, box_shells_up_to(R, R, R)));
}

}  // namespace

TEST_CASE("every block of the tables has whole warps, at most 512 threads, and stands there once") {
  for (const auto table :
       {std::span<const MarchBlock>(compiled_blocks::star), std::span<const MarchBlock>(compiled_blocks::plane_sums)}) {
    check_rows<float>(table);
    check_rows<double>(table);
  }
}

TEST_CASE("every leggy stencil and every cube up to radius 4 has a block in both precisions") {
  check_stencils<float>();
  check_stencils<double>();
}

TEST_CASE("the shapes of the table grow with their shells, and every compact shape is that of its sum of squares") {
  for (const compiled_blocks::Shape& shape : compiled_blocks::plane_sums_shapes) {
    CAPTURE(shape.radius, shape.shells);
    CHECK((shape.shells & shell_bit(shape.radius, 0, 0)) != 0);
    CHECK((shape.shells >> shell_number(shape.radius, shape.radius, shape.radius)) <= 1);
  }
}
