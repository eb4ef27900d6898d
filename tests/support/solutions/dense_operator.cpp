#include "tests/support/solutions/dense_operator.hpp"

#include <algorithm>
#include <unordered_map>

namespace fdtd::test {
namespace {

template <class Visit>
void for_each_point(const Term& term, const Visit& visit) {
  const auto [a, b, c] = term.offset;
  for (int z : c == 0 ? std::vector<int>{0} : std::vector<int>{-c, c}) {
    for (int y : b == 0 ? std::vector<int>{0} : std::vector<int>{-b, b}) {
      for (int x : a == 0 ? std::vector<int>{0} : std::vector<int>{-a, a}) visit(x, y, z);
    }
  }
}

}  // namespace

DenseOperator dense_operator(const GridStencil& stencil, const AirMask& air, const NearWall& walls) {
  DenseOperator op;
  const auto [nx, ny, nz] = air.size();
  const auto number = [nx = nx, ny = ny](int x, int y, int z) {
    return static_cast<std::uint64_t>(x) +
           static_cast<std::uint64_t>(nx) *
               (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(z));
  };
  std::unordered_map<std::uint64_t, Eigen::Index> row_of;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        if (!air(x, y, z)) continue;
        row_of[number(x, y, z)] = static_cast<Eigen::Index>(op.nodes.size());
        op.nodes.push_back(number(x, y, z));
      }
    }
  }
  const auto n = static_cast<Eigen::Index>(op.nodes.size());
  op.S = Eigen::MatrixXd::Identity(n, n) * stencil.centre;
  op.mass = Eigen::VectorXd::Ones(n);
  const auto place = [&, nx = nx, ny = ny](std::uint64_t node) {
    const auto w = static_cast<std::uint64_t>(nx), h = static_cast<std::uint64_t>(ny);
    return std::array<int, 3>{static_cast<int>(node % w), static_cast<int>(node / w % h),
                              static_cast<int>(node / (w * h))};
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto [x, y, z] = place(op.nodes[static_cast<std::size_t>(i)]);
    for (const Term& term : stencil.terms) {
      for_each_point(term, [&, x = x, y = y, z = z](int dx, int dy, int dz) {
        if (air(x + dx, y + dy, z + dz)) op.S(i, row_of.at(number(x + dx, y + dy, z + dz))) += term.weight;
      });
    }
  }
  for (const WallSegment& segment : walls.segments) {
    for (std::uint64_t node = segment.node; node < segment.node + segment.length; ++node) {
      const auto [x, y, z] = place(node);
      for (std::uint64_t e = walls.pattern_begin[segment.pattern]; e < walls.pattern_begin[segment.pattern + 1]; ++e) {
        const auto [dx, dy, dz] = walls.entries[e].offset;
        op.S(row_of.at(node), row_of.at(number(x + dx, y + dy, z + dz))) += walls.entries[e].weight;
      }
    }
  }
  for (const NodeMass& mass : walls.masses) op.mass(row_of.at(mass.node)) = mass.mass;
  return op;
}

std::array<double, 2> spectrum(const DenseOperator& op) {
  const Eigen::VectorXd root = op.mass.cwiseSqrt();
  const Eigen::MatrixXd scaled = root.asDiagonal() * op.S * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((scaled + scaled.transpose()) / 2, Eigen::EigenvaluesOnly);
  return {eigen.eigenvalues().minCoeff(), eigen.eigenvalues().maxCoeff()};
}

double asymmetry(const DenseOperator& op) {
  const Eigen::MatrixXd MS = op.mass.asDiagonal() * op.S;
  return (MS - MS.transpose()).cwiseAbs().maxCoeff();
}

AirMask random_mask(std::array<int, 3> size, double fraction, std::mt19937& random) {
  std::vector<char> air(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                        static_cast<std::size_t>(size[2]));
  std::bernoulli_distribution is_air(fraction);
  for (char& voxel : air) voxel = is_air(random) ? 1 : 0;
  air[air.size() / 2] = 1;
  return AirMask(size, air);
}

GridStencil any_stencil(Family family, int radius, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-0.1, 0.2);
  GridStencil stencil;
  stencil.family = family;
  stencil.courant = {0.5, 0.5, 0.5};
  stencil.radius = radius;
  double sum = 0.0;
  for (int a = 0; a <= radius; ++a) {
    for (int b = 0; b <= a; ++b) {
      for (int c = 0; c <= b; ++c) {
        if (a == 0 || (family == Family::leggy && b > 0)) continue;
        const double w = weight(random);
        std::array<int, 3> q = {c, b, a};
        do {
          stencil.terms.push_back({q, w});
          sum += w * image_count(stencil.terms.back());
        } while (std::next_permutation(q.begin(), q.end()));
      }
    }
  }
  stencil.centre = 2.0 - sum;
  return stencil;
}

}  // namespace fdtd::test
