#include "engine/cuda/many_steps/cube_steps.cuh"

namespace fdtd::cuda {

template ManySteps prepare_cube_steps(const Job&, const RoomShare&, const WallsView<double>&, std::array<void*, 2>);

}  // namespace fdtd::cuda
