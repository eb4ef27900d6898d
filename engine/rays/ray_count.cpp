#include "engine/rays/ray_count.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

// The square of the deviation by one ray: hits are a Poisson process of the rate pi R2 c / V, whose chords have a mean
// square 9/8 of their squared mean.
double of_one_ray(double volume, double radius, double sound_speed, double bin) {
  return 9.0 * volume / (8.0 * std::numbers::pi * radius * radius * sound_speed * bin);
}

}  // namespace

double radius_of(double volume, double to_wall) {
  return std::max(0.1, std::min(std::clamp(0.09 * std::cbrt(volume), 0.15, 1.0), to_wall));
}

double deviation(std::int64_t rays, double volume, double radius, double sound_speed, double bin) {
  return std::sqrt(of_one_ray(volume, radius, sound_speed, bin) / static_cast<double>(rays));
}

std::int64_t rays_for(double relative_deviation, double volume, double radius, double sound_speed, double bin) {
  const double needed = of_one_ray(volume, radius, sound_speed, bin) / (relative_deviation * relative_deviation);
  return static_cast<std::int64_t>(
      std::ceil(std::clamp(needed, static_cast<double>(fewest_rays), static_cast<double>(most_rays))));
}

}  // namespace fdtd
