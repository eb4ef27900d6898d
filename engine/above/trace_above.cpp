#include "engine/above/trace_above.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "engine/above/blocked_pairs.hpp"
#include "engine/above/emitted_octaves.hpp"
#include "engine/above/geometric_room.hpp"
#include "engine/above/late_sound.hpp"
#include "engine/above/lattice_end.hpp"
#include "engine/above/places.hpp"
#include "engine/above/ray_spread.hpp"
#include "engine/facets/facets.hpp"
#include "engine/facets/off_facets.hpp"
#include "engine/images/edge_paths.hpp"
#include "engine/images/lattice_spectrum.hpp"
#include "engine/images/path_spectrum.hpp"
#include "engine/images/paths.hpp"
#include "engine/rays/ray_count.hpp"
#include "engine/rays/snub_cube.hpp"
#include "engine/rays/trace.hpp"
#include "engine/system/stopwatch.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

using Place = AbovePlace;

constexpr double bin = 1e-3;                                // s, of energies
constexpr double most_lost = 0.05;                          // of all reflections, before the room counts as open
constexpr double least_more = 1.25;                         // times as many rays, or there are no more
constexpr double taper_from = 21000.0, taper_to = 24000.0;  // Hz, of early sound at early_rate

// The early sound of a pair as a filter at early_rate.
std::vector<double> filter_of(std::vector<std::complex<double>> spectrum, std::int64_t length, double duration) {
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double f = static_cast<double>(k) * early_rate / static_cast<double>(length);
    const double x = std::clamp((f - taper_from) / (taper_to - taper_from), 0.0, 1.0);
    spectrum[k] *= 0.5 + 0.5 * std::cos(std::numbers::pi * x);
  }
  std::vector<double> filter = inverse_real_fft(spectrum, length);
  filter.resize(std::min(filter.size(), static_cast<std::size_t>(std::ceil(duration * early_rate))));
  return filter;
}

std::int64_t early_length(const AbovePlan& plan) {
  return smooth_length(static_cast<std::int64_t>(std::ceil((plan.duration + early_ringing) * early_rate)));
}

