#include "engine/transducers/taps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;

namespace {

Grid grid_of(std::array<int, 3> size) { return {size, {0.1, 0.11, 0.09}, 1e-4, 343.0}; }

double sum(const Tap& tap) {
  double total = 0.0;
  for (const double weight : tap.weights) total += weight;
  return total;
}

std::array<int, 3> place(std::uint64_t node, const std::array<int, 3>& size) {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return {static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / (nx * ny))};
}

}  // namespace

TEST_CASE("A tap on a node is that node") {
  const Grid grid = grid_of({9, 8, 7});
  const Tap tap = make_tap("R", {3.5 * 0.1, 0.5 * 0.11, 6.5 * 0.09}, grid, AirMask(grid.size));
  REQUIRE(tap.nodes == std::vector<std::uint64_t>{3 + 9 * (0 + 8 * 6)});
  REQUIRE(tap.weights == std::vector<double>{1.0});
}

TEST_CASE("Weights sum to 1 and are ordered by node, wherever the point is") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const auto& size : {std::array<int, 3>{20, 18, 16}, {3, 20, 1}, {1, 1, 1}}) {
    const Grid grid = grid_of(size);
    for (int trial = 0; trial < 30; ++trial) {
      std::array<double, 3> p{};
      for (std::size_t d = 0; d < 3; ++d) p[d] = unit(random) * size[d] * grid.spacing[d];
      const Tap tap = make_tap("R", p, grid, AirMask(size), 1 + trial % 8);
      REQUIRE(sum(tap) == Approx(1.0).epsilon(1e-14));
      for (std::size_t i = 1; i < tap.nodes.size(); ++i) REQUIRE(tap.nodes[i - 1] < tap.nodes[i]);
    }
  }
}

TEST_CASE("In free air eight points an axis are exact for polynomials of degree seven in each coordinate") {
  const Grid grid = grid_of({30, 30, 30});
  const std::array<double, 3> p = {1.234, 1.777, 1.501};
  const Tap tap = make_tap("R", p, grid, AirMask(grid.size));
  REQUIRE(tap.nodes.size() == 512);
  const auto f = [&](double x, double y, double z) {
    return std::pow(x - 1.5, 7) * 30 + std::pow(y - 1.2, 6) * std::pow(z - 1.3, 7) * 80 + y * x * z;
  };
  double got = 0.0;
  for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
    const auto [x, y, z] = place(tap.nodes[i], grid.size);
    got += tap.weights[i] * f((x + 0.5) * 0.1, (y + 0.5) * 0.11, (z + 0.5) * 0.09);
  }
  REQUIRE(got == Approx(f(p[0], p[1], p[2])).epsilon(1e-10));
}

TEST_CASE("Beside a rigid wall a tap reads the mirrored field: cosine modes to the interpolation's accuracy") {
  const Grid grid = grid_of({24, 24, 24});
  const double L = 2.4;
  for (const double x : {0.0, 0.003, 0.071, 2.34, 2.4}) {
    const Tap tap = make_tap("R", {x, 1.3, 0.02}, grid, AirMask(grid.size));
    double got = 0.0;
    for (std::size_t i = 0; i < tap.nodes.size(); ++i) {
      got += tap.weights[i] * std::cos(6 * std::numbers::pi * (place(tap.nodes[i], grid.size)[0] + 0.5) * 0.1 / L);
    }
    REQUIRE(got == Approx(std::cos(6 * std::numbers::pi * x / L)).margin(2e-4));
  }
}

TEST_CASE("No weight lands behind a wall one voxel thick, or in a wall") {
  std::mt19937 random(2);
  const std::array<int, 3> size = {16, 12, 10};
  AirMask air = test::random_mask(size, 0.8, random);
  for (int y = 0; y < 12; ++y) {
    for (int z = 0; z < 10; ++z) air.set(7, y, z, false);
  }
  const Grid grid = grid_of(size);
  int taps = 0;
  for (int z = 0; z < 10; ++z) {
    for (int y = 0; y < 12; ++y) {
      if (!air(6, y, z)) continue;
      const Tap tap = make_tap("R", {6.9 * 0.1, (y + 0.3) * 0.11, (z + 0.8) * 0.09}, grid, air);
      REQUIRE(sum(tap) == Approx(1.0).epsilon(1e-14));
      for (const std::uint64_t node : tap.nodes) {
        const auto [nx, ny, nz] = place(node, size);
        REQUIRE(nx < 7);
        REQUIRE(air(nx, ny, nz));
      }
      ++taps;
    }
  }
  REQUIRE(taps > 50);
}

