// The memory that a run takes, estimated before anything is allocated, and refused where it does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/planning/grid_choice.hpp"
#include "scenes/scene.hpp"
#include "scenes/voxels.hpp"

namespace fdtd {

// Bytes by part; an upper bound made from the grid alone, before anything is allocated.
struct MemoryEstimate {
  std::int64_t state = 0, near_wall = 0, boundary = 0, recording = 0;  // recording: frames under way included
  std::int64_t total() const { return state + near_wall + boundary + recording; }
};

// Upper bound of what a run of this grid takes; of a mesh's `voxels` the walls are counted, nullptr stands for a box.
MemoryEstimate estimate_memory(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                               const Voxels* voxels = nullptr, const Target& target = {});

// Throws Error(resource) when `memory` does not fit, saying what would; `where`: "" or " on the GPU".
void require_memory(const MemoryEstimate& memory, std::int64_t available, const GridChoice& choice,
                    const std::string& where = "");

// The same on the target. A GPU holds field and walls; the host holds walls, for the plan, and recordings.
void require_memory(const MemoryEstimate& memory, const Target& target, const GridChoice& choice);

// Of ranks that share the field, before any of it is allocated: each needs at least an even share. Throws as require_memory.
void require_field_shares(MemoryEstimate memory, const Target& target, const GridChoice& choice);

// Of ranks whose slabs are known. largest_slab: bytes of the largest on a GPU (0 on CPUs); largest_host: bytes that a
// rank's machine holds for its slab, at most. This machine holds that as often as it has ranks. Throws as require_memory.
void require_shares(const MemoryEstimate& memory, std::int64_t largest_slab, std::int64_t largest_host,
                    const Target& target, const GridChoice& choice);

}  // namespace fdtd
