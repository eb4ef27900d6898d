#include "engine/cpu/cpu_plan.hpp"

#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;

TEST_CASE("the cost of a tile counts its air and its walls, walls less where a node of air takes longer") {
  RoomSpec spec;
  spec.size = {40, 60, 60};
  spec.laws = some_laws();
  double last = 1.0;  // costs of the branches that count
  for (const char* stencil : {"leggy-1", "leggy-4", "leggy-12"}) {
    CAPTURE(stencil);
    spec.stencil = stencil;
    const Plan lossy = plan_of(spec);
    Plan rigid = lossy;
    rigid.boundary = Boundary{};
    rigid.near_wall = NearWall{};
    const cpu::CpuPlan<float> room(lossy, whole(lossy)), bare(rigid, whole(rigid));
    const auto total = [](const std::vector<double>& costs) {
      return std::accumulate(costs.begin(), costs.end(), 0.0);
    };
    const auto tiles = static_cast<double>(room.layout.tiles.size());
    CHECK(total(bare.costs) == Approx(static_cast<double>(lossy.grid.nodes()) + tiles));
    double walls = 0.0;
    for (std::size_t tile = 0; tile < room.layout.tiles.size(); ++tile)
      walls += room.walls.cost(tile) + room.boundary.cost(tile) + room.wide.cost(tile);
    const double counted = (total(room.costs) - total(bare.costs)) / walls;
    CHECK(counted <= last);
    CHECK(counted > 0.1);
    last = 0.7 * counted;
  }
}
