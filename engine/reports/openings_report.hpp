// What a plan says of a mesh's narrow openings: as lines of text, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/build/room_voxels.hpp"

namespace fdtd {

// One line for each of the widest: where it is, and the frequency up to which levels behind it are right.
std::vector<std::string> opening_lines(const MeshSummary& mesh, const GridChoice& choice);
nlohmann::ordered_json openings_json(const MeshSummary& mesh, double sound_speed);

}  // namespace fdtd