double length_of(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

[[noreturn]] void refuse_open_room(const RayEnergies& rays) {
  throw Error(Status::scene,
              fmt::format("{:.3g} % of the reflections of rays find no wall, the first beyond ({:.4g}, {:.4g}, {:.4g})",
                          100.0 * static_cast<double>(rays.lost) / static_cast<double>(rays.hits + rays.lost),
                          rays.first_lost[0], rays.first_lost[1], rays.first_lost[2]),
              "close the mesh there, or set above.method = \"none\"");
}

std::vector<RayReceiver> spheres_of(const std::vector<Place>& receivers, double radius) {
  std::vector<RayReceiver> spheres;
  for (const Place& one : receivers) spheres.push_back({one.position, radius, one.patterned(), late_growth * radius});
  return spheres;
}

// All that one source sends.
class SourceTrace {
 public:
  // `outputs`: of all sources together, among which the work is divided.
  SourceTrace(const Scene& scene, const AbovePlan& plan, const GeometricRoom& room, const std::vector<Place>& receivers,
              std::size_t receiver_channels, std::size_t outputs)
      : scene_(scene),
        plan_(plan),
        room_(room),
        receivers_(receivers),
        receiver_channels_(receiver_channels),
        most_hits_(plan.most_hits / static_cast<double>(std::max<std::size_t>(1, outputs))),
        spheres_(room.facets, spheres_of(receivers, plan.radius)) {
    for (const Place& one : receivers) positions_.push_back(one.position);
    if (scene.room.mesh) edges_.emplace(room.facets);
    for (const double centre : plan.octaves) octaves_.push_back(room.octave(centre));
    octaves_.push_back(room.octave(plan.overlap));
  }

  void add(AboveTrace& trace, std::size_t number, const Place& source, const AboveCalls& calls) const {
    const Stopwatch searching;
    ShadowedReceivers shadowed;
    if (edges_) shadowed = shadowed_receivers(*edges_, source.position, positions_);
    trace.seconds.paths += searching.seconds();
    for (const Place::Output& output : source.outputs) add_output(trace, number, source, output, shadowed, calls);
  }

 private:
  void add_output(AboveTrace& trace, std::size_t number, const Place& source, const Place::Output& output,
                  const ShadowedReceivers& shadowed, const AboveCalls& calls) const {
    AboveRecord& record = trace.record;
    std::vector<std::vector<SpecularPath>> paths;
    int order = plan_.image_order;
    const Stopwatch searching;
    if (scene_.room.mesh) {
      paths = specular_paths(room_.facets, source.position, positions_, order, plan_.path_rays);
      order = limit_order(paths, order);
      record.image_order = std::min(record.image_order, order);
      for (std::size_t r = 0; r < paths.size(); ++r)
        paths[r].insert(paths[r].end(), shadowed[r].paths.begin(), shadowed[r].paths.end());
    }
    trace.seconds.paths += searching.seconds();
    const Stopwatch sounding;
    const std::size_t first_channel = record.channels.size(), first_late = record.late.size();
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      const std::vector<Place::Output>& outputs = receivers_[r].outputs;
      if (calls.check) calls.check();
      std::vector<std::vector<double>> early;
      if (!scene_.room.mesh) early = box_early(source, receivers_[r], output, outputs);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        AboveChannel channel;
        channel.channel = output.channel * receiver_channels_ + outputs[i].channel;
        channel.late = first_late + r;
        channel.pattern = outputs[i].pattern;
        channel.early = scene_.room.mesh ? mesh_early(paths[r], output, outputs[i]) : std::move(early[i]);
        record.channels.push_back(std::move(channel));
      }
    }
    trace.seconds.early += sounding.seconds();
    const std::vector<std::vector<double>> images = images_before_rays(record, first_channel, source, output);
    RayEnergies rays = rays_of(trace, number, source, output, order, first_channel, images, calls);
    continue_all(rays, images);
    if (trace.lost == 0) trace.first_lost = rays.first_lost;
    trace.hits += rays.hits;
    trace.lost += rays.lost;
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      record.late.push_back(late_of(rays, number, r, source));
      trace.overlap.resize(trace.overlap.size() + receivers_[r].outputs.size(), overlap_of(rays, r));
    }
    trace.directional_source.resize(record.channels.size(), output.directional());
  }

  // The receivers by which the number of rays is judged, each with the early sound of its first output.
  std::vector<SpreadReceiver> judged(const AboveRecord& record, std::size_t first_channel, const Place& source,
                                     std::size_t bins) const {
    std::vector<SpreadReceiver> list;
    std::vector<std::size_t> channels;
    std::size_t channel = first_channel;
    for (std::size_t r = 0; r < receivers_.size(); channel += receivers_[r++].outputs.size()) {
      if (receivers_[r].outputs.empty()) continue;
      list.push_back({r, length_of(source.position, positions_[r]) / plan_.sound_speed, {}});
      channels.push_back(channel);
    }
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (list.size() > 1)
    for (std::size_t i = 0; i < list.size(); ++i)
      failure.guard(
          [&] { list[i].early = early_energies(record.channels[channels[i]].early, plan_.octaves, bin, bins); });
    failure.rethrow();
    return list;
  }

  // Rays until T20 has converged, or there are as many as there may be.
  RayEnergies rays_of(AboveTrace& trace, std::size_t number, const Place& source, const Place::Output& output,
                      int order, std::size_t first_channel, const std::vector<std::vector<double>>& images,
                      const AboveCalls& calls) const {
    RaySettings settings;
    settings.duration = plan_.duration;
    settings.bin = bin;
    settings.sound_speed = plan_.sound_speed;
    settings.seed = plan_.seed;
    settings.source = number;
    settings.image_order = scene_.room.mesh ? order : -1;
    if (!scene_.room.mesh) settings.image_reach = (continues_images() ? compared_from : 1.0) * plan_.image_reach;
    std::vector<double> centres = plan_.octaves;
    centres.push_back(plan_.overlap);
    const RayEmission emission = ray_emission(output, std::move(centres), plan_.overlap / 2.0);
    RayTracer tracer(room_.facets, octaves_, source.position, emission, spheres_, settings);
    AboveRecord& record = trace.record;
    if (tracer.silent()) {
      tracer.trace_to(plan_.rays);
      return std::move(tracer).energies();
    }
    std::vector<RaySpread> spread;
    std::vector<SpreadReceiver> receivers;
    RayEnd end = RayEnd::asked;
    for (std::int64_t rays = plan_.rays;;) {
      if (calls.stage) calls.stage(fmt::format("source {} of {}, {} rays", number + 1, scene_.sources.size(), rays));
      const Stopwatch tracing;
      tracer.trace_to(rays, calls.check);
      trace.seconds.rays += tracing.seconds();
      const RayEnergies& sums = tracer.sums();
      if (static_cast<double>(sums.lost) > most_lost * static_cast<double>(sums.hits + sums.lost))
        refuse_open_room(sums);
      const Stopwatch judging;
      if (receivers.empty()) receivers = judged(record, first_channel, source, sums.bins);
      const RayEnergies scaled = images.empty() ? RayEnergies() : continued(sums, rays, images);
      spread = spread_of(images.empty() ? sums : scaled, rays, receivers, plan_.octaves, octaves_.size(),
                         receivers_.size(), bin);
      trace.seconds.spread += judging.seconds();
      if (plan_.most_rays <= plan_.rays) break;
      if (std::ranges::all_of(spread,
                              [](const RaySpread& one) { return 2.0 * one.T20.value_or(0.0) <= ray_convergence; })) {
        end = RayEnd::converged;
        break;
      }
      const double now = static_cast<double>(rays),
                   affordable = now * most_hits_ / static_cast<double>(std::max<std::int64_t>(1, sums.hits)),
                   next = std::min({2.0 * now, affordable, static_cast<double>(plan_.most_rays)});
      end = next < affordable ? RayEnd::most : RayEnd::work;
      if (next < least_more * now) break;
      rays = static_cast<std::int64_t>(next);
    }
    record.rays = record.spread.empty() ? tracer.rays() : std::min(record.rays, tracer.rays());
    record.ray_end = std::max(record.ray_end, end);
    join(record.spread, spread);
    return std::move(tracer).energies();
  }

  // Whether rays go on where the images of a box end, between smooth walls.
  bool continues_images() const {
    if (scene_.room.mesh || plan_.image_reach >= plan_.sound_speed * plan_.duration) return false;
    return std::ranges::all_of(octaves_, [](const RayOctave& octave) {
      return std::ranges::all_of(octave.scattering, [](double s) { return s == 0.0; });
    });
  }

  // Where rays go on after images: the images' energies by receiver, [octave][bin], the overlap first; else nothing.
  std::vector<std::vector<double>> images_before_rays(const AboveRecord& record, std::size_t first_channel,
                                                      const Place& source, const Place::Output& output) const {
    std::vector<std::vector<double>> images;
    if (!continues_images()) return images;
    std::vector<double> centres = {plan_.overlap};
    centres.insert(centres.end(), plan_.octaves.begin(), plan_.octaves.end());
    const std::size_t bins = bins_of(plan_.duration, bin);
    std::size_t channel = first_channel;
    for (const Place& receiver : receivers_) {
      const std::vector<double>& first = record.channels[channel].early;  // of an omnidirectional receiver
      images.push_back(
          receiver.outputs.empty()
              ? std::vector<double>()
              : early_energies(receiver.patterned() ? box_early(source, receiver, output, {Place::Output{}})[0] : first,
                               centres, bin, bins));
      channel += receiver.outputs.size();
    }
    return images;
  }

  // Nothing without images. `unit`: the energies of `rays` are that many times those of the source.
  void continue_all(RayEnergies& rays, const std::vector<std::vector<double>>& images, double unit = 1.0) const {
    const double time = plan_.image_reach / plan_.sound_speed / bin;
    const LatticeEnd end = {static_cast<std::size_t>(compared_from * time) + 1, static_cast<std::size_t>(time)};
    for (std::size_t r = 0; r < images.size(); ++r) {
      if (images[r].empty()) continue;
      RayPlace place = {r, receivers_.size(), 0, octaves_.size(), std::nullopt};
      if (receivers_[r].patterned() && !rays.directions.empty()) place.directional = receiver_with_directions(r);
      for (place.octave = 0; place.octave < octaves_.size(); ++place.octave) {
        const std::size_t row = place.octave == plan_.octaves.size() ? 0 : place.octave + 1;  // the overlap comes last
        continue_images(rays, place, std::span(images[r]).subspan(row * rays.bins, rays.bins), end, unit);
      }
    }
  }

  // Sums of rays, for their energies, without directions.
  RayEnergies continued(const RayEnergies& sums, std::int64_t rays,
                        const std::vector<std::vector<double>>& images) const {
    RayEnergies energies;
    energies.bins = sums.bins;
    energies.energy = sums.energy;
    continue_all(energies, images, static_cast<double>(rays));
    return energies;
  }

  // Both halves of a receiver's energies in the plan's octaves.
  LateRecord late_of(const RayEnergies& rays, std::size_t source, std::size_t receiver, const Place& from) const {
    LateRecord late;
    late.source = static_cast<std::uint32_t>(source);
    late.receiver = static_cast<std::uint32_t>(receiver);
    late.start = length_of(from.position, positions_[receiver]) / plan_.sound_speed;
    late.directions = receivers_[receiver].patterned();
    const std::size_t all = plan_.octaves.size() + 1, size = plan_.octaves.size() * rays.bins;
    if (late.directions) {
      const auto first = rays.directions.begin() + static_cast<std::ptrdiff_t>(receiver_with_directions(receiver) *
                                                                               all * rays.bins * arrival_directions);
      late.energy.assign(first, first + static_cast<std::ptrdiff_t>(size * arrival_directions));
      return late;
    }
    late.energy.resize(size);
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t i = 0; i < size; ++i)
        late.energy[i] += rays.energy[(half * receivers_.size() + receiver) * all * rays.bins + i];
    return late;
  }

  std::vector<double> overlap_of(const RayEnergies& rays, std::size_t receiver) const {
    const std::size_t all = plan_.octaves.size() + 1;
    std::vector<double> energies(rays.bins, 0.0);
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t i = 0; i < rays.bins; ++i)
        energies[i] +=
            rays.energy[((half * receivers_.size() + receiver) * all + plan_.octaves.size()) * rays.bins + i];
    return energies;
  }

  std::size_t receiver_with_directions(std::size_t receiver) const {
    return static_cast<std::size_t>(std::count_if(receivers_.begin(),
                                                  receivers_.begin() + static_cast<std::ptrdiff_t>(receiver),
                                                  [](const Place& one) { return one.patterned(); }));
  }

  std::vector<double> mesh_early(const std::vector<SpecularPath>& paths, const Place::Output& source,
                                 const Place::Output& receiver) const {
    const SpectrumBins bins{early_rate, early_length(plan_)};
    std::vector<SpecularPath> inside;
    const EmittedOctaves emitted(source, plan_.overlap / 2.0);
    std::vector<std::vector<double>> weights(emitted.count());
    std::vector<double> sent(emitted.count());
    for (const SpecularPath& path : paths) {
      if (path.length >= plan_.sound_speed * plan_.duration) continue;
      inside.push_back(path);
      emitted(path.departure, sent);
      for (std::size_t o = 0; o < sent.size(); ++o)
        weights[o].push_back(sent[o] * pattern_value(receiver.pattern, path.arrival));
    }
    std::vector<std::vector<std::complex<double>>> spectra;
    for (const std::vector<double>& one : weights) spectra.push_back(path_spectrum(inside, one, room_.medium, bins));
    return filter_of(emitted.sum(std::move(spectra), bins), bins.length, plan_.duration);
  }

  // Of each of the receiver's outputs, by one walk over the images.
  std::vector<std::vector<double>> box_early(const Place& source, const Place& at, const Place::Output& output,
                                             const std::vector<Place::Output>& receiver) const {
    if (receiver.empty()) return {};
    if (!(plan_.summed_reach > 0.0)) {
      const auto samples = static_cast<std::size_t>(std::ceil(plan_.duration * early_rate));
      return std::vector<std::vector<double>>(receiver.size(), std::vector<double>(samples, 0.0));
    }
    const SpectrumBins bins{early_rate, early_length(plan_)};
    const BoxPair pair{scene_.room.box, source.position, at.position};
    std::function<void(const LatticeImage&, std::span<double>)> weights;
    const EmittedOctaves emitted(output, plan_.overlap / 2.0);
    const std::size_t octaves = emitted.count();
    if (output.directional() || receiver.size() > 1 || !receiver[0].pattern.empty())
      weights = [&](const LatticeImage& image, std::span<double> values) {
        const std::array<double, 3> arrival = {image.towards[0] / image.length, image.towards[1] / image.length,
                                               image.towards[2] / image.length};
        emitted(departure(image), values.first(octaves));  // of the first output, of which the others' follow
        for (std::size_t i = receiver.size(); i-- > 0;)
          for (std::size_t o = 0; o < octaves; ++o)
            values[i * octaves + o] = values[o] * pattern_value(receiver[i].pattern, arrival);
      };
    std::vector<std::vector<std::complex<double>>> spectra =
        lattice_spectra(pair, plan_.summed_reach, room_.medium, bins, {plan_.overlap / 2.0, highest_wide_frequency},
                        receiver.size() * octaves, weights);
    std::vector<std::vector<double>> filters;
    for (auto from = spectra.begin(); from != spectra.end(); from += static_cast<std::ptrdiff_t>(octaves))
      filters.push_back(filter_of(emitted.sum({from, from + static_cast<std::ptrdiff_t>(octaves)}, bins), bins.length,
                                  plan_.duration));
    return filters;
  }

  const Scene& scene_;
  const AbovePlan& plan_;
  const GeometricRoom& room_;
  const std::vector<Place>& receivers_;
  std::size_t receiver_channels_ = 0;
  double most_hits_ = 0.0;
  RayReceivers spheres_;
  std::vector<RayOctave> octaves_;  // of the plan, and the overlap
  std::vector<Point> positions_;
  std::optional<EdgePaths> edges_;  // of a mesh
};

