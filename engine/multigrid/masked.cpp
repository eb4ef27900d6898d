#include "engine/multigrid/masked.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "engine/multigrid/dense.hpp"
#include "engine/multigrid/transfer.hpp"
#include "engine/vector/multigrid_code.hpp"

namespace fdtd::multigrid {
namespace {

constexpr std::ptrdiff_t worth_threads = 1 << 14;  // nodes

// Calls row(y, z) for all rows of nodes.
template <class Row>
void for_rows(const NodeGrid& grid, const Row& row) {
  const int rows = grid.nodes[1] * grid.nodes[2];
#pragma omp parallel for schedule(static) if (grid.count() > worth_threads)
  for (int r = 0; r < rows; ++r) row(r % grid.nodes[1], r / grid.nodes[1]);
}

template <class T>
cpu::MaskedOperator<T> operator_of(const MaskLevel& level, const std::vector<T>& diagonal) {
  cpu::MaskedOperator<T> A{level.grid.row, level.grid.plane, level.element.data(), diagonal.data(), {}};
  for (std::size_t i = 0; i < 8; ++i) A.weight[i] = static_cast<T>(level.weight[i]);
  return A;
}

// Calls take(node, number of the row, its sum with `from`) for all rows.
template <class T, class Take>
void for_sparse(const SparseRows& rows, const T* from, const Take& take) {
#pragma omp parallel for schedule(static) if (rows.count() > worth_threads)
  for (std::int64_t r = 0; r < rows.count(); ++r) {
    const auto i = static_cast<std::size_t>(r);
    T sum = 0;
    for (auto e = static_cast<std::size_t>(rows.begin[i]); e < static_cast<std::size_t>(rows.begin[i + 1]); ++e)
      sum += static_cast<T>(rows.value[e]) * from[rows.column[e]];
    take(static_cast<std::size_t>(rows.row[i]), i, sum);
  }
}

void multiply(const MaskLevel& level, const std::vector<double>& extra, const double* u, double* out) {
  const auto A = operator_of<double>(level, extra);
  for_rows(level.grid, [&](int y, int z) {
    cpu::multigrid_code().product(A, u, out, level.grid.at(0, y, z), level.grid.nodes[0]);
  });
  for_sparse(level.irregular, u, [=](std::size_t node, std::size_t, double sum) { out[node] += sum; });
}

void invert_coarsest(const MaskLevel& level, MaskDiagonals& all) {
  for (std::size_t i = 0; i < level.stiffness.size(); ++i)
    if (level.stiffness[i] > 0.0) all.coarsest.push_back(static_cast<std::int64_t>(i));
  const std::size_t n = all.coarsest.size();
  std::vector<double> matrix(n * n), unit(level.grid.size, 0.0), image(level.grid.size, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    unit[static_cast<std::size_t>(all.coarsest[j])] = 1.0;
    multiply(level, all.extra.back(), unit.data(), image.data());
    unit[static_cast<std::size_t>(all.coarsest[j])] = 0.0;
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + j] = image[static_cast<std::size_t>(all.coarsest[i])];
  }
  all.dense = dense_inverse(matrix, n);
}

}  // namespace

MaskDiagonals mask_diagonals(const std::vector<MaskLevel>& levels, std::span<const double> diagonal) {
  if (diagonal.size() != levels.front().grid.size)
    throw std::invalid_argument("multigrid: the diagonal does not match");
  MaskDiagonals all;
  all.extra.emplace_back(diagonal.begin(), diagonal.end());
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const MaskLevel& fine = levels[l - 1];
    std::vector<double> regular = all.extra.back(), sums(levels[l].grid.size, 0.0);
    for (const std::int64_t node : fine.interpolation.row) regular[static_cast<std::size_t>(node)] = 0.0;
    restrict_sums(fine.body, regular, levels[l].body, sums);
    for_sparse(fine.restriction, all.extra.back().data(),
               [&](std::size_t node, std::size_t, double sum) { sums[node] += sum; });
    all.extra.push_back(std::move(sums));
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::vector<double>& stiffness = levels[l].stiffness;
    const std::vector<double>& extra = all.extra[l];
    std::vector<float>& inverse = all.inverse.emplace_back(stiffness.size(), 0.0F);
#pragma omp parallel for schedule(static) if (levels[l].grid.count() > worth_threads)
    for (std::size_t i = 0; i < stiffness.size(); ++i)
      if (stiffness[i] > 0.0) inverse[i] = static_cast<float>(1.0 / (stiffness[i] + extra[i]));
  }
  invert_coarsest(levels.back(), all);
  return all;
}

