// Voxels that walls cut, of any fractions: the operator's proof holds on every mask.
#include <omp.h>

#include <algorithm>
#include <complex>
#include <random>
#include <set>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/rows.hpp"
#include "stencils/all_mask.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/radial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/cut_rooms.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;

namespace {

GridStencil at_own_courant(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

bool has_certificate(const Stencil& stencil) {
  return stencil.proof == WallProof::all_mask || certified_courant(stencil) > 0.0;
}

// At the largest Courant number of its certificate.
Stencil certified(const Stencil& stencil) {
  return stencil.radial ? at_courant(stencil, certified_courant(stencil)) : stencil;
}

}  // namespace

TEST_CASE("walls cut: a leggy stencil stays within [-2, 2] at its own Courant number with voxels of any shares",
          "[walls]") {
  std::mt19937 random(11);
  for (const char* name : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "leggy-4/opt1", "leggy-3/taylor", "leggy-20"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    for (const double fraction : {1.0, 0.8, 0.55}) {
      const Voxels room = test::cut_room(test::random_mask({9, 6, 5}, fraction, random), random);
      const test::DenseOperator op = test::dense_operator(stencil, room.air, make_near_wall(stencil, room));
      CHECK(test::asymmetry(op) < 1e-13);
      CHECK((op.S.rowwise().sum().array() - 2.0).abs().maxCoeff() < 1e-13);
      const auto [lowest, highest] = test::spectrum(op);
      CHECK(lowest >= -2.0 - 1e-12);
      CHECK(highest <= 2.0 + 1e-12);
    }
  }
}

TEST_CASE("walls cut: whole voxels have the rows of run folding", "[walls]") {
  std::mt19937 random(12);
  for (const char* name : {"leggy-1", "leggy-4", "leggy-20", "leggy-8/opt1"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    const AirMask air = test::random_mask({12, 7, 6}, 0.7, random);
    CutVoxels whole;
    whole.volumes.push_back({0, 1.0F});
    const auto folded = test::dense_operator(stencil, air, make_near_wall(stencil, air));
    const auto cut = test::dense_operator(stencil, air, cut_walls(stencil, air, whole));
    CHECK((folded.S - cut.S).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("walls cut: through closed passages between whole voxels nothing passes, to the last bit", "[walls]") {
  const AirMask air({12, 5, 4});
  Voxels room = voxels_of(air, {0.1, 0.1, 0.1}, "wall");
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; ++y)
      room.cut.passages[0].push_back({static_cast<std::uint64_t>(5 + 12 * (y + 5 * z)), 0.0F});
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8/opt1", "compact-3", "box-222"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    const NearWall walls = make_near_wall(stencil, room);
    CHECK(walls.masses.empty());
    const test::DenseOperator op = test::dense_operator(stencil, air, walls);
    // Either half is the box of half the length.
    const AirMask half({6, 5, 4});
    const test::DenseOperator alone = test::dense_operator(stencil, half, make_near_wall(stencil, half));
    double across = 0.0, difference = 0.0;
    for (Eigen::Index i = 0; i < op.S.rows(); ++i) {
      for (Eigen::Index j = 0; j < op.S.cols(); ++j) {
        const auto a = op.nodes[static_cast<std::size_t>(i)], b = op.nodes[static_cast<std::size_t>(j)];
        if ((a % 12 < 6) != (b % 12 < 6)) {
          across = std::max(across, std::abs(op.S(i, j)));
        } else if (a % 12 < 6) {
          const auto p = static_cast<Eigen::Index>(a / 12 * 6 + a % 12),
                     q = static_cast<Eigen::Index>(b / 12 * 6 + b % 12);
          difference = std::max(difference, std::abs(op.S(i, j) - alone.S(p, q)));
        }
      }
    }
    CHECK(across == 0.0);
    CHECK(difference < 1e-14);
  }
}

TEST_CASE(
    "walls cut: products of the axes stay within [-2, 2] in the volumes' inner product, with voxels of any shares",
    "[walls]") {
  std::mt19937 random(14);
  int count = 0, radial = 0;
  for (const Stencil& known : catalogue()) {
    if (known.family == Family::leggy || !has_certificate(known) || known.radius() > 2) continue;
    const Stencil one = certified(known);
    CAPTURE(one.name);
    const GridStencil stencil = on_grid(one, {one.courant, one.courant, one.courant});
    REQUIRE(knows_cut_voxels(stencil));
    if (one.radial) ++radial;
    for (const double share : {count++ % 2 == 0 ? 1.0 : 0.7}) {
      const Voxels room = test::cut_room(test::random_mask({8, 6, 4}, share, random), random);
      const NearWall walls = make_near_wall(stencil, room);
      const test::DenseOperator op = test::dense_operator(stencil, room.air, walls);
      CHECK(test::asymmetry(op) < 1e-13);
      CHECK((op.S.rowwise().sum().array() - 2.0).abs().maxCoeff() < 1e-13);
      const auto [lowest, highest] = test::spectrum(op);
      CHECK(lowest >= -2.0 - 1e-9);
      CHECK(highest <= 2.0 + 1e-12);
    }
  }
  CHECK(count > 15);
  CHECK(radial > 15);
  CHECK_FALSE(knows_cut_voxels(at_own_courant("compact-22")));
  CHECK_FALSE(knows_cut_voxels(at_own_courant("compact-3/iwb")));
}

// Refutes what the certificate claims (stencils/design/certificate.py --surplus) if it is wrong.
TEST_CASE("walls cut: what cut voxels add to products leaves S below 2 with every triple of contractions", "[walls]") {
  for (const Stencil& known : catalogue()) {
    if (known.family == Family::leggy || !has_certificate(known) || known.radius() != 2) continue;
    const Stencil one = certified(known);
    CAPTURE(one.name);
    const auto raised = [&](double fraction) {  // S + fraction lambda^2/12 sum of A^2, A^2 = 6 - 4 (2 T_1) + 2 T_2
      Stencil stencil = one;
      const double e = fraction * one.courant * one.courant / 12.0;
      stencil.centre += 18.0 * e;
      const auto add = [&](Shell shell, double weight) {
        const auto at = std::find(stencil.shells.begin(), stencil.shells.end(), shell);
        if (at != stencil.shells.end()) {
          stencil.weights[static_cast<std::size_t>(at - stencil.shells.begin())] += weight;
        } else {
          stencil.shells.push_back(shell);
          stencil.weights.push_back(weight);
        }
      };
      add({1, 0, 0}, -4.0 * e);
      add({2, 0, 0}, e);
      return searched_folded_range(stencil, 16).max;
    };
    CHECK(raised(cut_surplus_fraction) <= 2.0 + 1e-9);
    CHECK(raised(4.0) > 2.0);
  }
}

TEST_CASE("walls cut: products of whole voxels have the rows of symmetrised folding, and rows do not depend on threads",
          "[walls]") {
  std::mt19937 random(15);
  const AirMask air = test::random_mask({11, 8, 4}, 0.7, random);
  for (const char* name : {"compact-3", "box-222"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    CutVoxels whole;
    for (std::uint64_t node = 0; node < 11U * 8U * 4U; node += 2)  // some rows by walks, some by products
      if (air(static_cast<int>(node % 11), static_cast<int>(node / 11 % 8), static_cast<int>(node / 88)))
        whole.volumes.push_back({node, 1.0F});
    const auto folded = test::dense_operator(stencil, air, symmetrised_fold_walls(stencil, air));
    const auto cut = test::dense_operator(stencil, air, cut_walls(stencil, air, whole));
    CHECK((folded.S - cut.S).cwiseAbs().maxCoeff() < 1e-14);
  }
  const GridStencil stencil = at_own_courant("compact-3");
  const Voxels room = test::cut_room(air, random);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const NearWall one = make_near_wall(stencil, room);
  omp_set_num_threads(3);
  const NearWall three = make_near_wall(stencil, room);
  omp_set_num_threads(before);
  CHECK(one.pattern_begin == three.pattern_begin);
  CHECK(std::equal(one.segments.begin(), one.segments.end(), three.segments.begin(), three.segments.end(),
                   [](const WallSegment& a, const WallSegment& b) {
                     return a.node == b.node && a.length == b.length && a.pattern == b.pattern;
                   }));
}

// At the Courant number of the program, in the rows of a float kernel: these are not symmetric, and their eigenvalues
// could be complex.
TEST_CASE("walls cut: rows of radial sets rounded to float keep the spectrum real and within [-2, 2]", "[walls]") {
  std::mt19937 random(16);
  std::set<std::vector<double>> known;
  for (const Stencil& one : catalogue()) {
    if (certified_courant(one) == 0.0 || !known.insert(one.weights).second) continue;
    CAPTURE(one.name);
    const double courant = own_courant(one, true);
    const GridStencil stencil = rounded_to_float(on_grid(at_courant(one, courant), {courant, courant, courant}));
    for (const double share : {1.0, 0.7}) {
      const Voxels room = test::cut_room(test::random_mask({6, 5, 4}, share, random), random);
      const test::DenseOperator op =
          test::dense_operator(stencil, room.air, rounded_to_float(make_near_wall(stencil, room)));
      for (const std::complex<double> value : op.S.eigenvalues()) {
        CHECK(value.real() > -2.0 + 1e-4);
        CHECK(value.real() < 2.0 + 1e-12);
        CHECK(std::abs(value.imag()) < 1e-10);
      }
    }
  }
  CHECK(known.size() >= 15);
}
