#include "engine/cuda/many_steps/many_steps.hpp"

#include <algorithm>
#include <bit>

#include "engine/cuda/many_steps/schemes.hpp"
#include "stencils/weights.hpp"

namespace fdtd::cuda {

RoomShare share_of(const Device& device, int rooms_at_once, std::int64_t nodes) {
  constexpr std::int64_t largest = 300'000;  // nodes
  constexpr unsigned most = 16;              // of a cluster
  if (rooms_at_once <= 1 || nodes > largest) return {device.multiprocessors, false};
  const auto each = static_cast<unsigned>(std::max(device.multiprocessors / rooms_at_once, 1));
  return {static_cast<int>(std::min(std::bit_floor(each), most)), true};
}

bool many_steps_pay(const Job& job, const RoomShare& share) {
  const std::int64_t nodes = job.layout.nodes();
  if (share.beside_others) return true;
  const int radius = job.stencil.radius;
  if (!job.mirror.sides) return nodes <= 500'000;  // corrections are a third round
  if (star_weights(job.stencil)) return nodes <= (radius <= 2 ? 2'200'000 : 1'500'000);
  return radius == 1 ? nodes <= 1'300'000 : nodes >= 10'000 && nodes <= 500'000;
}

template <class T>
ManySteps prepare_many_steps(const Job& job, const Device& device, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields) {
  if (!device.tensor_copies || walls.near.solid_words > 0 || job.ends) return {};  // tensor_copies: has clusters too
  if (ManySteps steps = prepare_star_steps(job, share, walls, fields)) return steps;
  return prepare_cube_steps(job, share, walls, fields);
}

template ManySteps prepare_many_steps(const Job&, const Device&, const RoomShare&, const WallsView<float>&,
                                      std::array<void*, 2>);
template ManySteps prepare_many_steps(const Job&, const Device&, const RoomShare&, const WallsView<double>&,
                                      std::array<void*, 2>);

}  // namespace fdtd::cuda
