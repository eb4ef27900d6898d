#include "engine/multigrid/transfer.hpp"

#include <omp.h>

#include "engine/vector/multigrid_code.hpp"

namespace fdtd::multigrid {
namespace {

constexpr std::ptrdiff_t worth_threads = 1 << 14;  // nodes of the fine grid

// A line of values for each thread, taken before they start: no exception may leave a parallel region.
class Lines {
 public:
  explicit Lines(int length)
      : length_(static_cast<std::size_t>(length)),
        values_(length_ * static_cast<std::size_t>(omp_get_max_threads()), 0.0F) {}
  float* mine() { return values_.data() + length_ * static_cast<std::size_t>(omp_get_thread_num()); }

 private:
  std::size_t length_;
  std::vector<float> values_;
};

}  // namespace

void restrict_residual(const NodeGrid& fine, const std::vector<float>& r, const NodeGrid& coarse,
                       std::vector<float>& b) {
  const int rows = coarse.nodes[1] * coarse.nodes[2];
  Lines lines(2 * coarse.nodes[0] + 3);  // one node more on both sides, and as many as an odd number of cells lacks
#pragma omp parallel if (fine.count() > worth_threads)
  {
    float* const summed = lines.mine();
#pragma omp for schedule(static)
    for (int row = 0; row < rows; ++row) {
      const int y = row % coarse.nodes[1], z = row / coarse.nodes[1];
      const float* from[9] = {};
      for (int k = 0; k < 9; ++k) {
        const int fy = 2 * y + k % 3 - 1, fz = 2 * z + k / 3 - 1;
        if (fy >= 0 && fy < fine.nodes[1] && fz >= 0 && fz < fine.nodes[2]) from[k] = r.data() + fine.at(0, fy, fz);
      }
      cpu::multigrid_code().gather_rows(from, summed + 1, fine.nodes[0]);
      float* const to = b.data() + coarse.at(0, y, z);
      for (int x = 0; x < coarse.nodes[0]; ++x) {
        const float* const at = summed + 1 + 2 * static_cast<std::ptrdiff_t>(x);
        to[x] = at[0] + 0.5F * (at[-1] + at[1]);
      }
    }
  }
}

void restrict_sums(const NodeGrid& fine, const std::vector<double>& from, const NodeGrid& coarse,
                   std::vector<double>& to) {
#pragma omp parallel for schedule(static) if (fine.count() > worth_threads)
  for (int z = 0; z < coarse.nodes[2]; ++z)
    for (int y = 0; y < coarse.nodes[1]; ++y)
      for (int x = 0; x < coarse.nodes[0]; ++x) {
        double sum = 0.0;
        for (int k = 0; k < 27; ++k) {
          const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
          const int i = 2 * x + dx, j = 2 * y + dy, l = 2 * z + dz;
          if (i < 0 || j < 0 || l < 0 || i >= fine.nodes[0] || j >= fine.nodes[1] || l >= fine.nodes[2]) continue;
          sum += from[fine.index(i, j, l)] / static_cast<double>(1 << (dx * dx + dy * dy + dz * dz));
        }
        to[coarse.index(x, y, z)] = sum;
      }
}

void prolong_and_add(const NodeGrid& coarse, const std::vector<float>& e, const NodeGrid& fine,
                     const std::vector<float>& inverse, std::vector<float>& u) {
  const int rows = fine.nodes[1] * fine.nodes[2];
  Lines lines(coarse.nodes[0] + 1);
#pragma omp parallel if (fine.count() > worth_threads)
  {
    float* const mean = lines.mine();
#pragma omp for schedule(static)
    for (int row = 0; row < rows; ++row) {
      const int y = row % fine.nodes[1], z = row / fine.nodes[1];
      const float* const a = e.data() + coarse.at(0, y / 2, z / 2);
      const std::ptrdiff_t up = y % 2 * coarse.row, back = z % 2 * coarse.plane;
      for (int x = 0; x < coarse.nodes[0]; ++x)
        mean[x] = 0.25F * ((a[x] + a[x + up]) + (a[x + back] + a[x + up + back]));
      float* const to = u.data() + fine.at(0, y, z);
      const float* const there = inverse.data() + fine.at(0, y, z);
      for (int x = 0; x < fine.nodes[0]; ++x) {
        const int i = x / 2;
        const float value = x % 2 == 0 ? mean[i] : 0.5F * (mean[i] + mean[i + 1]);
        if (there[x] > 0.0F) to[x] += value;
      }
    }
  }
}

}  // namespace fdtd::multigrid
