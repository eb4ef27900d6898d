// Geometric multigrid for -div(k grad u) + d u = b on a mask of trilinear elements, d on the nodes alone (lumped mass and
// walls), as preconditioner of conjugate gradients, on the levels of mask_levels.hpp.
//
// Residuals go down by full weighting, the transpose of trilinear interpolation; so does d. The cycle is in f32, conjugate
// gradients with their products and residuals in f64: results do not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/multigrid/cycle.hpp"
#include "engine/multigrid/krylov_space.hpp"
#include "engine/multigrid/mask_levels.hpp"

namespace fdtd::multigrid {

struct Solution {
  int iterations = 0;
  double residual = 0.0;  // |b - A u| / |b|
  bool converged = false;
  double convergence_factor = 0.0;  // of the residual, the geometric mean over the iterations
};

// Residual and convergence of a solution whose |b - A u| went from `first` to `last`, |b| = norm.
void finish(Solution& solution, double first, double last, double norm, double tolerance);

using MaskLevels = std::shared_ptr<const std::vector<MaskLevel>>;

// How often each level visits the next coarser one in a cycle, the last level not at all: cycle.visits times, but twice
// or three times where many nodes are further nodes. Where walls are closer than cells, a coarse element around the end
// of a wall lets what lies on both sides of it have one value, up to a cell from its end: a way around many ends becomes
// shorter on each coarser level, and one visit corrects too little of what the level between did not see.
std::vector<int> level_visits(const std::vector<MaskLevel>& levels, const Cycle& cycle);

// The sum of a b over nodes, in a fixed order.
double dot(const NodeGrid& grid, std::span<const double> a, std::span<const double> b);

// A solver on a mask, on any device. Vectors hold one value a node, in the layout of the finest level's grid,
// zeros where no node is.
class MaskedSolver {
 public:
  MaskedSolver() = default;
  MaskedSolver(const MaskedSolver&) = delete;
  MaskedSolver& operator=(const MaskedSolver&) = delete;
  virtual ~MaskedSolver() = default;
  // The diagonal d of the nodes, >= 0, not all zero in any connected part of the mask.
  virtual void set_diagonal(std::span<const double> diagonal) = 0;
  // u from its value on entry, until |b - A u| <= tolerance |b|, by conjugate gradients.
  virtual Solution solve(std::span<const double> b, std::span<double> u, double tolerance, int most) = 0;
  // From x = A^-1 b on (T. Ericsson, A. Ruhe, The spectral transformation Lanczos method, Math. Comput. 35, 1980), each
  // vector orthogonalised twice. `mass` is the diagonal of M, >= 0; `grid` that of the vectors. Here by solve() in host
  // memory.
  virtual KrylovSpace krylov(const NodeGrid& grid, std::span<const double> b, std::span<const double> mass,
                             const KrylovOptions& options, std::span<const std::int64_t> nodes);
};

using MakeSolver = std::function<std::shared_ptr<MaskedSolver>(const MaskLevels&)>;

// The diagonals of all levels, and the inverse of the coarsest one, of a diagonal of the finest.
struct MaskDiagonals {
  std::vector<std::vector<double>> extra;   // d by level
  std::vector<std::vector<float>> inverse;  // of the whole diagonal; 0 where nothing is
  std::vector<std::int64_t> coarsest;       // nodes of the dense inverse
  std::vector<float> dense;
};
MaskDiagonals mask_diagonals(const std::vector<MaskLevel>& levels, std::span<const double> diagonal);

class MaskedMultigrid final : public MaskedSolver {
 public:
  explicit MaskedMultigrid(MaskLevels levels, const Cycle& cycle = {});
  // Throws std::invalid_argument as mask_levels.
  explicit MaskedMultigrid(const Elements& elements, const Cycle& cycle = {});
  const NodeGrid& grid() const { return levels_->front().grid; }
  // Nodes of the mask's elements.
  bool active(std::size_t node) const { return levels_->front().stiffness[node] > 0.0; }

  void set_diagonal(std::span<const double> diagonal) override;
  Solution solve(std::span<const double> b, std::span<double> u, double tolerance, int most = 100) override;

  void product(std::span<const double> u, std::span<double> out) const;  // out = A u
  void precondition(std::span<const double> r, std::span<double> z);     // z = a cycle from zero for A z = r

 private:
  struct Work {
    std::vector<float> diagonal;  // d, in f32
    std::vector<float> u, b, other;
    std::vector<float> steps;
    std::vector<float> kept;  // at the rows of `interpolation`
  };
  void cycle(std::size_t l, bool from_zero);
  void smooth(std::size_t l, bool from_zero, bool reversed);
  void residual_down(std::size_t l);
  void correct(std::size_t l);
  void solve_coarsest();
  Cycle cycle_;
  MaskLevels levels_;
  std::vector<int> visits_;
  MaskDiagonals diagonals_;
  std::vector<Work> work_;
};

}  // namespace fdtd::multigrid
