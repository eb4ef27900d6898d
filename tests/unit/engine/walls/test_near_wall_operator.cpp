#include "engine/walls/near_wall_operator.hpp"

#include <omp.h>

#include <map>
#include <random>

#include "base/error.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/open_box.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

// The fold by m voxels along an axis, run by run from the formula for C^m (docs/explanation/walls.md).
MatrixXd fold_matrix(const AirMask& air, const std::vector<std::uint64_t>& nodes, std::size_t axis, int m) {
  const auto [nx, ny, nz] = air.size();
  std::map<std::uint64_t, Index> row_of;
  for (const std::uint64_t node : nodes) row_of[node] = static_cast<Index>(row_of.size());
  const std::array<std::uint64_t, 3> stride = {1, static_cast<std::uint64_t>(nx),
                                               static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny)};
  MatrixXd C = MatrixXd::Zero(static_cast<Index>(nodes.size()), static_cast<Index>(nodes.size()));
  for (const auto& [node, row] : row_of) {
    std::uint64_t first = node;
    int before = 0, length = 1;
    std::array<int, 3> at = {static_cast<int>(node % stride[1]), static_cast<int>(node / stride[1]) % ny,
                             static_cast<int>(node / stride[2])};
    for (std::array<int, 3> p = at; p[axis]--, air(p[0], p[1], p[2]); ++before) first -= stride[axis];
    for (std::array<int, 3> p = at; p[axis]++, air(p[0], p[1], p[2]);) ++length;
    length += before;
    for (const int sign : {-1, 1}) {
      C(row, row_of.at(first + stride[axis] * static_cast<std::uint64_t>(fold(before + sign * m, length)))) += 1.0;
    }
  }
  return C;
}

MatrixXd leggy_by_definition(const GridStencil& stencil, const AirMask& air, const std::vector<std::uint64_t>& nodes) {
  const auto n = static_cast<Index>(nodes.size());
  MatrixXd S = MatrixXd::Identity(n, n) * stencil.centre;
  for (const Term& term : stencil.terms) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (term.offset[d] > 0) S += term.weight * fold_matrix(air, nodes, d, term.offset[d]);
    }
  }
  return S;
}

// The same voxels, but held as a mask even if they are a box.
AirMask with_words(const AirMask& air) {
  AirMask mask = air;
  const bool first = air(0, 0, 0);
  mask.set(0, 0, 0, false);
  mask.set(0, 0, 0, first);
  return mask;
}

bool equal(const NearWall& a, const NearWall& b) {
  const auto entry = [](const RowEntry& s, const RowEntry& t) { return s.offset == t.offset && s.weight == t.weight; };
  const auto segment = [](const WallSegment& s, const WallSegment& t) {
    return s.node == t.node && s.length == t.length && s.pattern == t.pattern;
  };
  return a.pattern_begin == b.pattern_begin && a.node_count == b.node_count &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), entry) &&
         std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(), segment);
}

}  // namespace

TEST_CASE("The fold mirrors positions at both ends of a run") {
  for (int j = -9; j <= 9; ++j) REQUIRE(fold(j, 1) == 0);
  const std::vector<int> two = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};  // positions -5..6
  for (int j = -5; j <= 6; ++j) REQUIRE(fold(j, 2) == two[static_cast<std::size_t>(j + 5)]);
  const std::vector<int> three = {2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1};  // positions -4..7
  for (int j = -4; j <= 7; ++j) REQUIRE(fold(j, 3) == three[static_cast<std::size_t>(j + 4)]);
}

TEST_CASE("The fold by m voxels is twice Chebyshev's polynomial of the runs' Laplacian") {
  std::mt19937 random(4);
  for (const double fraction : {0.5, 0.8, 1.0}) {
    const AirMask air = test::random_mask({6, 5, 5}, fraction, random);
    const auto nodes = test::dense_operator(test::any_stencil(Family::leggy, 1, random), air, {}).nodes;
    for (std::size_t d = 0; d < 3; ++d) {
      const MatrixXd X = fold_matrix(air, nodes, d, 1) / 2;  // 1 - A/2
      MatrixXd before = MatrixXd::Identity(X.rows(), X.cols()), T = X;
      for (int m = 1; m <= 9; ++m) {
        REQUIRE((fold_matrix(air, nodes, d, m) - 2 * T).cwiseAbs().maxCoeff() < 1e-12);
        const MatrixXd next = 2 * X * T - before;
        before = T;
        T = next;
      }
    }
  }
}

