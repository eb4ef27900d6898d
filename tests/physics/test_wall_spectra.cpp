// Stability at walls of any shape: S is symmetric and within [-2, 2] at the stencil's own Courant number, constants
// stay constant, and no wall leaks.
#include <algorithm>
#include <numbers>
#include <random>
#include <tuple>

#include "engine/transducers/taps.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;

namespace {

GridStencil at_own_courant(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

void require_stable(const GridStencil& stencil, const AirMask& air, double tolerance,
                    WallMethod method = WallMethod::automatic) {
  const test::DenseOperator op = test::dense_operator(stencil, air, make_near_wall(stencil, air, method));
  REQUIRE(test::asymmetry(op) < 4e-14);
  REQUIRE((op.S.rowwise().sum().array() - 2.0).abs().maxCoeff() < 2e-14);
  const auto [lowest, highest] = test::spectrum(op);
  REQUIRE(lowest >= -2.0 - tolerance);
  REQUIRE(highest <= 2.0 + tolerance);
}

// A room of solid blocks, thin walls and a staircase: re-entrant edges, dead ends, pockets.
AirMask furnished() {
  AirMask air({8, 7, 6});
  for (int z = 0; z < 6; ++z) {
    for (int y = 0; y < 5; ++y) air.set(4, y, z, false);
    air.set(1, 5, z, false);
  }
  for (int x = 5; x < 8; ++x) {
    for (int z = 0; z < x - 4; ++z) {
      for (int y = 0; y < 7; ++y) air.set(x, y, z, false);
    }
  }
  return air;
}

// Two rooms; between them a wall one voxel thick.
AirMask divided(double fraction, std::mt19937& random) {
  AirMask air = test::random_mask({9, 5, 5}, fraction, random);
  for (int z = 0; z < 5; ++z) {
    for (int y = 0; y < 5; ++y) air.set(4, y, z, false);
  }
  return air;
}

double coupling(const GridStencil& stencil, const AirMask& air, WallMethod method = WallMethod::automatic) {
  const test::DenseOperator op = test::dense_operator(stencil, air, make_near_wall(stencil, air, method));
  double largest = 0.0;
  for (Eigen::Index i = 0; i < op.S.rows(); ++i) {
    for (Eigen::Index j = 0; j < op.S.cols(); ++j) {
      const bool i_left = op.nodes[static_cast<std::size_t>(i)] % 9 < 4,
                 j_left = op.nodes[static_cast<std::size_t>(j)] % 9 < 4;
      if (i_left != j_left) largest = std::max(largest, std::abs(op.S(i, j)));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("Leggy stencils keep their spectrum in random rooms, for every radius, at their Courant limit") {
  std::mt19937 random(1);
  int index = 0;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.family != Family::leggy) continue;
    INFO(stencil.name);
    const double limit = stencil.courant_limit;
    const GridStencil grid = on_grid(stencil, {limit, limit, limit});
    require_stable(grid, test::random_mask({6, 6, 5}, 0.4 + 0.55 * (index % 8) / 7, random), 1e-12);
    if (index++ % 4 == 0) require_stable(grid, furnished(), 1e-12);
  }
}

TEST_CASE("Leggy stencils keep their spectrum with three different spacings") {
  std::mt19937 random(2);
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8"}) {
    const Stencil& stencil = *find_stencil(name);
    const double c = stencil.courant_limit;
    const GridStencil grid =
        on_grid(stencil, {1.03 * c, 0.99 * c, std::sqrt(3.0 - 1.03 * 1.03 - 0.99 * 0.99) * c * (1.0 - 1e-15)});
    require_stable(grid, test::random_mask({6, 6, 6}, 0.75, random), 1e-12);
  }
}

TEST_CASE("Every compact and box stencil of up to 125 points is stable in random rooms") {
  std::mt19937 random(3);
  int index = 0;
  for (const Stencil& stencil : catalogue()) {
    if (stencil.family == Family::leggy || stencil.point_count() > 125) continue;
    INFO(stencil.name);
    for (int room = 0; room < 3; ++room, ++index) {
      require_stable(at_own_courant(stencil), test::random_mask({6, 5, 5}, 0.4 + 0.55 * (index % 8) / 7, random),
                     1e-10);
    }
    require_stable(at_own_courant(stencil), furnished(), 1e-10);
  }
  REQUIRE(index > 30);
}

TEST_CASE("The largest stencils are stable in a few rooms") {
  std::mt19937 random(4);
  for (const char* name : {"compact-22", "box-333", "compact-18", "compact-19", "box-400"}) {
    INFO(name);
    for (const double fraction : {0.5, 0.85})
      require_stable(at_own_courant(*find_stencil(name)), test::random_mask({6, 5, 4}, fraction, random), 1e-10);
  }
  require_stable(at_own_courant(*find_stencil("compact-22")), furnished(), 1e-10);
  require_stable(at_own_courant(*find_stencil("box-333")), furnished(), 1e-10);
}

TEST_CASE("Certified stencils are stable by the block construction as well") {
  std::mt19937 random(5);
  for (const char* name : {"compact-3", "compact-5", "box-222", "compact-8/me"}) {
    INFO(name);
    for (const double fraction : {0.5, 0.85}) {
      require_stable(at_own_courant(*find_stencil(name)), test::random_mask({6, 6, 5}, fraction, random), 1e-10,
                     WallMethod::block);
    }
  }
}

TEST_CASE("Rooms on the two sides of a wall one voxel thick are uncoupled exactly") {
  std::mt19937 random(6);
  for (const char* name : {"leggy-1", "leggy-4", "leggy-20", "compact-3", "compact-5/me", "compact-8", "box-222",
                           "compact-3/iwb", "compact-22", "box-333"}) {
    INFO(name);
    for (const double fraction : {0.8, 1.0})
      REQUIRE(coupling(at_own_courant(*find_stencil(name)), divided(fraction, random)) == 0.0);
  }
  for (const char* name : {"compact-5", "box-222"}) {
    REQUIRE(coupling(at_own_courant(*find_stencil(name)), divided(0.9, random), WallMethod::block) == 0.0);
  }
}

TEST_CASE("Source and receiver may be exchanged in any room") {
  std::mt19937 random(7);
  const AirMask air = test::random_mask({9, 8, 7}, 0.85, random);
  const Grid grid{air.size(), {0.1, 0.1, 0.1}, 1e-4, 343.0};
  for (const char* name : {"leggy-4", "compact-5/me", "compact-3/iwb"}) {
    INFO(name);
    const GridStencil stencil = at_own_courant(*find_stencil(name));
    const test::DenseOperator op = test::dense_operator(stencil, air, make_near_wall(stencil, air));
    const auto vector_of = [&](const std::array<double, 3>& wish) {
      const Tap tap = make_tap("tap", nearest_air(wish, grid, air).position, grid, air);
      Eigen::VectorXd v = Eigen::VectorXd::Zero(op.S.rows());
      for (Eigen::Index i = 0; i < v.size(); ++i) {
        const auto at = std::find(tap.nodes.begin(), tap.nodes.end(), op.nodes[static_cast<std::size_t>(i)]);
        if (at != tap.nodes.end()) v(i) = tap.weights[static_cast<std::size_t>(at - tap.nodes.begin())];
      }
      REQUIRE(v.sum() == Approx(1.0).epsilon(1e-13));
      return v;
    };
    const Eigen::VectorXd a = vector_of({0.23, 0.31, 0.17}), b = vector_of({0.71, 0.55, 0.63});
    // From a source at a, divided by the masses as it drives, to a receiver at b; and back.
    Eigen::VectorXd from_a = a.cwiseQuotient(op.mass), from_b = b.cwiseQuotient(op.mass);
    Eigen::VectorXd a_before = Eigen::VectorXd::Zero(a.size()), b_before = a_before;
    double largest = 0.0;
    for (int step = 0; step < 60; ++step) {
      REQUIRE(b.dot(from_a) == Approx(a.dot(from_b)).margin(1e-13));
      largest = std::max(largest, std::abs(b.dot(from_a)));
      std::tie(from_a, a_before) = std::pair{Eigen::VectorXd(op.S * from_a - a_before), from_a};
      std::tie(from_b, b_before) = std::pair{Eigen::VectorXd(op.S * from_b - b_before), from_b};
    }
    REQUIRE(largest > 1e-3);
  }
}

TEST_CASE("Cosine modes of a box are eigenvectors of S, with the interior's symbol as eigenvalue") {
  const std::array<int, 3> size = {7, 5, 6};
  for (const char* name : {"leggy-1", "leggy-4", "leggy-20", "compact-2", "compact-3", "compact-5", "compact-8",
                           "compact-16", "compact-22", "box-222", "box-333", "compact-3/iwb"}) {
    INFO(name);
    const GridStencil stencil = at_own_courant(*find_stencil(name));
    const AirMask air(size);
    const test::DenseOperator op = test::dense_operator(stencil, air, make_near_wall(stencil, air));
    for (const auto& m : {std::array<int, 3>{0, 0, 0}, {1, 0, 0}, {3, 2, 5}, {6, 4, 5}, {0, 3, 1}}) {
      Vec3 k{};
      for (std::size_t d = 0; d < 3; ++d) k[d] = std::numbers::pi * m[d] / size[d];
      Eigen::VectorXd mode(op.S.rows());
      for (Eigen::Index i = 0; i < mode.size(); ++i) {
        const auto n = static_cast<int>(op.nodes[static_cast<std::size_t>(i)]);
        mode(i) = std::cos(k[0] * (n % 7 + 0.5)) * std::cos(k[1] * (n / 7 % 5 + 0.5)) * std::cos(k[2] * (n / 35 + 0.5));
      }
      REQUIRE((op.S * mode - symbol(stencil, k) * mode).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}
