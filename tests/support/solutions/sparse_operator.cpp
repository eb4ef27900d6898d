#include "tests/support/solutions/sparse_operator.hpp"

#include <random>
#include <stdexcept>

namespace fdtd::test {
namespace {

std::size_t number(const std::array<int, 3>& at, const std::array<int, 3>& size) {
  return static_cast<std::size_t>(at[0]) +
         static_cast<std::size_t>(size[0]) *
             (static_cast<std::size_t>(at[1]) + static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(at[2]));
}

// The signs of a term's images: each once.
std::vector<std::array<int, 3>> images(const Term& term) {
  std::vector<std::array<int, 3>> found;
  for (unsigned sign = 0; sign < 8; ++sign) {
    std::array<int, 3> offset{};
    bool once = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool minus = (sign >> d & 1U) != 0;
      once = once && !(minus && term.offset[d] == 0);
      offset[d] = minus ? -term.offset[d] : term.offset[d];
    }
    if (once) found.push_back(offset);
  }
  return found;
}

}  // namespace

SparseOperator sparse_operator(const GridStencil& stencil, const AirMask& air, const NearWall& walls) {
  const auto size = air.size();
  SparseOperator op;
  op.index.assign(
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]), -1);
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      for (int x = 0; x < size[0]; ++x) {
        if (!air(x, y, z)) continue;
        op.index[number({x, y, z}, size)] = static_cast<int>(op.places.size());
        op.places.push_back({x + 0.5, y + 0.5, z + 0.5});
      }
    }
  }
  const auto n = static_cast<Eigen::Index>(op.places.size());
  op.mass = Eigen::VectorXd::Ones(n);
  for (const NodeMass& one : walls.masses) op.mass[op.index[one.node]] = one.mass;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int to, double weight) { entries.emplace_back(row, to, op.mass[row] * weight); };
  for (int row = 0; row < n; ++row) {
    add(row, row, 2.0 - stencil.centre);
    const auto& at = op.places[static_cast<std::size_t>(row)];
    for (const Term& term : stencil.terms) {
      for (const auto& offset : images(term)) {
        std::array<int, 3> to{};
        for (std::size_t d = 0; d < 3; ++d) to[d] = static_cast<int>(at[d]) + offset[d];
        if (air(to[0], to[1], to[2])) add(row, op.index[number(to, size)], -term.weight);
      }
    }
  }
  for (const WallSegment& segment : walls.segments) {
    for (std::uint32_t i = 0; i < segment.length; ++i) {
      const std::uint64_t node = segment.node + i;
      for (std::uint64_t e = walls.pattern_begin[segment.pattern]; e < walls.pattern_begin[segment.pattern + 1]; ++e) {
        const RowEntry& entry = walls.entries[e];
        const std::int64_t to =
            static_cast<std::int64_t>(node) + entry.offset[0] +
            std::int64_t{size[0]} * (entry.offset[1] + std::int64_t{size[1]} * std::int64_t{entry.offset[2]});
        add(op.index[node], op.index[static_cast<std::size_t>(to)], -entry.weight);
      }
    }
  }
  op.stiffness.resize(n, n);
  op.stiffness.setFromTriplets(entries.begin(), entries.end());
  return op;
}

Eigen::VectorXd lowest_eigenvalues(const SparseOperator& op, int count) {
  const Eigen::SparseMatrix<double> mass(op.mass.asDiagonal());
  const Eigen::SparseMatrix<double> shifted = op.stiffness + 1e-5 * mass;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(shifted);
  if (solver.info() != Eigen::Success) throw std::runtime_error("lowest_eigenvalues: not positive");
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd space = Eigen::MatrixXd::NullaryExpr(op.mass.size(), count + 6, [&] { return normal(random); });
  Eigen::VectorXd values;
  for (int round = 0; round < 14; ++round) {
    const Eigen::MatrixXd next = solver.solve(op.mass.asDiagonal() * space);
    const Eigen::MatrixXd weights = next.transpose() * (op.mass.asDiagonal() * next),
                          form = next.transpose() * (op.stiffness * next);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> ritz(form, weights);
    space = next * ritz.eigenvectors();
    values = ritz.eigenvalues();
  }
  return values.head(count);
}

}  // namespace fdtd::test
