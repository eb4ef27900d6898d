// What a user is told of a plan: as a table, and as the JSON document that others rely on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/planning/make_plan.hpp"
#include "engine/planning/scaling.hpp"
#include "scenes/scene.hpp"

namespace fdtd::cli {

struct PlanReport {
  const Scene* scene = nullptr;
  const Planned* planned = nullptr;
  std::string device;
  double predicted_seconds = 0.0;
  std::vector<std::string> warnings;  // the grid's, the materials', the stencil choice's
  // Several ranks, or GPUs that are not here: planes of each, and bytes of its GPU and of its machine; on GPUs, how many of this one's memory the room needs (0: none would do) and
  // what part of their speed they are expected to keep.
  struct Share {
    int planes = 0;
    std::int64_t gpu = 0, host = 0;
  };
  std::vector<Share> shares;
  int gpus_needed = 0;
  double efficiency = 1.0;
  std::vector<ScalingPoint> scaling;  // the same model of this room, up to 1024 GPUs
};

// predicted_seconds: of one device; 0: nothing was timed, and nothing is predicted.
PlanReport make_report(const Scene& scene, const Planned& planned, const Target& target, double predicted_seconds,
                       const std::vector<std::string>& remarks);
nlohmann::ordered_json plan_json(const PlanReport& report);
std::string plan_text(const PlanReport& report);
// To stdout, with the materials: what `plan` and `run --dry-run` say.
void print_plan(const PlanReport& report, bool json);
// Absorption asked and fitted, band by band; empty when every wall is rigid.
std::string materials_text(const std::vector<MaterialFit>& materials, double max_frequency);
nlohmann::ordered_json materials_json(const std::vector<MaterialFit>& materials);

}  // namespace fdtd::cli
