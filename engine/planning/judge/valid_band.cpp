#include "engine/planning/judge/valid_band.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace fdtd {
namespace {

constexpr double nearly = 1.0 - 1e-6;

// `requested`: as of valid_band. Otherwise walls that end the band below the interior's are the limit themselves.
Limit wall_limit(const GridChoice& choice, const std::vector<WallAccuracy>& walls, bool requested) {
  Limit limit{"walls", wall_bandwidth(walls, choice), false, {}};
  if (limit.frequency >= nearly * choice.max_frequency) {
    limit.beyond = requested || choice.max_frequency >= nearly * choice.interior_bandwidth;
    return limit;
  }
  std::vector<std::string> materials;
  for (const WallAccuracy& one : walls)
    if (one.valid_bandwidth <= limit.frequency) materials.push_back(one.material);
  limit.by = listed(materials);
  return limit;
}

}  // namespace

ValidBand valid_band(const GridChoice& choice, const std::vector<WallAccuracy>& walls, bool requested) {
  ValidBand band;
  band.limits.push_back({"interior", choice.interior_bandwidth, false, {}});
  if (!walls.empty()) band.limits.push_back(wall_limit(choice, walls, requested));
  const Limit& least = *std::ranges::min_element(band.limits, {}, &Limit::frequency);
  band.frequency = std::min(least.frequency, choice.max_frequency);
  if (requested && least.frequency >= nearly * choice.max_frequency) {
    band.limited_by = "max_frequency";
  } else {
    band.limited_by = least.what;
  }
  return band;
}

}  // namespace fdtd
