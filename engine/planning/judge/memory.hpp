// The memory of a run, estimated before anything is allocated, and refused where it does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/room/room_tally.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Memory of the program and its libraries before and beside a room, the page of results included: the smallest run has
// 34 to 36 MB with 1 to 8 threads, 28 to 31 MB where the program has no GPU code.
inline constexpr std::int64_t program_bytes = 36'000'000;

// Bytes by part: an upper bound from the grid alone.
struct MemoryEstimate {
  std::int64_t state = 0, near_wall = 0, boundary = 0, recording = 0;  // recording: includes frames being summed
  // Of the room; the program takes program_bytes beside it, which it has already when the room is judged.
  std::int64_t total() const { return state + near_wall + boundary + recording; }
};

// Upper bound of the memory of a run on this grid. The walls of a mesh are counted from the tally of its room; nullptr: a
// box.
MemoryEstimate estimate_memory(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                               const RoomTally* room = nullptr, const Target& target = {});

// Throws Error (status resource) with a grid that would fit when `memory` does not. `where`: "" or " on the GPU".
void require_memory(const MemoryEstimate& memory, std::int64_t available, const GridChoice& choice,
                    const std::string& where = "");

// The same on the target. A GPU holds fields and walls; the host holds the walls of the plan, and recordings.
void require_memory(const MemoryEstimate& memory, const Target& target, const GridChoice& choice);

// For ranks that share the fields, before any is allocated: each needs at least an even part. Throws as
// require_memory.
void require_field_parts(MemoryEstimate memory, const Target& target, const GridChoice& choice);

// For ranks whose slabs are known. largest_slab: bytes of the largest slab on a GPU (0 on CPUs); largest_host: the most
// bytes of host memory of a rank, of which this machine holds as many as it has ranks. Throws as require_memory.
void require_parts(const MemoryEstimate& memory, std::int64_t largest_slab, std::int64_t largest_host,
                   const Target& target, const GridChoice& choice);

}  // namespace fdtd
