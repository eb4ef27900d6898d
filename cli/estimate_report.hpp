// The report of `fdtd estimate`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/estimate/estimate.hpp"
#include "scenes/scene.hpp"

namespace fdtd::cli {

nlohmann::ordered_json estimate_json(const Scene& scene, const Estimate& estimate);
std::string estimate_text(const Scene& scene, const Estimate& estimate);

}  // namespace fdtd::cli
