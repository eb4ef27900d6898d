// The table and the JSON of `fdtd notches`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/notches/wall_notches.hpp"

namespace fdtd::cli {

struct NotchesReport {
  std::vector<PairNotches> pairs;
  double from = 0.0, to = 0.0;
  std::vector<std::string> notes;
};

// Remarks on parts of the scene that the notches leave out.
std::vector<std::string> notches_notes(const Scene& scene);
std::string notches_text(const NotchesReport& report);
// Dips of a run that lie near notches, with their walls, under a heading. "" where no notch was searched for a dip.
std::string wall_dips_text(const std::vector<PairNotches>& pairs, const std::string& heading);
nlohmann::ordered_json notches_json(const NotchesReport& report);

}  // namespace fdtd::cli
