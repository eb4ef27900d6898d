// The memory of a room that several ranks plan together: judged by all, refused by all.
#pragma once

#include <functional>

#include "engine/devices/target.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/judge/memory.hpp"
#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

// The ranks that share the room, where all plan it at the same time; else one that has it whole.
PlanePartition shared_planes(const Target& target);

// Calls require(), which throws Error (status resource) where memory is short. Where ranks plan together and one
// throws, all do: none waits for it.
void require_together(const Target& target, const std::function<void()>& require);

// Two fields must fit by themselves: even the estimate of the walls takes time and memory in proportion to them. Their
// bytes. Throws Error (status resource).
MemoryEstimate require_fields(const Scene& scene, const GridChoice& choice, const Target& target);

}  // namespace fdtd
