// The tables and the JSON of `fdtd fit`: absorption, materials that the figures do not distinguish, differences.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/calibration/calibration.hpp"

namespace fdtd::cli {

struct FitReport {
  const CalibrationResult* result = nullptr;
  const std::vector<CalibrationStage>* stages = nullptr;
  std::string fitted;  // path of the file
  std::vector<std::string> hold;
  std::string unfinished;  // why it ended before its last run; empty: it did not
};

std::string fit_text(const FitReport& report);
nlohmann::ordered_json fit_json(const FitReport& report);

}  // namespace fdtd::cli
