// The Poisson problem of box_levels.hpp on the CPU: f32 cycles that correct a solution in f64.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/multigrid/box_levels.hpp"
#include "engine/multigrid/node_grid.hpp"

namespace fdtd::multigrid {

class BoxPoisson {
 public:
  // Nodes inside the box along each axis. Throws std::invalid_argument for a negative or zero number, or a grid that
  // cannot be halved (box_levels).
  explicit BoxPoisson(const std::array<int, 3>& nodes, const Cycle& cycle = {});
  // Bytes that an object takes.
  static double bytes(const std::array<int, 3>& nodes);

  const NodeGrid& grid() const { return levels_.front().grid; }
  // In the layout of grid(), zeros in the halo.
  std::vector<float>& right_side() {
    norm_of_b_ = -1.0;
    return b_;
  }
  const std::vector<double>& solution() const { return u_; }  // zero at first

  double residual();  // |b - A u| / |b|; the residual goes to the next cycle()
  void cycle();       // after residual(): one cycle corrects the solution
  void sweep_once();  // one fine-grid stencil computation, out = W u + scale b, of which cycles are counted
  void triad();       // and the leapfrog triad on the same arrays

 private:
  struct Level {
    NodeGrid grid;
    std::vector<float> u, b, other;
  };
  void sweep(Level& level, const std::array<double, 4>& weights, double scale, const std::vector<float>& from,
             std::vector<float>& to);
  void sweep_into_solution(double step);
  void smooth(Level& level, bool from_zero, bool reversed);
  void restrict_to(const Level& fine, Level& coarse);
  static void prolong(const Level& coarse, Level& fine);
  void visit(std::size_t l, bool from_zero);
  Cycle cycle_;
  std::vector<float> steps_;
  std::vector<Level> levels_;
  std::vector<float> coarsest_inverse_;
  std::vector<float> b_;
  std::vector<double> u_;
  double norm_of_b_ = -1.0;  // negative: not known
};

}  // namespace fdtd::multigrid