TEST_CASE("Run folding gives the folded operator in any mask, thin walls included") {
  std::mt19937 random(5);
  for (const int radius : {1, 2, 3, 4, 8, 20}) {
    for (const double fraction : {0.4, 0.7, 0.95, 1.0}) {
      const AirMask air = test::random_mask({7, 6, 5}, fraction, random);
      const GridStencil stencil = test::any_stencil(Family::leggy, radius, random);
      const auto op = test::dense_operator(stencil, air, make_near_wall(stencil, air));
      REQUIRE((op.S - leggy_by_definition(stencil, air, op.nodes)).cwiseAbs().maxCoeff() < 1e-14 * 20);
    }
  }
}

TEST_CASE("Masks longer than a word fold alike") {
  std::mt19937 random(6);
  for (const int nx : {64, 65, 127, 128, 150}) {
    const AirMask air = test::random_mask({nx, 2, 2}, 0.9, random);
    const GridStencil stencil = test::any_stencil(Family::leggy, 5, random);
    const auto op = test::dense_operator(stencil, air, make_near_wall(stencil, air));
    REQUIRE((op.S - leggy_by_definition(stencil, air, op.nodes)).cwiseAbs().maxCoeff() < 1e-14 * 20);
  }
}

TEST_CASE("A box made from its surface has the operator of the same voxels as a mask, of the predicted size") {
  std::mt19937 random(7);
  for (const auto& size : {std::array<int, 3>{14, 11, 9}, {1, 9, 8}, {5, 4, 12}, {70, 3, 2}}) {
    for (const auto& [family, radius] :
         {std::pair{Family::leggy, 3}, {Family::leggy, 1}, {Family::box, 1}, {Family::box, 2}}) {
      const AirMask box(size);
      const GridStencil stencil = test::any_stencil(family, radius, random);
      const auto method = family == Family::leggy ? WallMethod::run_fold : WallMethod::symmetrised_fold;
      const NearWall walls = make_near_wall(stencil, box, method),
                     masked = make_near_wall(stencil, with_words(box), method);
      const auto a = test::dense_operator(stencil, box, walls), b = test::dense_operator(stencil, box, masked);
      REQUIRE((a.S - b.S).cwiseAbs().maxCoeff() == 0.0);
      REQUIRE(walls.node_count == masked.node_count);
      REQUIRE(walls.segments.size() == masked.segments.size());
      REQUIRE(walls.bytes() == near_wall_bytes_of_box(stencil, size));
    }
  }
}

TEST_CASE("In a box no narrower than the stencil's radius the operator is that of the box and its mirror image") {
  for (const char* name : {"leggy-1", "leggy-2", "leggy-4", "leggy-8", "compact-2", "compact-3", "compact-5",
                           "compact-6", "box-222", "box-333", "compact-22"}) {
    const Stencil& shape = *find_stencil(name);
    const GridStencil stencil = on_grid(shape, {shape.courant, shape.courant, shape.courant});
    const int R = stencil.radius;
    for (const auto& size : {std::array{R + 2, R, R + 1}, {R, 2 * R + 1, R}}) {
      INFO(name << " in " << size[0] << " x " << size[1] << " x " << size[2]);
      const AirMask air(size);
      const auto op = test::dense_operator(stencil, air, make_near_wall(stencil, air));
      REQUIRE((op.mass.array() == 1.0).all());
      test::OpenBox box = test::random_box(size, 3);
      std::fill(box.u[0].begin(), box.u[0].end(), 0.0);
      const Eigen::VectorXd u = Eigen::Map<Eigen::VectorXd>(box.u[1].data(), static_cast<Index>(box.u[1].size()));
      test::step(box, stencil, 1, {true, true, true});
      const Eigen::VectorXd mirrored = Eigen::Map<Eigen::VectorXd>(box.u[0].data(), u.size());
      REQUIRE((op.S * u - mirrored).cwiseAbs().maxCoeff() < 1e-13);
    }
  }
}

TEST_CASE("A box of 10^9 nodes needs memory for its surface alone") {
  std::mt19937 random(8);
  const GridStencil stencil = test::any_stencil(Family::leggy, 4, random);
  const NearWall walls = make_near_wall(stencil, AirMask({1000, 1000, 1000}));
  REQUIRE(walls.node_count == 1000000000LL - 992LL * 992 * 992);
  REQUIRE(walls.bytes() < 200 << 20);
  REQUIRE(walls.bytes() == near_wall_bytes_of_box(stencil, {1000, 1000, 1000}));
}

