#include "engine/multigrid/krylov_space.hpp"

#include <cmath>
#include <utility>

#include "engine/multigrid/masked.hpp"

namespace fdtd::multigrid {

KrylovSpace MaskedSolver::krylov(const NodeGrid& grid, std::span<const double> b, std::span<const double> mass,
                                 const KrylovOptions& options, std::span<const std::int64_t> nodes) {
  const std::size_t n = grid.size;
  KrylovSpace space;
  space.vectors = options.vectors;
  space.projected.assign(static_cast<std::size_t>(options.vectors * options.vectors), 0.0);
  space.start.assign(n, 0.0);
  space.iterations += solve(b, space.start, options.tolerance, options.most).iterations;
  const auto weighed = [&](const std::vector<double>& v) {
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = mass[i] * v[i];
    return out;
  };
  std::vector<std::vector<double>> basis, of_mass;
  const auto add = [&](std::vector<double> v, double scale) {
    for (double& one : v) one /= scale;
    std::vector<double>& values = space.values.emplace_back();
    for (const std::int64_t node : nodes) values.push_back(v[static_cast<std::size_t>(node)]);
    of_mass.push_back(weighed(v));
    basis.push_back(std::move(v));
  };
  space.norm = std::sqrt(dot(grid, space.start, weighed(space.start)));
  if (space.norm > 0.0) add(space.start, space.norm);
  for (; space.size < options.vectors && space.size < static_cast<int>(basis.size()); ++space.size) {
    const auto j = static_cast<std::size_t>(space.size);
    double* const column = space.projected.data() + j * static_cast<std::size_t>(options.vectors);
    std::vector<double> next(n, 0.0);
    space.iterations += solve(of_mass[j], next, options.tolerance, options.most).iterations;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < basis.size(); ++i) {
        const double along = dot(grid, next, of_mass[i]);
        for (std::size_t k = 0; k < n; ++k) next[k] -= along * basis[i][k];
        column[i] += along;
      }
    const double rest = std::sqrt(dot(grid, next, weighed(next)));
    if (space.size + 1 < options.vectors && rest > options.least * space.projected[0]) add(std::move(next), rest);
  }
  return space;
}

}  // namespace fdtd::multigrid
