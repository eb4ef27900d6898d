// The update of a room's nodes as a sparse matrix, and its lowest modes.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <vector>

#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::test {

struct SparseOperator {
  Eigen::SparseMatrix<double> stiffness;      // M (2 - S), symmetric
  Eigen::VectorXd mass;                       // of each air node
  std::vector<int> index;                     // of each node of the grid, or -1
  std::vector<std::array<double, 3>> places;  // of air nodes, in voxels from the grid's corner
};

SparseOperator sparse_operator(const GridStencil& stencil, const AirMask& air, const NearWall& walls);

// The `count` lowest eigenvalues of stiffness to mass, ascending, by inverse iteration on a random space.
Eigen::VectorXd lowest_eigenvalues(const SparseOperator& op, int count);

}  // namespace fdtd::test