TEST_CASE("Segments are ordered, repeat their pattern along x and never leave the room") {
  std::mt19937 random(9);
  const AirMask air = test::random_mask({40, 9, 8}, 0.9, random);
  const NearWall walls = make_near_wall(test::any_stencil(Family::leggy, 3, random), air);
  for (std::size_t i = 0; i < walls.segments.size(); ++i) {
    const WallSegment& s = walls.segments[i];
    if (i > 0) {
      const WallSegment& r = walls.segments[i - 1];
      REQUIRE((r.node < s.node || (r.node == s.node && r.pattern < s.pattern)));
    }
    REQUIRE(s.node % 40 + s.length <= 40);
    for (std::uint64_t n = s.node; n < s.node + s.length; ++n) {
      const int x = static_cast<int>(n % 40), y = static_cast<int>(n / 40 % 9), z = static_cast<int>(n / 360);
      REQUIRE(air(x, y, z));
      for (std::uint64_t e = walls.pattern_begin[s.pattern]; e < walls.pattern_begin[s.pattern + 1]; ++e) {
        const auto& d = walls.entries[e].offset;
        REQUIRE(air(x + d[0], y + d[1], z + d[2]));
      }
    }
  }
  // A flat floor is one segment a row, not one a node.
  REQUIRE(make_near_wall(test::any_stencil(Family::leggy, 1, random), AirMask({100, 50, 50})).segments.size() <
          std::size_t{2 * 50 * 50 + 4 * 50 + 1});
}

TEST_CASE("The near-wall list is the same for any number of threads") {
  std::mt19937 random(10);
  const AirMask air = test::random_mask({33, 10, 70}, 0.9, random);
  const int threads = omp_get_max_threads();
  for (const Family family : {Family::leggy, Family::box}) {
    const GridStencil stencil = test::any_stencil(family, 2, random);
    const auto method = family == Family::leggy ? WallMethod::run_fold : WallMethod::symmetrised_fold;
    omp_set_num_threads(1);
    const NearWall one = make_near_wall(stencil, air, method);
    omp_set_num_threads(7);
    REQUIRE(equal(one, make_near_wall(stencil, air, method)));
  }
  omp_set_num_threads(threads);
}

TEST_CASE("Run folding refuses a stencil with points off the axes, and every method one of too large a radius") {
  std::mt19937 random(11);
  REQUIRE_THROWS_AS(make_near_wall(test::any_stencil(Family::leggy, 32, random), AirMask({3, 3, 3})), Error);
  REQUIRE(make_near_wall(test::any_stencil(Family::leggy, 31, random), AirMask({3, 3, 3})).node_count == 27);
  REQUIRE_THROWS_AS(make_near_wall(test::any_stencil(Family::box, 1, random), AirMask({3, 3, 3}), WallMethod::run_fold),
                    Error);
}

TEST_CASE("In float every row is held by floats and sums to no more than before") {
  std::mt19937 random(12);
  const AirMask air = test::random_mask({8, 7, 6}, 0.7, random);
  for (const auto& [family, radius] : {std::pair{Family::leggy, 5}, {Family::box, 2}}) {
    const GridStencil stencil = rounded_to_float(test::any_stencil(family, radius, random));
    const auto method = family == Family::leggy ? WallMethod::run_fold : WallMethod::symmetrised_fold;
    const NearWall walls = make_near_wall(stencil, air, method), rounded = rounded_to_float(walls);
    for (const RowEntry& entry : rounded.entries)
      REQUIRE(static_cast<double>(static_cast<float>(entry.weight)) == entry.weight);
    const auto exact = test::dense_operator(stencil, air, walls), op = test::dense_operator(stencil, air, rounded);
    REQUIRE((op.S - exact.S).cwiseAbs().maxCoeff() < 1e-6);
    REQUIRE(op.S.rowwise().sum().maxCoeff() <= 2.0 + 1e-14);
  }
}

TEST_CASE("The wall of a node that has borrowed mass moves to its lenders, and no area is lost") {
  std::vector<BoundaryFace> faces = {
      {3, 0.5F, 1, 0}, {3, 0.25F, 0, 2}, {4, 1.0F, 1, 0}, {7, 0.5F, 1, 0}, {9, 0.0005F, 0, 5}};
  move_walls(faces, {{3, 2, 0.25}, {3, 4, 0.5}, {7, 8, 1.0}, {9, 8, 0.5}});
  const auto area = [&](std::uint64_t node, int material, int side) {
    double sum = 0.0;
    for (const BoundaryFace& face : faces)
      if (face.node == node && face.material == material && face.side == side) sum += static_cast<double>(face.area);
    return sum;
  };
  CHECK(area(3, 1, 0) == 0.125);
  CHECK(area(2, 1, 0) == 0.125);
  CHECK(area(2, 0, 2) == 0.0625);
  CHECK(area(4, 0, 2) == 0.125);
  CHECK(area(4, 1, 0) == 1.25);  // one face of both
  CHECK(area(8, 1, 0) == 0.5);
  CHECK(area(9, 0, 5) == Approx(0.0005));  // too little to move
  CHECK(faces.size() == 8);
  CHECK(std::is_sorted(faces.begin(), faces.end(),
                       [](const BoundaryFace& a, const BoundaryFace& b) { return a.node < b.node; }));
  const std::vector<BoundaryFace> before = faces;
  move_walls(faces, {});
  CHECK(faces.size() == before.size());
}
