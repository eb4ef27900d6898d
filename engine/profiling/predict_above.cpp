#include "engine/profiling/predict_above.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "engine/above/above_work.hpp"
#include "engine/above/marry.hpp"
#include "engine/above/trace_above.hpp"
#include "engine/images/lattice_spectrum.hpp"
#include "engine/images/paths.hpp"
#include "engine/plan/single_responses.hpp"
#include "engine/rays/ray_count.hpp"
#include "engine/rays/trace.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/stopwatch.hpp"
#include "engine/system/threads.hpp"

namespace fdtd {
namespace {

constexpr std::size_t probed_receivers = 32, probed_of_box = 2;
constexpr std::int64_t rays_a_thread = 256;
constexpr double fewer_paths = 10.0;   // times fewer rays search for image sources
constexpr double probed_images = 3e5;  // of a box, a pair
// Fewer images in a box than these take seconds, a tenth of which would be spent on the probe of probed_images. Their time
// follows from that of the transforms of a brief response: an image takes 0.14 us where a second takes 60 ms (EPYC with
// AVX-512; 0.2 us with AVX2).
constexpr double few_images = 1e7, brief = 0.1;  // s
constexpr double an_image_in_seconds = 3e-6;     // of response, whose transforms take as long as an image
constexpr double longest_ray = 3.0;              // times probed_time, until walls have taken its energy
constexpr double probed_time = 1.0;              // s, of a response: what takes longer grows with it

// The scene with its first source, omnidirectional, and `count` of its receivers, evenly chosen.
Scene few_of(const Scene& scene, std::size_t count) {
  Scene few = scene;
  few.sources.resize(1);
  few.sources[0].directivity = {};
  few.receivers.clear();
  for (std::size_t i = 0; i < count; ++i) few.receivers.push_back(scene.receivers[i * scene.receivers.size() / count]);
  return few;
}

AboveTrace probe_rays(const Scene& few, AbovePlan plan) {
  plan.rays = plan.most_rays = rays_a_thread * std::max(1, hardware_threads());
  plan.path_rays = static_cast<std::int64_t>(static_cast<double>(plan.path_rays) / fewer_paths);
  plan.summed_reach = 0.0;
  return trace_above(few, plan);
}

double images_within(double reach, double volume) {
  return 4.0 / 3.0 * std::numbers::pi * reach * reach * reach / volume;
}

// The plan of a response of probed_time at most. Rays are traced where the whole one has any.
AbovePlan shortened(const AbovePlan& plan) {
  AbovePlan some = plan;
  some.duration = std::min(plan.duration, probed_time);
  const double reach = plan.sound_speed * some.duration;
  some.summed_reach = std::min(plan.summed_reach, reach);
  if (plan.image_reach > 0.0 && plan.image_reach < plan.sound_speed * plan.duration)
    some.image_reach = std::min(plan.image_reach, 0.5 * reach);
  return some;
}

// A pair's images of a box: their number grows with the cube of the reach, beside transforms, which grow with the
// response.
double images_of_box(const Scene& few, const AbovePlan& plan) {
  const std::array<double, 3>& sides = few.room.box;
  const double volume = sides[0] * sides[1] * sides[2];
  const double all = images_within(plan.image_reach, volume);
  AbovePlan nearer = shortened(plan);
  nearer.rays = nearer.most_rays = 1;
  const auto transformed = [](const AbovePlan& of) { return of.duration + early_ringing; };
  if (all < few_images) {
    nearer.duration = std::min(nearer.duration, brief);
    nearer.image_reach = plan.sound_speed * nearer.duration;
    nearer.summed_reach = std::min(std::cbrt(volume), nearer.image_reach);
    const double a_second = trace_above(few_of(few, 1), nearer).seconds.early / transformed(nearer);
    return a_second * (transformed(plan) + an_image_in_seconds * all);
  }
  nearer.summed_reach *= std::cbrt(std::min(1.0, probed_images / images_within(nearer.summed_reach, volume)));
  const double most = images_within(nearer.summed_reach, volume);
  const double pairs = static_cast<double>(few.receivers.size());
  nearer.summed_reach /= 2.0;
  const double some = trace_above(few, nearer).seconds.early;
  nearer.summed_reach *= 2.0;
  const double probed = trace_above(few, nearer).seconds.early;
  const double an_image = std::max(0.0, probed - some) / (most * 7.0 / 8.0);
  const double transforms = std::max(0.0, probed - an_image * most) * transformed(plan) / transformed(nearer);
  return (transforms + an_image * all) / pairs;
}

// Of noise, filters and the comparison below the crossover, a channel.
double marriage_of(AboveRecord record, double duration, double rate) {
  constexpr double compared = 2.0;  // with the comparison
  record.channels.resize(1);
  record.channels[0].channel = 0;
  Rendered wave;
  wave.sample_rate = rate;
  wave.samples = static_cast<std::int64_t>(std::ceil(duration * rate));
  wave.ir.assign(static_cast<std::size_t>(wave.samples), 1e-3);
  const Stopwatch begun;
  add_above(record, wave);
  return compared * begun.seconds();
}

}  // namespace

AboveSize above_size(const Scene& scene) {
  AboveSize size;
  size.receivers = static_cast<double>(scene.receivers.size());
  for (const SourceSpec& one : scene.sources) size.outputs += outputs_of(one.directivity);
  double shown = 0.0;
  for (const ReceiverSpec& one : scene.receivers) {
    const double outputs = outputs_of(one.directivity);
    shown += outputs;
    size.together = std::max(size.together, outputs);
    size.patterned += one.directivity.pattern == "omni" ? 0.0 : 1.0;
  }
  size.channels = size.outputs * shown;
  if (scene.room.mesh) size.triangles = static_cast<double>(scene.room.mesh->triangles.size());
  size.rate = scene.output.sample_rate;
  return size;
}

AboveTime predict_above(const Scene& scene, const AbovePlan& plan) {
  const AboveSize size = above_size(scene);
  if (!(size.channels > 0.0)) return {};
  const std::size_t probed = std::min(scene.receivers.size(), probed_receivers);
  const AbovePlan shorter = shortened(plan);
  const double longer = plan.duration / shorter.duration;
  const AboveTrace some = probe_rays(few_of(scene, probed), shorter);
  // Of rays the time of a reflection grows with the receivers that they pass.
  const auto of_hit = [](const AboveTrace& trace) {
    return trace.hits > 0 ? trace.seconds.rays / static_cast<double>(trace.hits) : 0.0;
  };
  double hit = of_hit(some);
  if (probed < scene.receivers.size()) {
    const double one = of_hit(probe_rays(few_of(scene, 1), shorter));
    hit += std::max(0.0, hit - one) * (size.receivers - static_cast<double>(probed)) / static_cast<double>(probed - 1);
  }
  const double a_ray =
      std::min(longer, longest_ray) * static_cast<double>(some.hits) / static_cast<double>(some.record.rays);
  const double first = size.outputs * static_cast<double>(plan.rays) * a_ray,
               last = size.outputs * static_cast<double>(plan.most_rays) * a_ray;
  const double hits = plan.most_rays > plan.rays ? std::max(first, std::min(last, plan.most_hits)) : first;
  const double looks = 1.0 + std::max(0.0, std::log2(hits / std::max(1.0, first)));  // at the spread
  double of_receiver = longer * looks * some.seconds.spread / static_cast<double>(probed);
  if (size.triangles > 0.0)
    of_receiver += (fewer_paths * some.seconds.paths + longer * some.seconds.early) / static_cast<double>(probed);
  else
    of_receiver += images_of_box(few_of(scene, std::min(probed, probed_of_box)), plan);
  const double threads = std::max(1, hardware_threads());
  const double seconds =
      some.seconds.room + hits * hit + size.receivers * size.outputs * of_receiver +
      longer * marriage_of(some.record, shorter.duration, size.rate) * std::ceil(size.channels / threads);
  return {seconds, hits > first};
}

namespace {

// Of the search for a mesh's specular paths, one output after the other, and of the paths that it finds.
double path_bytes(const AboveSize& size, const AbovePlan& plan) {
  constexpr double a_path = 400.0, a_leg = 80.0, a_candidate = 100.0;
  constexpr double sphere = std::numbers::pi;  // m2: of 0.5 m about a receiver, in which rays pass
  const double order = plan.image_order, legs = static_cast<double>(plan.path_rays) * (order + 1.0);
  // Those of a box, of which each order n has 4 n^2 + 2.
  const double images = 1.0 + 2.0 * order + 2.0 * order * (order + 1.0) * (2.0 * order + 1.0) / 3.0;
  const double passing = std::min(1.0, sphere / (6.0 * std::pow(plan.volume, 2.0 / 3.0)));  // of legs, in a cube
  const double together = std::min<double>(receivers_a_group, size.receivers);
  return size.receivers * a_path * std::min<double>(most_paths, images) +
         a_leg * (size.receivers > together ? legs : 0.0) + a_candidate * together * legs * passing;
}

}  // namespace

std::int64_t above_bytes(const AboveSize& size, const AbovePlan& plan, int threads) {
  constexpr double a_triangle = 650.0, a_value = 8.0, bin = 1e-3, cells = 24.0, margin = 0.1;
  const double bins = plan.duration / bin, octaves = static_cast<double>(plan.octaves.size());
  const double plain = size.receivers - size.patterned;
  // Energies that are kept, in the result's file once more where it is composed in memory; the sums of the source that is
  // traced: two halves, by direction, and those of image sources; early sound, once more as it is written.
  const double copies = size.channels <= static_cast<double>(max_single_responses) ? 2.0 : 1.0;
  const double kept = size.outputs * (copies * octaves * (plain + cells * size.patterned) + size.receivers) * bins;
  const double sums =
      ((octaves + 1.0) * (2.0 * size.receivers + cells * size.patterned) + octaves * size.receivers) * bins;
  const double early = 2.0 * size.channels * plan.duration * early_rate;
  // Spectra of a response in each thread, and those of its octaves; of a box's images in a set of frequencies.
  const double longest = plan.duration + margin;
  const SpectrumBins bins_of_images{early_rate, static_cast<std::int64_t>(longest * early_rate)};
  const double of_images =
      static_cast<double>(lattice_bytes(bins_of_images)) / a_value *
      (0.25 + static_cast<double>(spectra_a_walk(bins_of_images, static_cast<std::size_t>(size.together))));
  const double spectra = 12.0 * std::min<double>(threads, size.channels) * longest * std::max(early_rate, size.rate) +
                         (size.triangles > 0.0 ? 0.0 : of_images);
  // Of rays on their way: a cube's mean free path is two thirds of its side.
  const double side = std::cbrt(plan.volume), radius = late_growth * plan.radius;
  const double waiting =
      waiting_bytes(static_cast<std::size_t>(size.receivers), threads, 1.5 * plan.sound_speed * plan.duration / side,
                    std::numbers::pi * radius * radius / (1.5 * side * side));
  // Figures of the octaves above, with their reasons, of a response that has a group of its own (measured: 23 KiB an
  // octave); of others the records, and the comparison below the crossover (21 KiB of 1008 to 8064 responses).
  constexpr double a_figure = 24576.0, a_record = 21504.0;
  const double figures = size.channels * (copies > 1.0 ? a_figure * octaves : a_record);
  const double paths = size.triangles > 0.0 ? path_bytes(size, plan) : 0.0;
  return static_cast<std::int64_t>(std::min(4e18, a_value * (kept + sums + early + spectra) + waiting + figures +
                                                      paths + a_triangle * std::max(12.0, size.triangles)));
}

void require_above_memory(std::int64_t bytes, std::int64_t recordings, std::int64_t available, const AboveSize& size,
                          const AbovePlan& plan) {
  constexpr double usable = 0.9;  // of the available memory; the rest is for files and the system
  const double needed = static_cast<double>(bytes) + static_cast<double>(recordings);
  if (needed <= usable * static_cast<double>(available)) return;
  throw Error(
      Status::resource,
      fmt::format("not enough memory: {:.0f} responses above {:.0f} Hz need {} ({} for image sources and "
                  "energies of rays, {} for recordings), {} are available",
                  size.channels, plan.crossover.to, human_bytes(needed), human_bytes(static_cast<double>(bytes)),
                  human_bytes(static_cast<double>(recordings)), human_bytes(static_cast<double>(available))),
      "set above.method = \"none\", shorten simulation.duration, or record fewer sources and receivers");
}

}  // namespace fdtd
