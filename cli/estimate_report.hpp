// The report of `fdtd estimate`.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/estimate/estimate.hpp"
#include "scenes/scene.hpp"

namespace fdtd::cli {

std::string about_model(const Estimate& estimate);            // what it knows and what not
std::set<std::string> used_limits(const Estimate& estimate);  // keys of estimate_limits

// `outputs`: the files that were written; null without --map.
nlohmann::ordered_json estimate_json(const Scene& scene, const Estimate& estimate,
                                     const std::vector<std::string>* outputs = nullptr);
std::string estimate_text(const Scene& scene, const Estimate& estimate);

}  // namespace fdtd::cli