// The caller knows when the trace begins, and that it has ended, however it does.
class TraceOf {
 public:
  explicit TraceOf(const AboveCalls& calls) : calls_(calls) {
    if (calls_.begin) calls_.begin();
  }
  ~TraceOf() {
    if (calls_.end) calls_.end();
  }
  TraceOf(const TraceOf&) = delete;
  TraceOf& operator=(const TraceOf&) = delete;

 private:
  const AboveCalls& calls_;
};

}  // namespace

AboveTrace trace_above(const Scene& scene, const AbovePlan& plan, const AboveCalls& calls) {
  const TraceOf watched(calls);
  AboveTrace trace;
  AboveRecord& record = trace.record;
  record.crossover = plan.crossover;
  record.upper = plan.upper;
  record.octaves = plan.octaves;
  record.bin = bin;
  record.coherent_until = plan.coherent_until;
  record.volume = plan.volume;
  record.sound_speed = plan.sound_speed;
  record.seed = plan.seed;
  record.rays = plan.rays;
  record.directions.assign(snub_cube().begin(), snub_cube().end());
  trace.overlap_centre = plan.overlap;
  record.image_order = scene.room.mesh ? plan.image_order : -1;
  const Stopwatch begun;
  const GeometricRoom room(scene, plan);
  const Channels channels = channels_of(scene);
  const ChannelMixes mixes = mixes_of(scene);
  std::vector<Place> sources = sources_above(scene),
                     receivers = places_of(channels.receivers, mixes.receivers, scene.receivers.size());
  for (std::vector<Place>* const places : {&sources, &receivers})
    for (Place& one : *places) one.position = off_facets(room.facets, one.position);
  std::size_t outputs = 0;
  for (const Place& one : sources) outputs += one.outputs.size();
  const SourceTrace trace_of(scene, plan, room, receivers, channels.receivers.size(), outputs);
  trace.seconds.room = begun.seconds();
  for (std::size_t s = 0; s < sources.size(); ++s) trace_of.add(trace, s, sources[s], calls);
  if (calls.check) calls.check();
  return trace;
}

}  // namespace fdtd
