#include "engine/above/ray_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "engine/above/emitted_octaves.hpp"
#include "engine/facets/off_facets.hpp"
#include "engine/rays/ray_count.hpp"
#include "engine/rays/trace.hpp"

namespace fdtd {
namespace {

constexpr std::int64_t followed_rays = 1024;
constexpr double of_energy = 0.2;  // that receivers count by rays at the time in question, at the least
constexpr double audible = 1e-2;   // of the first energy: the draw of few rays has later sound

// At one time, of the octaves in which each is least or most.
struct RayState {
  double level = 1.0;    // of the first energy
  double counted = 1.0;  // part of all energy
  double ratio = 0.0;    // of the deviation to that of rays of equal energies that have all sound
};

RayState state_of(const std::vector<RaySample>& samples) {
  constexpr double first = 4.0 * std::numbers::pi * static_cast<double>(followed_rays);
  RayState state;
  for (const RaySample& one : samples) {
    state.level = std::min(state.level, one.all / first);
    if (!(one.all > 0.0)) return {0.0, 1.0, 0.0};
    state.counted = std::min(state.counted, one.counted / one.all);
    state.ratio = std::max(state.ratio, std::sqrt(static_cast<double>(followed_rays) * one.squares) / one.all);
  }
  return state;
}

}  // namespace

std::optional<RayDeviation> ray_deviation(const GeometricRoom& room, const AbovePlan& plan, const AbovePlace& from) {
  const bool box = plan.image_reach > 0.0;
  RaySettings settings;
  settings.sound_speed = plan.sound_speed;
  settings.seed = plan.seed;
  settings.image_order = box ? -1 : plan.image_order;
  settings.image_reach = plan.image_reach;
  std::vector<RayOctave> octaves;
  for (const double centre : plan.octaves) octaves.push_back(room.octave(centre));
  const auto smooth = [](const RayOctave& octave) {
    return std::ranges::all_of(octave.scattering, [](double s) { return s == 0.0; });
  };
  if (box && std::ranges::all_of(octaves, smooth)) return std::nullopt;
  const RayEmission emission =
      from.outputs.empty() ? RayEmission() : ray_emission(from.outputs.front(), plan.octaves, plan.overlap / 2.0);
  const RayReceivers none(room.facets, {});
  const Point source = off_facets(room.facets, from.position);
  const auto followed = [&](double until) {
    settings.duration = until;
    settings.sampled_at = std::max(0.0, until - 0.5 * deviation_width);
    RayTracer tracer(room.facets, octaves, source, emission, none, settings);
    tracer.trace_to(followed_rays);
    return state_of(tracer.sums().samples);
  };
  double until = std::min(settings.late_from, plan.duration);
  RayState state = followed(until);
  while (state.level < audible && until > 2.0 * deviation_width) state = followed(until /= 2.0);
  while (state.counted < of_energy) {
    if (state.level < audible || 2.0 * until > plan.duration) return std::nullopt;
    state = followed(until *= 2.0);
  }
  const double radius = (until > settings.late_from ? late_growth : 1.0) * plan.radius;
  return RayDeviation{until,
                      state.ratio * deviation(plan.rays, plan.volume, radius, plan.sound_speed, deviation_width)};
}

}  // namespace fdtd
