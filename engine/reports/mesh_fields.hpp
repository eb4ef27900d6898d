// The fields of a plan's JSON document about the mesh of the room.
#pragma once

#include "engine/files/json_fields.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct MeshInPlan {
  const MeshSummary* mesh = nullptr;
  const Room* room = nullptr;
  double sound_speed = 0.0;
};
const JsonFields<MeshInPlan>& mesh_fields();
// The fields of the defects that a diagnosis found, which are among them.
const JsonFields<MeshDiagnosis>& diagnosis_fields();

}  // namespace fdtd
