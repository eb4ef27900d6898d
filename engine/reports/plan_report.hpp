// Reports of a plan: as a table, and as the JSON document that users' scripts read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/above/above_plan.hpp"
#include "engine/above/blocked_pairs.hpp"
#include "engine/above/wall_scattering.hpp"
#include "engine/adjoint/planned_gradient.hpp"
#include "engine/binaural/binaural_receiver.hpp"
#include "engine/estimate/reverberation.hpp"
#include "engine/files/json_fields.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/profiling/predict.hpp"
#include "engine/transducers/harmonic_limits.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct PlanReport {
  const Scene* scene = nullptr;
  const PlanResult* planned = nullptr;
  std::string device;
  ExpectedDecay decay;                     // of the room, before anything is computed
  PredictedTime predicted;                 // zero: not timed
  double planning_seconds = 0.0;           // that the plan took, with the prediction
  std::optional<AbovePlan> above;          // of the response above the waves' band
  std::int64_t above_bytes = 0;            // of memory, for that
  std::int64_t above_bytes_of_one = 0;     // with one thread
  std::optional<BlockedPairs> blocked;     // of a mesh, where `above` is
  std::vector<WallScattering> scattering;  // of the walls, where `above` is
  std::vector<BinauralReceiver> binaural;  // whose heads have been read
  HarmonicLimits harmonics;                // of orders that are read by balls
  std::vector<std::string> warnings;       // what matters most first (NoteWeight)
  // For several ranks, or GPUs that this machine does not have: the planes of each, and the bytes in memory of its GPU
  // and of its machine; on GPUs also how many with this memory the room needs (0: no number is enough) and the expected
  // efficiency.
  struct RankPart {
    int planes = 0;
    std::int64_t gpu = 0, host = 0;
  };
  std::vector<RankPart> ranks;
  std::optional<PlannedGradient> gradient;  // where it was asked for
  int gpus_needed = 0;
  double efficiency = 1.0;
  std::vector<ScalingPoint> scaling;  // of this room by the same model, up to 1024 GPUs
};

// predicted: steps on one device; zero: not timed, so nothing is predicted.
PlanReport make_report(const Scene& scene, const PlanResult& planned, const Target& target,
                       const PredictedTime& predicted, const std::vector<std::string>& remarks);
std::string plan_text(const PlanReport& report);

// The plan as JSON: as a part of other documents; as result.h5 stores it, without what depends on the device or on
// measured times, which differ from run to run; with its materials, the document of `fdtd plan --json`.
const JsonFields<PlanReport>& plan_fields();
const JsonFields<PlanReport>& stored_plan_fields();
const JsonFields<PlanReport>& plan_document_fields();
nlohmann::ordered_json plan_document(const PlanReport& report);

// Upper bounds of memory: of a mesh and what is found on it while the room is planned; of the whole run.
std::int64_t mesh_bytes(const Scene& scene);
// Recorded responses and snapshots, and the page of results, which plays a response and a sound through it.
std::int64_t recording_bytes(const PlanReport& report);
std::int64_t memory_of(const PlanReport& report);

// Cost of a run with that spacing over that of this plan.
double cost_over(const GridChoice& choice, const SpacingNeed& need);
// Position of the nodes of a plane along its axis, in m in the scene.
double snapshot_place(const PlanResult& planned, const SnapshotPlan& snapshot);

}  // namespace fdtd
