#include "engine/cuda/many_steps/many_steps.hpp"

#include "engine/cuda/many_steps/schemes.hpp"
#include "stencils/weights.hpp"

namespace fdtd::cuda {

bool many_steps_pay(const Job& job) {
  const std::int64_t nodes = job.layout.nodes();
  const int radius = job.stencil.radius;
  if (!job.mirror.sides) return nodes <= 500'000;  // corrections are a third round
  if (star_weights(job.stencil)) return nodes <= (radius <= 2 ? 2'200'000 : 1'500'000);
  return radius == 1 ? nodes <= 1'000'000 : nodes >= 10'000 && nodes <= 500'000;
}

template <class T>
ManySteps prepare_many_steps(const Job& job, const Device& device, const WallsView<T>& walls,
                             std::array<void*, 2> fields) {
  if (!device.tensor_copies || walls.near.solid_words > 0 || job.ends) return {};  // tensor_copies: has clusters too
  if (ManySteps steps = prepare_star_steps(job, device, walls, fields)) return steps;
  return prepare_cube_steps(job, device, walls, fields);
}

template ManySteps prepare_many_steps(const Job&, const Device&, const WallsView<float>&, std::array<void*, 2>);
template ManySteps prepare_many_steps(const Job&, const Device&, const WallsView<double>&, std::array<void*, 2>);

}  // namespace fdtd::cuda
