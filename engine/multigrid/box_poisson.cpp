#include "engine/multigrid/box_poisson.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "engine/vector/kernels.hpp"
#include "engine/vector/multigrid_code.hpp"

namespace fdtd::multigrid {
namespace {

constexpr std::ptrdiff_t worth_threads = 1 << 15;  // nodes
// Rows and planes of one call: what it reads of the field stays in the second-level cache.
constexpr int block_rows = 16, block_planes = 32;
constexpr int tile = 16;  // fine rows and planes whose residual is restricted at once

template <class T>
struct Weights {
  T shells[shell_count] = {};
  cpu::RowStencil<T> stencil{};
  Weights(const NodeGrid& grid, const std::array<double, 4>& weights) {
    for (int i = 0; i < 4; ++i)
      shells[shell_of(i > 0 ? 1 : 0, i > 1 ? 1 : 0, i > 2 ? 1 : 0)] =
          static_cast<T>(weights[static_cast<std::size_t>(i)]);
    stencil.row = grid.row;
    stencil.plane = grid.plane;
    stencil.shape = cpu::Shape::up_to_111;
    stencil.shells = shells;
    stencil.centre = shells[0];
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
};

// Calls block(y, rows, z, planes) for all blocks.
template <class Block>
void for_blocks(const NodeGrid& grid, int rows, int planes, const Block& block) {
  const int along_y = (grid.nodes[1] + rows - 1) / rows, along_z = (grid.nodes[2] + planes - 1) / planes;
#pragma omp parallel for schedule(static) if (grid.count() > worth_threads)
  for (int i = 0; i < along_y * along_z; ++i) {
    const int y = i % along_y * rows, z = i / along_y * planes;
    block(y, std::min(rows, grid.nodes[1] - y), z, std::min(planes, grid.nodes[2] - z));
  }
}

std::array<double, 4> negated(std::array<double, 4> weights) {
  for (double& one : weights) one = -one;
  return weights;
}

// Sums of squares over blocks of fixed places, and so the same for any number of threads.
class Squares {
 public:
  explicit Squares(const NodeGrid& grid)
      : grid_(&grid),
        along_y_((grid.nodes[1] + block_rows - 1) / block_rows),
        sums_(static_cast<std::size_t>(along_y_ * ((grid.nodes[2] + block_planes - 1) / block_planes)), 0.0) {}
  void add(const std::vector<float>& values, int y, int rows, int z, int planes) {
    constexpr std::ptrdiff_t lanes = 8;
    std::array<double, lanes> sums{};
    for (int k = z; k < z + planes; ++k)
      for (int j = y; j < y + rows; ++j) {
        const float* const row = values.data() + grid_->at(0, j, k);
        for (std::ptrdiff_t x = 0; x < grid_->row - lanes; x += lanes)  // pads are zero
          for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
            const auto value = static_cast<double>(row[x + lane]);
            sums[static_cast<std::size_t>(lane)] += value * value;
          }
      }
    double& sum = sums_[static_cast<std::size_t>(y / block_rows + along_y_ * (z / block_planes))];
    for (const double one : sums) sum += one;
  }
  double root() const {
    double sum = 0.0;
    for (const double one : sums_) sum += one;
    return std::sqrt(sum);
  }

