// Voxels that walls cut, of any shares: the operator's proof holds on every mask, and areas shrink no more than it
// asks.
#include <omp.h>

#include <algorithm>
#include <random>
#include <vector>

#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/rows.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense_operator.hpp"

using namespace fdtd;

namespace {

GridStencil at_own_courant(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

// Three voxels in four are cut, anyhow.
Voxels cut_room(const AirMask& air, std::mt19937& random) {
  Voxels room = voxels_of(air, {0.1, 0.1, 0.1}, "wall");
  std::uniform_real_distribution<float> share(0.375F, 1.75F), any(0.0F, 1.0F);
  const auto [nx, ny, nz] = air.size();
  for (std::uint64_t node = 0; node < static_cast<std::uint64_t>(nx) * ny * nz; ++node) {
    const std::array<int, 3> at = {static_cast<int>(node) % nx, static_cast<int>(node) / nx % ny,
                                   static_cast<int>(node) / nx / ny};
    if (!air(at[0], at[1], at[2])) continue;
    if (any(random) < 0.75F) room.cut.volumes.push_back({node, share(random)});
    for (std::size_t d = 0; d < 3; ++d) {
      auto next = at;
      ++next[d];
      if (air(next[0], next[1], next[2]) && any(random) < 0.75F) room.cut.passages[d].push_back({node, share(random)});
    }
  }
  return room;
}

// The smallest and largest eigenvalue of M^-1 L of one run.
std::array<double, 2> run_spectrum(const std::vector<double>& volumes, const std::vector<double>& areas) {
  const auto n = static_cast<Eigen::Index>(volumes.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    const double w = areas[static_cast<std::size_t>(i)];
    A(i, i) += w;
    A(i + 1, i + 1) += w;
    A(i, i + 1) -= w;
    A(i + 1, i) -= w;
  }
  Eigen::VectorXd root(n);
  for (Eigen::Index i = 0; i < n; ++i) root[i] = 1.0 / std::sqrt(volumes[static_cast<std::size_t>(i)]);
  A = root.asDiagonal() * A * root.asDiagonal();
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
  return {values[0], values[n - 1]};
}

}  // namespace

TEST_CASE("walls cut: a leggy stencil stays within [-2, 2] at its own Courant number with voxels of any shares",
          "[walls]") {
  std::mt19937 random(11);
  for (const char* name : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "leggy-4/opt1", "leggy-3/taylor"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    for (const double share : {1.0, 0.8, 0.55}) {
      const Voxels room = cut_room(test::random_mask({9, 6, 5}, share, random), random);
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
  const GridStencil stencil = at_own_courant("leggy-4");
  const AirMask air = test::random_mask({12, 7, 6}, 0.7, random);
  CutVoxels whole;
  whole.volumes.push_back({0, 1.0F});
  const auto folded = test::dense_operator(stencil, air, make_near_wall(stencil, air));
  const auto cut = test::dense_operator(stencil, air, cut_walls(stencil, air, whole));
  CHECK((folded.S - cut.S).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE(
    "walls cut: products of the axes stay within [-2, 2] in the volumes' inner product, with voxels of any shares",
    "[walls]") {
  std::mt19937 random(14);
  for (const char* name : {"compact-2", "compact-3", "compact-4", "compact-5", "box-222"}) {
    CAPTURE(name);
    const GridStencil stencil = at_own_courant(name);
    REQUIRE(knows_cut_voxels(stencil));
    for (const double share : {1.0, 0.7}) {
      // So flat that every voxel lies within two of a wall: what is cut lies beside walls.
      const Voxels room = cut_room(test::random_mask({8, 6, 4}, share, random), random);
      const NearWall walls = make_near_wall(stencil, room);
      CHECK(walls.masses.size() == room.cut.volumes.size());
      const test::DenseOperator op = test::dense_operator(stencil, room.air, walls);
      CHECK(test::asymmetry(op) < 1e-13);
      CHECK((op.S.rowwise().sum().array() - 2.0).abs().maxCoeff() < 1e-13);
      const auto [lowest, highest] = test::spectrum(op);
      CHECK(lowest >= -2.0 - 1e-9);
      CHECK(highest <= 2.0 + 1e-12);
    }
  }
  CHECK_FALSE(knows_cut_voxels(at_own_courant("compact-22")));
  CHECK_FALSE(knows_cut_voxels(at_own_courant("compact-3/iwb")));
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
  const Voxels room = cut_room(air, random);
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

TEST_CASE("walls cut: areas of a run are kept where they may be and lowered where they must", "[walls]") {
  const std::vector<double> whole(9, 1.0);
  std::vector<double> areas(8, 1.0);
  keep_spectrum(whole, areas);
  CHECK(areas == std::vector<double>(8, 1.0));
  // The last voxel may be as small as half the passage into it.
  std::vector<double> volumes = whole;
  volumes.back() = 0.5;
  keep_spectrum(volumes, areas);
  CHECK(areas == std::vector<double>(8, 1.0));
  volumes.back() = 0.25;
  keep_spectrum(volumes, areas);
  CHECK(areas.back() == Approx(0.5).margin(0.05));
  CHECK(std::count(areas.begin(), areas.end() - 1, 1.0) == 7);
  // What is thick on the whole carries as much: a slab of 1.25 beside a wall along it.
  std::vector<double> thick(40, 1.25), wide(39, 1.25);
  keep_spectrum(thick, wide);
  CHECK(wide == std::vector<double>(39, 1.25));
  // Any at all.
  std::mt19937 random(13);
  std::uniform_real_distribution<double> share(0.1, 2.0);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> m(static_cast<std::size_t>(1 + trial % 12)), w(m.size() - 1);
    for (double& x : m) x = share(random);
    for (double& x : w) x = share(random);
    const std::vector<double> asked = w;
    keep_spectrum(m, w);
    const auto [lowest, highest] = run_spectrum(m, w);
    CHECK(lowest > -1e-12);
    CHECK(highest < 4.0 + 1e-12);
    for (std::size_t i = 0; i < w.size(); ++i) CHECK((w[i] >= 0.0 && w[i] <= asked[i]));
  }
}
