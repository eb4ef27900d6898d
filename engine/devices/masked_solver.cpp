#include "engine/devices/masked_solver.hpp"

#include "engine/devices/gpu_code.hpp"

namespace fdtd {

multigrid::MakeSolver masked_solver_on(const Target& target, const multigrid::Cycle& cycle) {
  if (!target.on_gpu())
    return [cycle](const multigrid::MaskLevels& levels) {
      return std::make_shared<multigrid::MaskedMultigrid>(levels, cycle);
    };
  return [&code = gpu_code(), index = target.gpu, cycle](const multigrid::MaskLevels& levels) {
    return code.masked_solver(index, levels, cycle);
  };
}

}  // namespace fdtd
