// Reports of a plan: as a table, and as the JSON document that users' scripts read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/estimate/reverberation.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/profiling/predict.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct PlanReport {
  const Scene* scene = nullptr;
  const Planned* planned = nullptr;
  std::string device;
  ExpectedDecay decay;                // of the room, before anything is computed
  PredictedTime predicted;            // zero: not timed
  std::vector<std::string> warnings;  // what matters most first (NoteWeight)
  // For several ranks, or GPUs that this machine does not have: the planes of each, and the bytes in memory of its GPU
  // and of its machine; on GPUs also how many with this memory the room needs (0: no number is enough) and the expected
  // efficiency.
  struct Share {
    int planes = 0;
    std::int64_t gpu = 0, host = 0;
  };
  std::vector<Share> shares;
  int gpus_needed = 0;
  double efficiency = 1.0;
  std::vector<ScalingPoint> scaling;  // of this room by the same model, up to 1024 GPUs
};

// predicted: steps on one device; zero: not timed, so nothing is predicted.
PlanReport make_report(const Scene& scene, const Planned& planned, const Target& target, const PredictedTime& predicted,
                       const std::vector<std::string>& remarks);
nlohmann::ordered_json plan_json(const PlanReport& report);
std::string plan_text(const PlanReport& report);
// The document of `fdtd plan --json`: the plan with its materials.
nlohmann::ordered_json plan_document(const PlanReport& report);

}  // namespace fdtd
