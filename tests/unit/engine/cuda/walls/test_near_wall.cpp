#include "engine/cuda/walls/near_wall.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

int plane_of(const cuda::NearTables<double>& near, const cuda::Layout& layout, std::size_t node) {
  return static_cast<int>((near.base[node / cuda::row_lanes] + near.offset[node] - layout.first) / layout.plane);
}

}  // namespace

TEST_CASE("near-wall nodes of a slab: those in the middle of the list are in planes that read no neighbour's") {
  RoomSpec spec;
  spec.size = {19, 17, 23};
  spec.stencil = "leggy-4";
  const Plan plan = plan_of(spec);
  const cuda::Layout layout(plan.grid.size, plan.stencil.radius, sizeof(double));
  for (const auto& [begin, end] : {std::pair{0, 23}, {4, 19}, {0, 19}, {4, 23}, {23, 23}, {12, 12}, {5, 3}}) {
    INFO(begin << " " << end);
    const auto near =
        cuda::pack_near<double>(plan.near_wall, plan.air, plan.stencil, layout, {begin > 0, end < 23, begin, end});
    const auto nodes = near.groups.size();
    CHECK(nodes == static_cast<std::size_t>(plan.near_wall.node_count));
    REQUIRE((near.inside_begin >= 0 && near.inside_begin <= near.inside_end));
    REQUIRE(near.inside_end <= static_cast<std::int64_t>(nodes));
    for (std::size_t node = 0; node < nodes; ++node) {
      const int z = plane_of(near, layout, node);
      const auto i = static_cast<std::int64_t>(node);
      REQUIRE((i >= near.inside_begin && i < near.inside_end) == (z >= begin && z < end));
    }
  }
}
