// Single numbers of an open-plan office (responses/speech/open_plan.hpp) from receivers of a result along a line, one set
// for each source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/responses/speech/open_plan.hpp"

namespace fdtd {

struct OfficeLine {
  struct Place {
    std::string receiver;
    double distance = 0.0, level = 0.0;  // m, dB(A)
    std::optional<double> STI;
  };
  std::string source;
  std::vector<Place> places;  // by distance
  OpenPlan office;
};

// `metrics`: of each of `shown`. Throws Error (status scene) for names that are no receivers or come twice, fewer than
// four of them, and responses without an octave of 125 to 8000 Hz.
std::vector<OfficeLine> office_lines(const Result& result, const std::vector<ShownChannel>& shown,
                                     const std::vector<Metrics>& metrics, const std::vector<std::string>& receivers,
                                     const std::optional<SpeechOctaves>& noise);

const JsonFields<OfficeLine>& office_fields();
std::string office_text(const OfficeLine& line);

}  // namespace fdtd
