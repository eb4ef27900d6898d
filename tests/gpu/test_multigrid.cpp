#include "engine/cuda/multigrid/box_poisson.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::cuda {

// Cycle by cycle, on cubes and boxes: the same operator, the same sweeps, the same transfers. The last residuals are
// rounding in single precision; the smallest box is one level, solved directly, which leaves 3e-7.
TEST_CASE("multigrid on the GPU converges as on the CPU") {
  for (const std::array<int, 3> grid : {std::array<int, 3>{31, 31, 31}, {127, 63, 31}, {5, 4, 3}})
    for (const multigrid::Cycle cycle : {multigrid::Cycle{}, multigrid::Cycle{2, 3, multigrid::Smoother::jacobi},
                                         multigrid::Cycle{1, 1, multigrid::Smoother::chebyshev}}) {
      const multigrid::Profile cpu = multigrid::profile_on_cpu(grid, cycle, 1);
      const multigrid::Profile gpu = profile_multigrid(0, grid, cycle, 1);
      INFO(grid[0] << " x " << grid[1] << " x " << grid[2] << ", " << cycle.visits << ", " << cycle.sweeps);
      REQUIRE(gpu.residuals.size() == cpu.residuals.size());
      for (std::size_t i = 0; i < cpu.residuals.size(); ++i)
        CHECK(gpu.residuals[i] == Approx(cpu.residuals[i]).epsilon(0.02).margin(5e-7));
    }
}

}  // namespace fdtd::cuda
