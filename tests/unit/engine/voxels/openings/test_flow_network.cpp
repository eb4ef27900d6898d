#include "engine/voxels/openings/flow_network.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("potentials of a network: two conductances in series, beside them one, and nodes that nothing reaches") {
  FlowNetwork flow;
  flow.potential = {1.0, 0.5, 0.0, 0.25, 0.75};
  flow.given = {1, 0, 1, 0, 0};
  flow.links = {{0, 1, 2.0}, {1, 2, 6.0}, {0, 2, 1.0}, {3, 4, 0.0}};
  flow.solve(1e-12);
  CHECK(flow.potential[1] == Approx(0.25).epsilon(1e-12));
  CHECK(flow.potential[0] == 1.0);
  CHECK(flow.potential[2] == 0.0);
  CHECK(flow.potential[3] == 0.25);
}

TEST_CASE("in a duct of cells potentials fall evenly from end to end") {
  FlowNetwork flow;
  constexpr std::uint32_t cells = 200;
  flow.potential.assign(cells, 0.5);
  flow.given.assign(cells, 0);
  flow.given.front() = flow.given.back() = 1;
  flow.potential.front() = 1.0;
  flow.potential.back() = 0.0;
  for (std::uint32_t i = 0; i + 1 < cells; ++i) flow.links.push_back({i, i + 1, 0.3});
  flow.solve(1e-10);
  for (std::uint32_t i = 0; i < cells; ++i) CHECK(flow.potential[i] == Approx(1.0 - i / (cells - 1.0)).margin(1e-8));
}

TEST_CASE("flow between two sides has an amount, a place and a direction, whichever way its links are listed") {
  // Two links of 1 and 3 along x at y = 0 and y = 1, and one within a side.
  FlowNetwork flow;
  flow.potential = {1.0, 0.0, 1.0, 0.0};
  flow.given = {1, 1, 1, 1};
  flow.links = {{0, 1, 1.0}, {3, 2, 3.0}, {0, 2, 5.0}};
  const std::vector<std::uint8_t> side = {0, 1, 0, 1};
  CHECK(flow.through({0, 1}, side) == Approx(4.0));
  const auto place_of = [](std::uint32_t n) { return std::array<double, 3>{n % 2 + 2.0, n / 2 + 0.0, 0.5}; };
  const FlowNetwork::Middle middle = flow.middle({0, 1}, side, place_of);
  CHECK(middle.position[0] == Approx(2.5));
  CHECK(middle.position[1] == Approx(0.75));
  CHECK(middle.position[2] == Approx(0.5));
  CHECK(middle.direction[0] == Approx(1.0));
  CHECK(std::abs(middle.direction[1]) < 1e-12);
}
