// The runs of a fit: each is a process with its own folder, DIR/001, DIR/002, ..., as those of a sweep.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "cli/scene_options.hpp"
#include "engine/calibration/calibration.hpp"

namespace fdtd::cli {

class FitRuns {
 public:
  // Of a scene that was read by these options.
  FitRuns(const SceneOptions& options, const Scene& scene, std::filesystem::path folder, bool force, bool quiet);

  // The figures of the run, which is taken from its folder where it is there. Throws Error: with the message and the status
  // of a run that failed; interrupted when a signal ends it; file where the folder holds another run and `force` is off.
  RoomFigures run(const AbsorptionTables& tables, const CalibrationStage& stage);

 private:
  std::vector<std::string> overrides_of(const AbsorptionTables& tables, const CalibrationStage& stage) const;
  bool is_made(const std::filesystem::path& folder, const std::vector<std::string>& overrides) const;
  void compute(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
               const CalibrationStage& stage);

  const SceneOptions& options_;
  const Scene& scene_;
  std::filesystem::path folder_, waves_;  // of the latest run of the scene as it is; empty: none
  bool force_, quiet_;
  std::size_t number_ = 0;
};

}  // namespace fdtd::cli
