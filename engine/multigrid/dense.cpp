#include "engine/multigrid/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace fdtd::multigrid {

std::vector<float> dense_inverse(const std::vector<double>& matrix, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd A = Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size);
  std::vector<bool> empty(n);
  for (Eigen::Index i = 0; i < size; ++i) {
    empty[static_cast<std::size_t>(i)] = !(A(i, i) > 0.0);
    if (!(A(i, i) > 0.0)) A(i, i) = 1.0;
  }
  const Eigen::MatrixXd inverse = A.ldlt().solve(Eigen::MatrixXd::Identity(size, size));
  std::vector<float> out(n * n, 0.0F);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!empty[i] && !empty[j])
        out[i * n + j] = static_cast<float>(inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  return out;
}

}  // namespace fdtd::multigrid
