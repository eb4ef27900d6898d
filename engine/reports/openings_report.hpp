// The narrow openings of a mesh in a plan as lines of text.
#pragma once

#include <string>
#include <vector>

#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"

namespace fdtd {

// One line for each of the widest: where it is, and the frequency up to which levels behind it are right.
std::vector<std::string> opening_lines(const MeshSummary& mesh, const GridChoice& choice);

}  // namespace fdtd
