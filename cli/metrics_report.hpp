// Figures of merit as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/metrics.hpp"

namespace fdtd::cli {

// sample_rate, duration, onset, valid_bandwidth, bands [{centre, EDT, ..., curvature, range, reason, reasons {}}], broadband {}.
// s, dB, D50 a fraction; null where there is no value.
nlohmann::ordered_json metrics_json(const Metrics& metrics);
// One line a band; below it why values are missing.
std::string metrics_text(const Metrics& metrics);

}  // namespace fdtd::cli