 private:
  const NodeGrid* grid_;
  int along_y_;
  std::vector<double> sums_;
};

}  // namespace

double BoxPoisson::bytes(const std::array<int, 3>& nodes) {
  double all = 0.0;
  for (const auto& level : box_levels(nodes)) all += 12.0 * static_cast<double>(NodeGrid(level).size);
  return all + 12.0 * static_cast<double>(NodeGrid(nodes).size);
}

BoxPoisson::BoxPoisson(const std::array<int, 3>& nodes, const Cycle& cycle)
    : cycle_(cycle), steps_(smoothing_steps(cycle, eigenvalue_limit(element_stiffness({1.0, 1.0, 1.0})))) {
  for (const auto& size : box_levels(nodes)) {
    Level level;
    level.grid = NodeGrid(size);
    for (std::vector<float>* values : {&level.u, &level.b, &level.other}) values->assign(level.grid.size, 0.0F);
    levels_.push_back(std::move(level));
  }
  coarsest_inverse_ = box_inverse(levels_.back().grid.nodes);
  b_.assign(grid().size, 0.0F);
  u_.assign(grid().size, 0.0);
}

void BoxPoisson::sweep(Level& level, const std::array<double, 4>& weights, double scale, const std::vector<float>& from,
                       std::vector<float>& to) {
  const Weights<float> W(level.grid, weights);
  for_blocks(level.grid, block_rows, block_planes, [&](int y, int rows, int z, int planes) {
    const std::ptrdiff_t at = level.grid.at(0, y, z);
    cpu::multigrid_code().sweep(W.stencil, static_cast<float>(scale), from.data() + at, level.b.data() + at,
                                to.data() + at, level.grid.nodes[0], rows, planes);
  });
}

void BoxPoisson::smooth(Level& level, bool from_zero, bool reversed) {
  std::vector<float> steps = steps_;
  if (reversed) std::ranges::reverse(steps);
  std::size_t s = 0;
  const auto step = [&](std::size_t i) { return static_cast<double>(steps[i]); };
  if (from_zero && steps.size() == 1) {
    sweep(level, {step(0) / box_weights[0], 0.0, 0.0, 0.0}, 0.0, level.b, level.u);
    s = 1;
  } else if (from_zero) {
    sweep(level, first_two_sweeps(step(0), step(1)), 0.0, level.b, level.u);
    s = 2;
  }
  for (; s < steps.size(); ++s) {
    if (reversed && &level == &levels_.front() && s + 1 == steps.size()) return sweep_into_solution(step(s));
    const SweepWeights one = smoothing_sweep(step(s));
    sweep(level, one.weights, one.scale, level.u, level.other);
    level.u.swap(level.other);
  }
}

// A tile of residuals stays in the second-level cache: it is computed from b there, and restricted.
void BoxPoisson::restrict_to(const Level& fine, Level& coarse) {
  const Weights<float> W(fine.grid, negated(box_weights));
  constexpr int span = tile + 1;
  const std::ptrdiff_t row = fine.grid.row, plane = row * span;
  const NodeGrid& to = coarse.grid;
  const int along_y = (to.nodes[1] + tile / 2 - 1) / (tile / 2), along_z = (to.nodes[2] + tile / 2 - 1) / (tile / 2);
  // Taken before the threads start: no exception may leave a parallel region.
  const auto a_thread = static_cast<std::size_t>(plane * span + row);
  std::vector<float> taken(a_thread * static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel if (fine.grid.count() > worth_threads)
  {
    float* const r = taken.data() + a_thread * static_cast<std::size_t>(omp_get_thread_num());
    float* const summed = r + plane * span;
#pragma omp for schedule(static)
    for (int i = 0; i < along_y * along_z; ++i) {
      const int y0 = i % along_y * (tile / 2), z0 = i / along_y * (tile / 2);
      const int ny = std::min(tile / 2, to.nodes[1] - y0), nz = std::min(tile / 2, to.nodes[2] - z0);
      // Coarse node y0 lies at the fine node 2 y0 + 1.
      for (int z = 0; z < 2 * nz + 1; ++z)
        for (int y = 0; y < 2 * ny + 1; ++y)
          std::copy_n(fine.b.data() + fine.grid.at(0, 2 * y0 + y, 2 * z0 + z), fine.grid.nodes[0],
                      r + plane * z + row * y);
      cpu::multigrid_code().accumulate(W.stencil, fine.u.data() + fine.grid.at(0, 2 * y0, 2 * z0), r, row, plane,
                                       fine.grid.nodes[0], 2 * ny + 1, 2 * nz + 1);
      for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y) {
          const float* rows[9];
          for (int k = 0; k < 9; ++k) rows[k] = r + plane * (2 * z + k / 3) + row * (2 * y + k % 3);
          cpu::multigrid_code().gather_rows(rows, summed, fine.grid.nodes[0]);
          float* const out = coarse.b.data() + to.at(0, y0 + y, z0 + z);
          for (int x = 0; x < to.nodes[0]; ++x) {
            const float* const at = summed + 2 * static_cast<std::ptrdiff_t>(x);
            out[x] = 0.5F * (at[1] + 0.5F * (at[0] + at[2]));
          }
        }
    }
  }
}

void BoxPoisson::prolong(const Level& coarse, Level& fine) {
  const NodeGrid &from = coarse.grid, &to = fine.grid;
  const std::size_t length = static_cast<std::size_t>(from.nodes[0]) + 2;  // with both walls
  std::vector<float> taken(length * static_cast<std::size_t>(omp_get_max_threads()), 0.0F);
#pragma omp parallel if (to.count() > worth_threads)
  {
    float* const mean = taken.data() + length * static_cast<std::size_t>(omp_get_thread_num());
#pragma omp for schedule(static)
    for (int i = 0; i < to.nodes[1] * to.nodes[2]; ++i) {
      const int y = i % to.nodes[1], z = i / to.nodes[1];
      // Fine node y lies at the coarse node (y - 1) / 2, or between it and the next; the halo holds the walls' zeros.
      const float* const a =
          coarse.u.data() + from.at(0, y % 2 == 0 ? y / 2 - 1 : y / 2, z % 2 == 0 ? z / 2 - 1 : z / 2);
      const std::ptrdiff_t up = y % 2 == 0 ? from.row : 0, back = z % 2 == 0 ? from.plane : 0;
      for (int x = 0; x < from.nodes[0]; ++x)
        mean[static_cast<std::size_t>(x) + 1] = 0.25F * ((a[x] + a[x + up]) + (a[x + back] + a[x + up + back]));
      float* const out = fine.u.data() + to.at(0, y, z);
      for (int x = 0; x < from.nodes[0]; ++x) {
        const auto m = static_cast<std::size_t>(x) + 1;
        out[2 * x] += 0.5F * (mean[m - 1] + mean[m]);
        out[2 * x + 1] += mean[m];
      }
      out[to.nodes[0] - 1] += 0.5F * mean[static_cast<std::size_t>(from.nodes[0])];
    }
  }
}

void BoxPoisson::visit(std::size_t l, bool from_zero) {
  Level& level = levels_[l];
  if (l + 1 == levels_.size()) {
    const NodeGrid& of = level.grid;
    std::size_t i = 0;
    const auto n = static_cast<std::size_t>(of.count());
    std::vector<float> b;
    for (int z = 0; z < of.nodes[2]; ++z)
      for (int y = 0; y < of.nodes[1]; ++y)
        for (int x = 0; x < of.nodes[0]; ++x) b.push_back(level.b[of.index(x, y, z)]);
    for (int z = 0; z < of.nodes[2]; ++z)
      for (int y = 0; y < of.nodes[1]; ++y)
        for (int x = 0; x < of.nodes[0]; ++x, ++i) {
          double sum = 0.0;
          for (std::size_t j = 0; j < n; ++j)
            sum += static_cast<double>(coarsest_inverse_[i * n + j]) * static_cast<double>(b[j]);
          level.u[of.index(x, y, z)] = static_cast<float>(sum);
        }
    return;
  }
  smooth(level, from_zero, false);
  restrict_to(level, levels_[l + 1]);
  for (int i = 0; i < (l + 2 == levels_.size() ? 1 : cycle_.visits); ++i) visit(l + 1, i == 0);
  prolong(levels_[l + 1], level);
  smooth(level, false, true);
}

double BoxPoisson::residual() {
  Level& finest = levels_.front();
  const Weights<double> W(finest.grid, negated(box_weights));
  if (norm_of_b_ < 0.0) {
    Squares of_b(finest.grid);
    for_blocks(finest.grid, block_rows, block_planes,
               [&](int y, int rows, int z, int planes) { of_b.add(b_, y, rows, z, planes); });
    norm_of_b_ = of_b.root();
  }
  Squares left(finest.grid);
  for_blocks(finest.grid, block_rows, block_planes, [&](int y, int rows, int z, int planes) {
    const std::ptrdiff_t at = finest.grid.at(0, y, z);
    cpu::multigrid_code().residual(W.stencil, u_.data() + at, b_.data() + at, finest.b.data() + at,
                                   finest.grid.nodes[0], rows, planes);
    left.add(finest.b, y, rows, z, planes);  // while the block is in the cache
  });
  return norm_of_b_ > 0.0 ? left.root() / norm_of_b_ : 0.0;
}

void BoxPoisson::sweep_into_solution(double step) {
  Level& finest = levels_.front();
  const SweepWeights one = smoothing_sweep(step);
  const Weights<float> W(finest.grid, one.weights);
  for_blocks(finest.grid, block_rows, block_planes, [&](int y, int rows, int z, int planes) {
    const std::ptrdiff_t at = finest.grid.at(0, y, z);
    cpu::multigrid_code().sweep_into(W.stencil, static_cast<float>(one.scale), finest.u.data() + at,
                                     finest.b.data() + at, u_.data() + at, finest.grid.nodes[0], rows, planes);
  });
}

void BoxPoisson::cycle() {
  visit(0, true);
  if (levels_.size() > 1) return;  // the last sweep has gone into the solution
  const Level& finest = levels_.front();
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += static_cast<double>(finest.u[i]);
}

void BoxPoisson::sweep_once() {
  Level& finest = levels_.front();
  const SweepWeights one = smoothing_sweep(1.0);
  sweep(finest, one.weights, one.scale, finest.u, finest.other);
}

void BoxPoisson::triad() {
  Level& finest = levels_.front();
  const cpu::Kernel& kernel = cpu::choose_kernel("");
  const cpu::RowStencil<float> none{};
  const auto functions = kernel.f32(none);
#pragma omp parallel for schedule(static) if (finest.grid.count() > worth_threads)
  for (int z = 0; z < finest.grid.nodes[2]; ++z)
    functions.triad(finest.u.data(), finest.other.data(), finest.grid.plane * (z + 1), finest.grid.plane * (z + 2));
}

}  // namespace fdtd::multigrid
