// The whole operator S of a room as a matrix, from the definition of plan data: plain rows (wall reads as zero) plus
// the near-wall corrections. For small rooms.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "engine/walls/near_wall_operator.hpp"

namespace fdtd::test {

struct DenseOperator {
  Eigen::MatrixXd S;  // on the air nodes
  Eigen::VectorXd mass;
  std::vector<std::uint64_t> nodes;  // node number of each row
};

DenseOperator dense_operator(const GridStencil& stencil, const AirMask& air, const NearWall& walls);

// Smallest and largest eigenvalue of S in the mass inner product.
std::array<double, 2> spectrum(const DenseOperator& op);

// Largest |M S - (M S)^T|.
double asymmetry(const DenseOperator& op);

// A room in which every voxel is air with probability `fraction` (at least one is).
AirMask random_mask(std::array<int, 3> size, double fraction, std::mt19937& random);

// Weights of no stencil in particular: every shell up to `radius`, random, for symmetry and geometry alone.
GridStencil any_stencil(Family family, int radius, std::mt19937& random);

}  // namespace fdtd::test
