// The coarsest level: a dense inverse.
#pragma once

#include <cstddef>
#include <vector>

namespace fdtd::multigrid {

// The inverse of a symmetric positive semidefinite n x n matrix, row by row; rows of zeros have rows of zeros in it.
std::vector<float> dense_inverse(const std::vector<double>& matrix, std::size_t n);

}  // namespace fdtd::multigrid
