#include "engine/devices/masked_solver.hpp"

#include "base/error.hpp"

#ifdef FDTD_HAS_CUDA
#include "engine/cuda/multigrid/masked.hpp"
#endif

namespace fdtd {

multigrid::MakeSolver masked_solver_on(const Target& target, const multigrid::Cycle& cycle) {
  if (!target.on_gpu())
    return [cycle](const multigrid::MaskLevels& levels) {
      return std::make_shared<multigrid::MaskedMultigrid>(levels, cycle);
    };
#ifdef FDTD_HAS_CUDA
  return [index = target.gpu, cycle](const multigrid::MaskLevels& levels) {
    return cuda::make_masked_solver(index, levels, cycle);
  };
#else
  throw Error(Status::resource, "this program was built without CUDA",
              "build it with nvcc and -DFDTD_CUDA=ON, or use --device cpu");
#endif
}

}  // namespace fdtd
