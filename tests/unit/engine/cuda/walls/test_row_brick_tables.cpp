#include <map>

#include "engine/cuda/walls/row_bricks.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

using Weights = std::map<std::int64_t, double>;  // by the distance in the array

// Rows of nodes, by their places in the array.
template <class T>
std::map<std::int64_t, Weights> rows_of(const cuda::NearTables<T>& near) {
  std::map<std::int64_t, Weights> rows;
  for (std::size_t node = 0; node < near.groups.size(); ++node) {
    if (near.groups[node] == cuda::idle_lane) continue;
    Weights& row = rows[near.base[node / cuda::row_lanes] + near.offset[node]];
    for (std::uint32_t g = near.begin[node]; g < near.begin[node] + near.groups[node]; ++g)
      for (std::size_t e = 0; e < cuda::entry_group; ++e)
        if (near.entry_weight[g].of[e] != T{})
          row[near.entry_offset[g].of[e]] += static_cast<double>(near.entry_weight[g].of[e]);
  }
  return rows;
}

// The weights of a unit's row, point by point as its lanes have them.
template <class T>
Weights row_of(const cuda::RowBrickTables<T>& tables, const cuda::Layout& layout, std::uint32_t row) {
  Weights weights;
  for (int p = 0; p < 128; ++p) {
    const T weight = tables.weights[row * std::size_t{32} + static_cast<std::size_t>(p % 32)].of[p / 32];
    if (weight == T{}) continue;
    if (p >= cuda::brick_points) return {};
    weights[(p % 5 - 2) + (p / 5 % 5 - 2) * layout.row + (p / 25 - 2) * layout.plane] = static_cast<double>(weight);
  }
  return weights;
}

template <class T>
void check_rows(const char* stencil, double air, std::pair<int, int> inside, std::mt19937& random) {
  RoomSpec spec;
  spec.size = {37, 17, 29};
  spec.stencil = stencil;
  spec.precision = sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64;
  spec.air = random_mask(spec.size, air, random);
  const Plan plan = plan_of(spec);
  const cuda::Layout layout(plan.grid.size, plan.stencil.radius, sizeof(T));
  CHECK(cuda::has_long_rows(plan.stencil));
  auto near = cuda::pack_near<T>(plan.near_wall, plan.air, plan.stencil, layout,
                                 {inside.first > 0, inside.second < 29, inside.first, inside.second});
  const auto all = rows_of(near);
  const auto tables = cuda::take_long_rows(near, layout, inside);
  auto found = rows_of(near);
  const auto left = found.size();
  INFO(stencil << ", air " << air << ": " << all.size() << " rows, " << left << " left, inside " << inside.first << " "
               << inside.second);
  CHECK(left < all.size() / 4);
  REQUIRE(tables.bricks.size() > 1);
  REQUIRE(tables.bricks.back().first_unit == tables.head.size());
  REQUIRE(tables.place.size() == tables.head.size());
  for (std::int64_t b = 0; b < tables.count(); ++b) {
    const cuda::RowBrick& brick = tables.bricks[static_cast<std::size_t>(b)];
    for (std::uint32_t unit = brick.first_unit; unit < tables.bricks[static_cast<std::size_t>(b) + 1].first_unit;
         ++unit) {
      const std::uint32_t nodes = tables.head[unit] >> cuda::unit_row_bits;
      REQUIRE((nodes > 0 && nodes <= cuda::unit_nodes));
      for (std::uint32_t n = 0; n < nodes; ++n) {
        const int place = tables.place[unit].of[n];
        const int x = place % cuda::brick_box[0] - cuda::brick_halo_x + cuda::brick_radius,
                  y = place / cuda::brick_box[0] % cuda::brick_box[1],
                  z = place / (cuda::brick_box[0] * cuda::brick_box[1]);
        REQUIRE((x >= 0 && x < cuda::brick_size[0] && y < cuda::brick_size[1] && z < cuda::brick_size[2]));
        const bool is_inside = brick.z + z >= inside.first && brick.z + z < inside.second;
        REQUIRE(is_inside == (b >= tables.inside_begin && b < tables.inside_end));
        const auto [at, fresh] = found.try_emplace(layout.offset(brick.x + x, brick.y + y, brick.z + z));
        REQUIRE(fresh);
        at->second = row_of(tables, layout, tables.head[unit] & ((1U << cuda::unit_row_bits) - 1));
      }
    }
  }
  CHECK((found == all));
  for (std::size_t node = 0; node < near.groups.size(); ++node) {
    const auto z = (near.base[node / cuda::row_lanes] + near.offset[node] - layout.first) / layout.plane;
    const auto i = static_cast<std::int64_t>(node);
    REQUIRE((z >= inside.first && z < inside.second) == (i >= near.inside_begin && i < near.inside_end));
  }
}

}  // namespace

TEST_CASE("long rows in bricks: every node once, with its row, on its side of a slab's borders") {
  std::mt19937 random(1);
  for (const char* stencil : {"box-222", "compact-5", "compact-6"})
    for (const auto& [air, inside] : {std::pair{0.97, std::pair{0, 29}},
                                      {0.97, std::pair{2, 27}},
                                      {0.9, std::pair{3, 29}},
                                      {0.97, std::pair{0, 17}},
                                      {0.97, std::pair{29, 29}},
                                      {0.97, std::pair{10, 10}}}) {
      check_rows<float>(stencil, air, inside, random);
      check_rows<double>(stencil, air, inside, random);
    }
}

TEST_CASE("stencils of short rows, or of a wider reach, keep them") {
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "compact-4", "compact-9", "box-333"}) {
    RoomSpec spec;
    spec.size = {9, 9, 9};
    spec.stencil = stencil;
    CHECK_FALSE(cuda::has_long_rows(plan_of(spec).stencil));
  }
}
