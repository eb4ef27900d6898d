#include "engine/above/above_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/above/above_work.hpp"
#include "engine/images/lattice.hpp"
#include "engine/materials/wide_law.hpp"
#include "engine/rays/ray_count.hpp"

namespace fdtd {
namespace {

constexpr double highest = 20000.0;    // Hz, of hearing
constexpr double part_of_rate = 0.45;  // of the output rate that its filters leave
constexpr double rounding = 1.0 + 1e-9;
constexpr double least_octaves = 1e-6;  // between the crossover and `upper`, or there is nothing above
constexpr double most_images = 5e6;     // of a box, for a pair
// Few rays carry the late sound between bare walls, so that "auto" takes more until T20 has converged. It costs as much as
// a fifth of the steps, a reflection of a ray as 150 nodes (measured on two cores, 76 triangles); in small rooms, whose
// steps take a second, up to some 6 s on two cores.
constexpr double hits_for_an_update = 0.2 / 150.0, always_hits = 4e7;
constexpr double open_air = 1e3;  // m: far from any wall
constexpr int mesh_order = 6;     // of images, unless the scene says
constexpr double asked_deviation = 0.05;

// Octaves that reach above `from`, up to the one that holds `upper`.
std::vector<double> octaves_of(double from, double upper) {
  std::vector<double> list;
  for (const double centre : {31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0})
    if (centre * std::sqrt(2.0) > from * rounding && centre / std::sqrt(2.0) < upper) list.push_back(centre);
  return list;
}

// The materials of the walls whose data end below `upper`.
std::vector<std::string> extended_materials(const std::vector<std::string>& walls,
                                            const std::map<std::string, Material>& materials, const AbovePlan& plan) {
  std::vector<std::string> list;
  for (const std::string& name : walls) {
    const double from = WideLaw(materials.at(name), plan.sound_speed).extended_from();
    if (from > 0.0 && from < plan.upper) list.push_back(fmt::format("{} from {:.0f} Hz", name, from));
  }
  return list;
}

// Of a scene with responses, whether or not it is too much for "auto".
std::optional<AbovePlan> any_plan(const Scene& scene, const WavePart& wave) {
  const Above& asked = scene.above;
  AbovePlan plan;
  plan.upper = std::min(highest, part_of_rate * scene.output.sample_rate);
  plan.crossover.to = asked.crossover.value_or(wave.valid_to);
  plan.crossover.from = plan.crossover.to / std::sqrt(2.0);
  if (std::log2(plan.upper / plan.crossover.to) < least_octaves) return std::nullopt;
  plan.octaves = octaves_of(plan.crossover.from, plan.upper);
  plan.overlap = plan.crossover.from / std::sqrt(2.0);
  plan.duration = wave.duration;
  plan.volume = wave.volume;
  plan.sound_speed = wave.sound_speed;
  plan.seed = static_cast<std::uint64_t>(asked.seed);
  plan.radius = radius_of(plan.volume, open_air);
  plan.rays =
      asked.rays ? *asked.rays : rays_for(asked_deviation, plan.volume, plan.radius, plan.sound_speed, deviation_width);
  plan.most_rays = asked.rays ? *asked.rays : std::max(plan.rays, most_rays);
  plan.most_hits = std::max(always_hits, hits_for_an_update * wave.updates);
  plan.image_order = asked.image_order.value_or(mesh_order);
  if (!scene.room.mesh) plan.image_reach = lattice_reach(scene.room.box, plan.sound_speed * plan.duration, most_images);
  plan.summed_reach = plan.image_reach;
  // The phase of the wave part is off by 2 pi (r / wavelength) error after r: by pi / 4 at most in this time.
  const double middle = std::sqrt(plan.crossover.from * plan.crossover.to);
  plan.coherent_until = 1.0 / (8.0 * std::max(wave.dispersion_error, 1e-6) * middle);
  return plan;
}

}  // namespace

std::string above_omitted(const Scene& scene, const WavePart& wave) {
  if (scene.above.method != Above::Method::automatic) return "";
  if (scene.sources.empty() || scene.receivers.empty()) return "";
  constexpr const char* remedy = "above.method = \"rays\" adds geometry above";
  if (wave.flat)
    return fmt::format("responses end at {:.0f} Hz: the room is one cell across, and rays know three dimensions; {}",
                       wave.valid_to, remedy);
  const std::optional<AbovePlan> plan = any_plan(scene, wave);
  if (!plan) return "";
  if (!scene.moving.empty())
    return fmt::format("responses end at {:.0f} Hz: receiver {} moves, and a path hears waves alone", wave.valid_to,
                       scene.moving.front().name);
  const AboveWork work =
      above_work(scene, {plan->duration, plan->volume, plan->sound_speed, plan->radius, plan->image_reach, plan->rays});
  if (work.total() <= most_above_work && work.samples <= most_above_samples) return "";
  return fmt::format(
      "responses end at {:.0f} Hz: geometry has {:.2g} image sources, {:.2g} crossings of rays and {:.2g} samples of "
      "responses to compute, more than above.method = \"auto\" takes on; fewer receivers or a shorter "
      "simulation.duration make it less, {}",
      wave.valid_to, work.images, work.crossings, work.samples, remedy);
}

double response_end(const Scene& scene, const WavePart& wave) {
  const Above& asked = scene.above;
  const bool waves_alone = asked.method == Above::Method::none || scene.sources.empty() || scene.receivers.empty() ||
                           !above_omitted(scene, wave).empty();
  const double upper = std::min(highest, part_of_rate * scene.output.sample_rate);
  const double waves = asked.crossover.value_or(wave.valid_to);
  return waves_alone || std::log2(upper / waves) < least_octaves ? wave.valid_to : upper;
}

std::optional<AbovePlan> plan_above(const Scene& scene, const WavePart& wave, std::string* omitted) {
  const Above& asked = scene.above;
  if (asked.method == Above::Method::none || scene.sources.empty() || scene.receivers.empty()) return std::nullopt;
  const std::string reason = above_omitted(scene, wave);
  if (omitted != nullptr) *omitted = reason;
  if (!reason.empty()) return std::nullopt;
  if (asked.crossover && *asked.crossover > wave.valid_to * (1.0 + 1e-9))
    throw Error(Status::scene,
                fmt::format("above.crossover: {:g} Hz is above the {:.6g} Hz to which waves are valid",
                            *asked.crossover, wave.valid_to),
                "lower it, or raise simulation.max_frequency");
  std::optional<AbovePlan> plan = any_plan(scene, wave);
  if (plan) plan->extended = extended_materials(scene.room.materials().names, scene.materials, *plan);
  return plan;
}

std::string above_text(const AbovePlan& plan, bool box) {
  const std::string images = box ? fmt::format("all images up to {:.4g} m", plan.image_reach)
                                 : fmt::format("images to order {}", plan.image_order);
  const std::string deviation = plan.deviation
                                    ? fmt::format(" (deviation {:.2g} % in 10 ms, {:.3g} ms after the emission)",
                                                  100.0 * plan.deviation->relative, 1e3 * plan.deviation->until)
                                    : "";
  return fmt::format("{:.0f} to {:.0f} Hz by geometry: {} rays{}{}, {}; crossover {:.0f} to {:.0f} Hz",
                     plan.crossover.to, plan.upper, plan.rays, plan.most_rays > plan.rays ? " or more" : "", deviation,
                     images, plan.crossover.from, plan.crossover.to);
}

}  // namespace fdtd
