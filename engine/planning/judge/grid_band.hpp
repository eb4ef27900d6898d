// The band of a grid that was made: what interior, walls, transducers and geometry hold on it, and what the choice of the
// next grid learns where they end below max_frequency.
#pragma once

#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/geometry_limit.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "engine/planning/judge/valid_band.hpp"
#include "engine/planning/judge/wall_accuracy.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

// The room on a grid, as limits read it.
struct GridFacts {
  CutArea cut;                // of a mesh
  std::vector<WallLaw> laws;  // of its materials
};

struct GridBand {
  std::vector<WallAccuracy> walls;  // of materials with losses
  ValidBand valid;
};

GridBand band_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                 const GridFacts& facts, const RoomVoxels& room);

// Where a limit that the choice of the grid obeys ends below max_frequency on the grid that was made, `limits` learn what
// it needs, or that it would take too fine a grid. False: nothing is to be gained by another grid.
bool learn(const ValidBand& valid, const GridChoice& choice, SceneLimits& limits);

}  // namespace fdtd
