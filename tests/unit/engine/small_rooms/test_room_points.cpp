#include "engine/small_rooms/room_points.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Plan plan_of_box(const std::array<int, 3>& size, double h) {
  Plan plan;
  plan.grid.size = size;
  plan.grid.spacing = {h, h, h};
  plan.air = AirMask(size);
  return plan;
}

}  // namespace

TEST_CASE("points lie at even distances in the air, a cell from walls at least") {
  Plan plan = plan_of_box({20, 16, 12}, 0.1);
  plan.air.set(10, 8, 6, false);
  const RoomPoints points = room_points(plan, {}, 0.2);
  REQUIRE(!points.node.empty());
  CHECK(static_cast<double>(points.node.size()) <= most_points(plan, 0.2));
  for (std::size_t i = 0; i < points.node.size(); ++i) {
    const auto& p = points.positions[i];
    CHECK(p[0] > 0.14);
    CHECK(p[0] < 1.86);
    const bool beside = std::abs(p[0] - 1.05) < 0.11 && std::abs(p[1] - 0.85) < 0.11 && std::abs(p[2] - 0.65) < 0.11;
    CHECK(!beside);
  }
}

TEST_CASE("points of a box keep its bounds and the distance from walls, and a plane takes the nearest nodes") {
  const Plan plan = plan_of_box({20, 16, 12}, 0.1);
  const PlaceBox box{{0.0, 0.5, 0.42}, {1.0, 1.1, 0.42}};
  const RoomPoints points = room_points(plan, {0.0, 0.0, 0.0}, 0.1, &box, 0.3);
  REQUIRE(!points.node.empty());
  for (const auto& p : points.positions) {
    CHECK(p[0] >= 0.3);
    CHECK(p[0] <= 1.0);
    CHECK(p[1] >= 0.5);
    CHECK(p[1] <= 1.1);
    CHECK(p[2] == Approx(0.45));
  }
  const PlaceBox outside{{5.0, 5.0, 5.0}, {6.0, 6.0, 6.0}};
  CHECK(room_points(plan, {}, 0.1, &outside).node.empty());
}

TEST_CASE("senders are nodes of the air beside walls, each once, the first in a corner") {
  const Plan plan = plan_of_box({20, 16, 12}, 0.1);
  const auto nodes = sender_nodes(plan);
  REQUIRE(nodes.size() == sender_count);
  CHECK(nodes[0] == 1 + 20 * (1 + 16));
  CHECK(sender_nodes(plan_of_box({3, 3, 3}, 0.1)).size() == 1);
}

TEST_CASE("scattered nodes are in the air, each once, and no two mirror each other in a cube") {
  Plan plan = plan_of_box({21, 21, 21}, 0.1);
  plan.air.set(10, 10, 10, false);
  const auto nodes = scattered_nodes(plan, 16);
  REQUIRE(nodes.size() == 16);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::array<int, 3> a = {int(nodes[i] % 21), int(nodes[i] / 21 % 21), int(nodes[i] / 441)};
    CHECK((std::abs(a[0] - 10) > 1 || std::abs(a[1] - 10) > 1 || std::abs(a[2] - 10) > 1));
    for (std::size_t j = 0; j < i; ++j) {
      int alike = 0;
      const std::array<int, 3> b = {int(nodes[j] % 21), int(nodes[j] / 21 % 21), int(nodes[j] / 441)};
      for (std::size_t d = 0; d < 3; ++d) alike += std::abs(a[d] - 10) == std::abs(b[d] - 10) ? 1 : 0;
      CHECK(alike < 3);
    }
  }
  CHECK(scattered_nodes(plan_of_box({3, 3, 3}, 0.1), 16).size() == 1);
}
