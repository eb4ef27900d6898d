#include "engine/multigrid/masked.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/cpu/field/multigrid_code.hpp"
#include "engine/multigrid/dense.hpp"
#include "engine/multigrid/transfer.hpp"

namespace fdtd::multigrid {
namespace {

constexpr std::ptrdiff_t coarsest_count = 400;     // nodes at most, where it can be
constexpr std::ptrdiff_t worth_threads = 1 << 14;  // nodes

std::array<int, 3> halved(const std::array<int, 3>& cells) {
  return {(cells[0] + 1) / 2, (cells[1] + 1) / 2, (cells[2] + 1) / 2};
}
std::array<int, 3> corners(const std::array<int, 3>& cells) { return {cells[0] + 1, cells[1] + 1, cells[2] + 1}; }

// Calls row(y, z) for all rows of nodes.
template <class Row>
void for_rows(const NodeGrid& grid, const Row& row) {
  const int rows = grid.nodes[1] * grid.nodes[2];
#pragma omp parallel for schedule(static) if (grid.count() > worth_threads)
  for (int r = 0; r < rows; ++r) row(r % grid.nodes[1], r / grid.nodes[1]);
}

template <class T, class Level>
cpu::MaskedOperator<T> operator_of(const Level& level, const std::vector<T>& diagonal) {
  cpu::MaskedOperator<T> A{level.grid.row, level.grid.plane, level.element.data(), diagonal.data(), {}};
  for (std::size_t i = 0; i < 8; ++i) A.weight[i] = static_cast<T>(level.weight[i]);
  return A;
}

// The mean of the eight children.
std::vector<float> coarsened(const NodeGrid& fine, const std::vector<float>& element, const NodeGrid& coarse) {
  std::vector<float> out(coarse.size, 0.0F);
  for (int z = 0; z + 1 < coarse.nodes[2]; ++z)
    for (int y = 0; y + 1 < coarse.nodes[1]; ++y)
      for (int x = 0; x + 1 < coarse.nodes[0]; ++x) {
        float sum = 0.0F;
        for (int child = 0; child < 8; ++child) {
          const int i = 2 * x + child % 2, j = 2 * y + child / 2 % 2, k = 2 * z + child / 4;
          if (i + 1 < fine.nodes[0] && j + 1 < fine.nodes[1] && k + 1 < fine.nodes[2])
            sum += element[fine.index(i, j, k)];
        }
        out[coarse.index(x, y, z)] = sum / 8.0F;
      }
  return out;
}

}  // namespace

MaskedMultigrid::MaskedMultigrid(const Elements& elements, const Cycle& cycle) : cycle_(cycle) {
  const auto& n = elements.cells;
  const std::size_t count =
      static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
  if (n[0] < 1 || n[1] < 1 || n[2] < 1 || elements.coefficient.size() != count)
    throw std::invalid_argument("multigrid: the coefficients do not match the cells");
  if (std::ranges::none_of(elements.coefficient, [](float k) { return k > 0.0F; }))
    throw std::invalid_argument("multigrid: the mask is empty");
  std::array<int, 3> cells = n;
  std::array<double, 3> h = elements.spacing;
  while (true) {
    Level level;
    level.grid = NodeGrid(corners(cells));
    if (levels_.empty()) {
      level.element.assign(level.grid.size, 0.0F);
      std::size_t c = 0;
      for (int z = 0; z < n[2]; ++z)
        for (int y = 0; y < n[1]; ++y)
          for (int x = 0; x < n[0]; ++x) level.element[level.grid.index(x, y, z)] = elements.coefficient[c++];
    } else {
      level.element = coarsened(levels_.back().grid, levels_.back().element, level.grid);
    }
    level.weight = element_stiffness(h);
    level.stiffness.assign(level.grid.size, 0.0);
    for (int z = 0; z < level.grid.nodes[2]; ++z)
      for (int y = 0; y < level.grid.nodes[1]; ++y)
        for (int x = 0; x < level.grid.nodes[0]; ++x) {
          double sum = 0.0;
          for (int e = 0; e < 8; ++e)
            sum += static_cast<double>(level.element[level.grid.index(x - e % 2, y - e / 2 % 2, z - e / 4)]);
          level.stiffness[level.grid.index(x, y, z)] = level.weight[0] * sum;
        }
    level.steps = smoothing_steps(cycle_, eigenvalue_limit(level.weight));
    for (std::vector<float>* values : {&level.diagonal, &level.inverse, &level.u, &level.b, &level.other})
      values->assign(level.grid.size, 0.0F);
    level.extra.assign(level.grid.size, 0.0);
    const bool last = level.grid.count() <= coarsest_count || halved(cells) == cells;
    levels_.push_back(std::move(level));
    if (last) break;
    for (std::size_t d = 0; d < 3; ++d) h[d] *= 2.0;
    cells = halved(cells);
  }
}

void MaskedMultigrid::set_diagonal(std::span<const double> diagonal) {
  Level& finest = levels_.front();
  if (diagonal.size() != finest.grid.size) throw std::invalid_argument("multigrid: the diagonal does not match");
  std::copy(diagonal.begin(), diagonal.end(), finest.extra.begin());
  finish_diagonal(finest);
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    restrict_sums(levels_[l - 1].grid, levels_[l - 1].extra, levels_[l].grid, levels_[l].extra);
    finish_diagonal(levels_[l]);
  }
  make_coarsest();
}