TEST_CASE(
    "A surface without thickness is a mirror to a tap, past its edge walks pass in the orders that go around it") {
  const Grid grid = grid_of({20, 20, 20});
  const AirMask air(grid.size);
  const auto node = [](int x, int y, int z) { return static_cast<std::uint64_t>(x + 20 * (y + 20 * z)); };
  const std::array<double, 3> position = {9.7 * 0.1, 11.6 * 0.11, 10.3 * 0.09};  // in voxel (9, 11, 10)
  const auto weight = [](const Tap& tap, std::uint64_t at) {
    const auto found = std::ranges::find(tap.nodes, at);
    return found == tap.nodes.end() ? 0.0 : tap.weights[static_cast<std::size_t>(found - tap.nodes.begin())];
  };
  const auto sheet = [&](int rows) {  // between x = 9 and x = 10, for y < rows
    CutVoxels cut;
    for (int z = 0; z < 20; ++z)
      for (int y = 0; y < rows; ++y) cut.passages[0].push_back({node(9, y, z), 0.0F});
    return cut;
  };
  const Tap open = make_tap("R", position, grid, air);

  const CutVoxels whole = sheet(20);
  const Tap behind = make_tap("R", position, grid, air, tap_points, &whole);
  for (const std::uint64_t at : behind.nodes) CHECK(place(at, grid.size)[0] <= 9);
  CHECK(sum(behind) == Approx(1.0).epsilon(1e-12));

  // The line of the point along x is open; lines below y = 10 are not.
  const CutVoxels half = sheet(10);
  const Tap beside = make_tap("R", position, grid, air, tap_points, &half);
  CHECK(std::abs(weight(open, node(11, 8, 9))) > 1e-6);
  CHECK(weight(beside, node(11, 8, 9)) == Approx(weight(open, node(11, 8, 9)) / 2.0));
  CHECK(weight(beside, node(11, 13, 9)) == Approx(weight(open, node(11, 13, 9))));
  CHECK(sum(beside) == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("A point outside the air is refused with the nearest air and its distance") {
  const Grid grid = {{10, 10, 10}, {0.1, 0.1, 0.1}, 1e-4, 343.0};
  AirMask air(grid.size);
  for (int z = 0; z < 10; ++z) {
    for (int y = 0; y < 10; ++y) {
      for (int x = 3; x < 6; ++x) air.set(x, y, z, false);
    }
  }
  const NearestAir in_wall = nearest_air({0.36, 0.55, 0.5}, grid, air);
  REQUIRE(in_wall.distance == Approx(0.06));
  REQUIRE(in_wall.position[0] == Approx(0.3));
  REQUIRE(make_tap("S", in_wall.position, grid, air).nodes.size() > 0);
  const NearestAir outside = nearest_air({1.3, 1.4, 0.5}, grid, air);
  REQUIRE(outside.distance == Approx(0.5));
  REQUIRE(outside.position[1] == Approx(1.0));
  REQUIRE(nearest_air({0.11, 0.2, 0.3}, grid, air).distance == 0.0);

  for (const std::array<double, 3>& p : {std::array<double, 3>{0.45, 0.5, 0.5}, {-0.1, 0.5, 0.5}, {0.5, 1e308, 0.5}}) {
    try {
      make_tap("seat 12", p, grid, air);
      FAIL("accepted");
    } catch (const Error& error) {
      REQUIRE(error.status == Status::scene);
      REQUIRE(std::string(error.what()).find("seat 12") != std::string::npos);
      REQUIRE(error.remedy.find("nearest air is at") != std::string::npos);
    }
  }
  REQUIRE_THROWS_AS(make_tap("R", {std::nan(""), 0.5, 0.5}, grid, air), Error);
  REQUIRE_THROWS_AS(nearest_air({0, 0, 0}, grid, AirMask({2, 2, 2}, std::vector<char>(8, 0))), Error);
}
