// Room-acoustic parameters as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/reports/page.hpp"
#include "engine/responses/metrics.hpp"

namespace fdtd {

// sample_rate, duration, onset, valid_bandwidth, bands [{centre, EDT, ..., curvature, range, reason, reasons {}}],
// broadband {}. s, dB, D50 a fraction; null where there is no value.
nlohmann::ordered_json metrics_json(const Metrics& metrics);
// One line per band; below, why values are missing.
std::string metrics_text(const Metrics& metrics);

// One row per band, broadband last; "-" for a missing value.
Table metrics_table(const Metrics& metrics);
// Why values are missing: "no T30: the decay spans ... (125 Hz, all)", each reason once.
std::vector<std::string> metrics_gaps(const Metrics& metrics);

}  // namespace fdtd