std::vector<int> level_visits(const std::vector<MaskLevel>& levels, const Cycle& cycle) {
  constexpr double many = 0.1, most = 0.7;  // of a level's nodes
  std::vector<int> visits;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const double fraction = static_cast<double>(levels[l].further) / static_cast<double>(levels[l].nodes);
    const int least = fraction > most ? 3 : fraction > many ? 2 : 1;
    visits.push_back(l + 1 == levels.size() ? 1 : std::max(cycle.visits, least));
  }
  return visits;
}

MaskedMultigrid::MaskedMultigrid(const Elements& elements, const Cycle& cycle)
    : MaskedMultigrid(std::make_shared<const std::vector<MaskLevel>>(mask_levels(elements)), cycle) {}

MaskedMultigrid::MaskedMultigrid(MaskLevels levels, const Cycle& cycle)
    : cycle_(cycle), levels_(std::move(levels)), visits_(level_visits(*levels_, cycle)) {
  for (const MaskLevel& level : *levels_) {
    Work& work = work_.emplace_back();
    work.steps = smoothing_steps(cycle_, eigenvalue_limit(level.weight));
    for (std::vector<float>* values : {&work.u, &work.b, &work.other}) values->assign(level.grid.size, 0.0F);
    work.kept.assign(level.interpolation.row.size(), 0.0F);
  }
}

void MaskedMultigrid::set_diagonal(std::span<const double> diagonal) {
  diagonals_ = mask_diagonals(*levels_, diagonal);
  for (std::size_t l = 0; l < work_.size(); ++l)
    work_[l].diagonal.assign(diagonals_.extra[l].begin(), diagonals_.extra[l].end());
}

void MaskedMultigrid::solve_coarsest() {
  Work& work = work_.back();
  const std::vector<std::int64_t>& nodes = diagonals_.coarsest;
  const std::size_t n = nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j)
      sum += static_cast<double>(diagonals_.dense[i * n + j]) *
             static_cast<double>(work.b[static_cast<std::size_t>(nodes[j])]);
    work.u[static_cast<std::size_t>(nodes[i])] = static_cast<float>(sum);
  }
}

void MaskedMultigrid::smooth(std::size_t l, bool from_zero, bool reversed) {
  const MaskLevel& level = (*levels_)[l];
  Work& work = work_[l];
  const std::vector<float>& inverse = diagonals_.inverse[l];
  const auto A = operator_of<float>(level, work.diagonal);
  const auto& code = cpu::multigrid_code();
  std::vector<float> steps = work.steps;
  if (reversed) std::ranges::reverse(steps);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const float step = steps[s];
    const bool zero = s == 0 && from_zero;
    for_rows(level.grid, [&](int y, int z) {
      const std::ptrdiff_t at = level.grid.at(0, y, z);
      if (zero) {
        for (std::ptrdiff_t x = at; x < at + level.grid.nodes[0]; ++x) {
          const auto i = static_cast<std::size_t>(x);
          work.other[i] = step * inverse[i] * work.b[i];
        }
      } else {
        code.smooth(A, work.u.data(), work.b.data(), inverse.data(), step, work.other.data(), at, level.grid.nodes[0]);
      }
    });
    if (!zero)
      for_sparse(level.irregular, work.u.data(),
                 [&](std::size_t node, std::size_t, float sum) { work.other[node] -= step * inverse[node] * sum; });
    work.u.swap(work.other);
  }
}

