// The narrow openings of a mesh in a plan: as lines of text, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"

namespace fdtd {

// One line for each of the widest: where it is, and the frequency up to which levels behind it are right.
std::vector<std::string> opening_lines(const MeshSummary& mesh, const GridChoice& choice);
nlohmann::ordered_json openings_json(const MeshSummary& mesh, double sound_speed);

}  // namespace fdtd