void MaskedMultigrid::finish_diagonal(Level& level) const {
  for_rows(level.grid, [&](int y, int z) {
    for (int x = 0; x < level.grid.nodes[0]; ++x) {
      const std::size_t i = level.grid.index(x, y, z);
      const double sum = level.stiffness[i] + level.extra[i];
      level.diagonal[i] = static_cast<float>(level.extra[i]);
      level.inverse[i] = level.stiffness[i] > 0.0 ? static_cast<float>(1.0 / sum) : 0.0F;
    }
  });
}

void MaskedMultigrid::make_coarsest() {
  Level& level = levels_.back();
  coarsest_nodes_.clear();
  for (int z = 0; z < level.grid.nodes[2]; ++z)
    for (int y = 0; y < level.grid.nodes[1]; ++y)
      for (int x = 0; x < level.grid.nodes[0]; ++x)
        if (const std::size_t i = level.grid.index(x, y, z); level.inverse[i] > 0.0F) coarsest_nodes_.push_back(i);
  const std::size_t n = coarsest_nodes_.size();
  std::vector<double> matrix(n * n), unit(level.grid.size, 0.0), image(level.grid.size, 0.0);
  const auto A = operator_of<double>(level, level.extra);
  for (std::size_t j = 0; j < n; ++j) {
    unit[coarsest_nodes_[j]] = 1.0;
    for (int z = 0; z < level.grid.nodes[2]; ++z)
      for (int y = 0; y < level.grid.nodes[1]; ++y)
        cpu::multigrid_code().product(A, unit.data(), image.data(), level.grid.at(0, y, z), level.grid.nodes[0]);
    unit[coarsest_nodes_[j]] = 0.0;
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + j] = image[coarsest_nodes_[i]];
  }
  coarsest_inverse_ = dense_inverse(matrix, n);
}

void MaskedMultigrid::solve_coarsest() {
  Level& level = levels_.back();
  const std::size_t n = coarsest_nodes_.size();
  std::vector<float> b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = level.b[coarsest_nodes_[i]];
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j)
      sum += static_cast<double>(coarsest_inverse_[i * n + j]) * static_cast<double>(b[j]);
    level.u[coarsest_nodes_[i]] = static_cast<float>(sum);
  }
}

void MaskedMultigrid::smooth(Level& level, bool from_zero, bool reversed) {
  const auto A = operator_of<float>(level, level.diagonal);
  const auto& code = cpu::multigrid_code();
  std::vector<float> steps = level.steps;
  if (reversed) std::ranges::reverse(steps);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const float step = steps[s];
    for_rows(level.grid, [&](int y, int z) {
      const std::ptrdiff_t at = level.grid.at(0, y, z);
      if (s == 0 && from_zero) {
        for (std::ptrdiff_t x = at; x < at + level.grid.nodes[0]; ++x) {
          const auto i = static_cast<std::size_t>(x);
          level.other[i] = step * level.inverse[i] * level.b[i];
        }
      } else {
        code.smooth(A, level.u.data(), level.b.data(), level.inverse.data(), step, level.other.data(), at,
                    level.grid.nodes[0]);
      }
    });
    level.u.swap(level.other);
  }
}

