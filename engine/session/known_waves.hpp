// The record of an earlier run, for one that differs in nothing that waves depend on: other geometry above their band,
// scattering, output rate or format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/reports/plan_report.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct KnownWaves {
  std::optional<Recording> recording;  // in the order of the scene
  double seconds = 0.0;                // that its steps took
  std::filesystem::path from;          // result.h5
  std::string why_not;                 // where there is no recording
};

// `result`: result.h5 of a run, or its folder; it is taken where program, device and `print` (exact_print of the plan)
// are the same, and the plan has no snapshots. Throws Error (status file) as read_result.
KnownWaves known_waves(const std::filesystem::path& result, const PlanReport& report, const std::string& print);

}  // namespace fdtd