// Rows of `interpolation` do not take part in the stencil computations of the transfer.
void MaskedMultigrid::residual_down(std::size_t l) {
  const MaskLevel &level = (*levels_)[l], &below = (*levels_)[l + 1];
  Work &work = work_[l], &coarse = work_[l + 1];
  const auto A = operator_of<float>(level, work.diagonal);
  for_rows(level.grid, [&](int y, int z) {
    cpu::multigrid_code().masked_residual(A, work.u.data(), work.b.data(), work.other.data(), level.grid.at(0, y, z),
                                          level.grid.nodes[0]);
  });
  for_sparse(level.irregular, work.u.data(),
             [&](std::size_t node, std::size_t, float sum) { work.other[node] -= sum; });
  std::ranges::fill(coarse.b, 0.0F);  // further nodes get sparse rows alone
  const std::vector<std::int64_t>& apart = level.interpolation.row;
  for (std::size_t i = 0; i < apart.size(); ++i)
    work.kept[i] = std::exchange(work.other[static_cast<std::size_t>(apart[i])], 0.0F);
  restrict_residual(level.body, work.other, below.body, coarse.b);
  for (std::size_t i = 0; i < apart.size(); ++i) work.other[static_cast<std::size_t>(apart[i])] = work.kept[i];
  for_sparse(level.restriction, work.other.data(),
             [&](std::size_t node, std::size_t, float sum) { coarse.b[node] += sum; });
}

void MaskedMultigrid::correct(std::size_t l) {
  const MaskLevel &level = (*levels_)[l], &below = (*levels_)[l + 1];
  Work &work = work_[l], &coarse = work_[l + 1];
  for_sparse(level.interpolation, coarse.u.data(),
             [&](std::size_t node, std::size_t i, float sum) { work.kept[i] = work.u[node] + sum; });
  prolong_and_add(below.body, coarse.u, level.body, diagonals_.inverse[l], work.u);
  const std::vector<std::int64_t>& apart = level.interpolation.row;
  for (std::size_t i = 0; i < apart.size(); ++i) work.u[static_cast<std::size_t>(apart[i])] = work.kept[i];
}

void MaskedMultigrid::cycle(std::size_t l, bool from_zero) {
  if (l + 1 == levels_->size()) return solve_coarsest();
  smooth(l, from_zero, false);
  residual_down(l);
  for (int visit = 0; visit < visits_[l]; ++visit) cycle(l + 1, visit == 0);
  correct(l);
  smooth(l, false, true);
}

void MaskedMultigrid::precondition(std::span<const double> r, std::span<double> z) {
  Work& work = work_.front();
  for (std::size_t i = 0; i < r.size(); ++i) work.b[i] = static_cast<float>(r[i]);
  cycle(0, true);
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = static_cast<double>(work.u[i]);
}

void MaskedMultigrid::product(std::span<const double> u, std::span<double> out) const {
  multiply(levels_->front(), diagonals_.extra.front(), u.data(), out.data());
}

double dot(const NodeGrid& of, std::span<const double> a, std::span<const double> b) {
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

void finish(Solution& solution, double first, double last, double norm, double tolerance) {
  solution.residual = norm > 0.0 ? last / norm : 0.0;
  solution.converged = solution.residual <= tolerance;
  if (solution.iterations > 0 && first > 0.0)
    solution.convergence_factor = std::pow(last / first, 1.0 / solution.iterations);
}

Solution MaskedMultigrid::solve(std::span<const double> b, std::span<double> u, double tolerance, int most) {
  const std::size_t n = grid().size;
  if (b.size() != n || u.size() != n) throw std::invalid_argument("multigrid: a vector does not match the grid");
  std::vector<double> r(n), z(n), p(n, 0.0), q(n);
  product(u, q);
  for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - q[i];
  const double norm = std::sqrt(dot(grid(), b, b)), first = std::sqrt(dot(grid(), r, r));
  Solution solution;
  double left = first, rho = 0.0;
  while (left > tolerance * norm && solution.iterations < most) {
    precondition(r, z);
    const double rho_before = rho;
    rho = dot(grid(), r, z);
    const double beta = solution.iterations == 0 ? 0.0 : rho / rho_before;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    product(p, q);
    const double along = dot(grid(), p, q);
    if (!(along > 0.0)) break;
    const double alpha = rho / along;
    for (std::size_t i = 0; i < n; ++i) {
      u[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    left = std::sqrt(dot(grid(), r, r));
    ++solution.iterations;
  }
  finish(solution, first, left, norm, tolerance);
  return solution;
}

}  // namespace fdtd::multigrid