void MaskedMultigrid::cycle(std::size_t l, bool from_zero) {
  if (l + 1 == levels_.size()) return solve_coarsest();
  Level &level = levels_[l], &coarse = levels_[l + 1];
  smooth(level, from_zero, false);
  const auto A = operator_of<float>(level, level.diagonal);
  for_rows(level.grid, [&](int y, int z) {
    cpu::multigrid_code().masked_residual(A, level.u.data(), level.b.data(), level.other.data(), level.grid.at(0, y, z),
                                          level.grid.nodes[0]);
  });
  restrict_residual(level.grid, level.other, coarse.grid, coarse.b);
  const bool direct = l + 2 == levels_.size();
  for (int visit = 0; visit < (direct ? 1 : cycle_.visits); ++visit) cycle(l + 1, visit == 0);
  prolong_and_add(coarse.grid, coarse.u, level.grid, level.inverse, level.u);
  smooth(level, false, true);
}

void MaskedMultigrid::precondition(std::span<const double> r, std::span<double> z) {
  Level& level = levels_.front();
  for (std::size_t i = 0; i < r.size(); ++i) level.b[i] = static_cast<float>(r[i]);
  cycle(0, true);
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = static_cast<double>(level.u[i]);
}

void MaskedMultigrid::product(std::span<const double> u, std::span<double> out) const {
  const Level& level = levels_.front();
  const auto A = operator_of<double>(level, level.extra);
  for_rows(level.grid, [&](int y, int z) {
    cpu::multigrid_code().product(A, u.data(), out.data(), level.grid.at(0, y, z), level.grid.nodes[0]);
  });
}

double MaskedMultigrid::dot(std::span<const double> a, std::span<const double> b) const {
  const NodeGrid& of = grid();
  std::vector<double> of_plane(static_cast<std::size_t>(of.nodes[2]));
#pragma omp parallel for schedule(static) if (of.count() > worth_threads)
  for (int z = 0; z < of.nodes[2]; ++z) {
    constexpr std::size_t lanes = 8;  // independent sums, which the compiler may vectorise
    std::array<double, lanes> sums{};
    const auto begin = static_cast<std::size_t>(of.plane * (z + 1));  // halos and pads are zero
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(of.plane); i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    double sum = 0.0;
    for (const double one : sums) sum += one;
    of_plane[static_cast<std::size_t>(z)] = sum;
  }
  double sum = 0.0;
  for (const double one : of_plane) sum += one;
  return sum;
}

namespace {

void finish(Solution& solution, double first, double last, double norm, double tolerance) {
  solution.residual = norm > 0.0 ? last / norm : 0.0;
  solution.converged = solution.residual <= tolerance;
  if (solution.iterations > 0 && first > 0.0)
    solution.convergence_factor = std::pow(last / first, 1.0 / solution.iterations);
}

}  // namespace

Solution MaskedMultigrid::solve(std::span<const double> b, std::span<double> u, double tolerance, int most) {
  const std::size_t n = grid().size;
  if (b.size() != n || u.size() != n) throw std::invalid_argument("multigrid: a vector does not match the grid");
  std::vector<double> r(n), z(n), p(n, 0.0), q(n);
  product(u, q);
  for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - q[i];
  const double norm = std::sqrt(dot(b, b)), first = std::sqrt(dot(r, r));
  Solution solution;
  double left = first, rho = 0.0;
  while (left > tolerance * norm && solution.iterations < most) {
    precondition(r, z);
    const double rho_before = rho;
    rho = dot(r, z);
    const double beta = solution.iterations == 0 ? 0.0 : rho / rho_before;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    product(p, q);
    const double along = dot(p, q);
    if (!(along > 0.0)) break;
    const double alpha = rho / along;
    for (std::size_t i = 0; i < n; ++i) {
      u[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    left = std::sqrt(dot(r, r));
    ++solution.iterations;
  }
  finish(solution, first, left, norm, tolerance);
  return solution;
}

Solution MaskedMultigrid::solve_by_cycles(std::span<const double> b, std::span<double> u, double tolerance, int most) {
  const std::size_t n = grid().size;
  if (b.size() != n || u.size() != n) throw std::invalid_argument("multigrid: a vector does not match the grid");
  std::vector<double> r(n), z(n);
  const auto norm_left = [&] {
    product(u, z);
    for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - z[i];
    return std::sqrt(dot(r, r));
  };
  const double norm = std::sqrt(dot(b, b)), first = norm_left();
  Solution solution;
  double left = first;
  while (left > tolerance * norm && solution.iterations < most) {
    precondition(r, z);
    for (std::size_t i = 0; i < n; ++i) u[i] += z[i];
    left = norm_left();
    ++solution.iterations;
  }
  finish(solution, first, left, norm, tolerance);
  return solution;
}

}  // namespace fdtd::multigrid
