// The table and the JSON of `fdtd notches`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/small_rooms/wall_notches.hpp"

namespace fdtd::cli {

struct NotchesReport {
  std::vector<PairNotches> pairs;
  double from = 0.0, to = 0.0;
  std::vector<std::string> notes;
};

// Remarks on parts of the scene that the notches leave out.
std::vector<std::string> notches_notes(const Scene& scene);
std::string notches_text(const NotchesReport& report);
nlohmann::ordered_json notches_json(const NotchesReport& report);

}  // namespace fdtd::cli
