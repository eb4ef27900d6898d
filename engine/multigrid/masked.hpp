// Geometric multigrid for -div(k grad u) + d u = b on a mask of trilinear elements, d on the nodes alone (lumped mass and
// walls), as preconditioner of conjugate gradients.
//
// Coarser levels have elements of twice the sides, with the mean coefficient of their eight children (none: 0), so that
// ragged walls become partly filled elements; for whole elements that is the Galerkin operator, because trilinear spaces
// are nested. Residuals go down by full weighting, the transpose of trilinear interpolation; so does d. The cycle is in
// f32, conjugate gradients with their products and residuals in f64: results do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/multigrid/cycle.hpp"
#include "engine/multigrid/node_grid.hpp"

namespace fdtd::multigrid {

struct Elements {
  std::array<int, 3> cells{};       // along each axis
  std::array<double, 3> spacing{};  // m, sides of a cell
  std::vector<float> coefficient;   // of cell x + nx (y + ny z); 0: not in the mask
};

struct Solution {
  int iterations = 0;
  double residual = 0.0;  // |b - A u| / |b|
  bool converged = false;
  double convergence_factor = 0.0;  // of the residual, the geometric mean over the iterations
};

class MaskedMultigrid {
 public:
  // Vectors hold one value a node, in the layout of grid(). Throws std::invalid_argument for sizes that do not match or
  // a mask without elements.
  explicit MaskedMultigrid(const Elements& elements, const Cycle& cycle = {});
  const NodeGrid& grid() const { return levels_.front().grid; }
  std::size_t level_count() const { return levels_.size(); }
  // Nodes of the mask's elements.
  bool active(std::size_t node) const { return levels_.front().stiffness[node] > 0.0; }

  // The diagonal d of the nodes, >= 0, not all zero in any connected part of the mask.
  void set_diagonal(std::span<const double> diagonal);

  // u from its value on entry, until |b - A u| <= tolerance |b|; by conjugate gradients, or by cycles alone.
  Solution solve(std::span<const double> b, std::span<double> u, double tolerance, int most = 100);
  Solution solve_by_cycles(std::span<const double> b, std::span<double> u, double tolerance, int most = 100);

  // out = A u, and the sum of a b over nodes, in a fixed order.
  void product(std::span<const double> u, std::span<double> out) const;
  double dot(std::span<const double> a, std::span<const double> b) const;

 private:
  struct Level {
    NodeGrid grid;
    std::array<double, 8> weight{};
    std::vector<float> element;
    std::vector<double> stiffness;  // the diagonal of the elements alone
    std::vector<double> extra;      // d
    std::vector<float> diagonal;    // d, in f32
    std::vector<float> inverse;     // of both together; 0 where nothing is
    std::vector<float> u, b, other;
    std::vector<float> steps;
  };
  void finish_diagonal(Level& level) const;
  void make_coarsest();
  void cycle(std::size_t l, bool from_zero);
  void smooth(Level& level, bool from_zero, bool reversed);
  void solve_coarsest();
  void precondition(std::span<const double> r, std::span<double> z);
  Cycle cycle_;
  std::vector<Level> levels_;
  std::vector<std::size_t> coarsest_nodes_;
  std::vector<float> coarsest_inverse_;
};

}  // namespace fdtd::multigrid
