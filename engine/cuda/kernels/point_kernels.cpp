#include "engine/cuda/kernels/point_kernels.hpp"

namespace fdtd::cuda {

std::vector<Tile> point_tiles() {
  return {{32, 4, 2}, {32, 8, 1}, {32, 2, 4}, {64, 4, 1}, {64, 2, 2}, {128, 2, 1}, {32, 4, 1}};
}

double point_bytes(const Job& job) {
  return static_cast<double>(job.layout.value_bytes) * (2 + job.stencil.point_count());
}

}  // namespace fdtd::cuda
