// Small rooms: many steps a launch. A step of a small room takes as long as its launches; here blocks that all run at
// once step together, with barriers between corrections, the scheme and the walls, and the fields stay in L2.
//
// Every value is equal to the last bit to that of the launches of walls.hpp and of star_tma or cube_tma, because every
// sum has their order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/gpu/stream.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/cuda/walls/walls.hpp"

namespace fdtd::cuda {

// `count` steps from `step` on without a drive. Asynchronous.
using ManySteps = std::function<void(std::int64_t step, std::int64_t count, Stream stream)>;

// A room's share of a GPU that computes several at a time: multiprocessors of one cluster, so that its blocks start
// together and rooms hide each other's barriers. Larger rooms take all of the GPU (not `beside_others`), one after the
// other: so a step of them takes less (bench/results/h100/batch-steps.json).
struct RoomShare {
  int blocks = 0;
  bool beside_others = false;
};
RoomShare share_of(const Device& device, int rooms_at_once, std::int64_t nodes);

// Are many steps a launch the faster way for this job's room? As measured on an H100 (bench/results/h100/small-rooms.json).
bool many_steps_pay(const Job& job, const RoomShare& share);

// Of a whole room without faces (box_faces.hpp) and without bricks of long rows, whose solid voxels are Job::solids.
// Empty where the stencil or the GPU is none for it.
template <class T>
ManySteps prepare_many_steps(const Job& job, const Device& device, const RoomShare& share, const WallsView<T>& walls,
                             std::array<void*, 2> fields);

}  // namespace fdtd::cuda
