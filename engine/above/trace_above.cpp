#include "engine/above/trace_above.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "engine/above/blocked_pairs.hpp"
#include "engine/above/late_sound.hpp"
#include "engine/facets/facets.hpp"
#include "engine/images/edge_paths.hpp"
#include "engine/images/lattice_spectrum.hpp"
#include "engine/images/path_spectrum.hpp"
#include "engine/images/paths.hpp"
#include "engine/rays/snub_cube.hpp"
#include "engine/rays/trace.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

constexpr double bin = 1e-3;              // s, of energies
constexpr double edge_wavelengths = 1.0;  // kappa: of a free edge's strip that does not reflect as a mirror
constexpr double most_edge_scattering = 0.9;
constexpr double most_lost = 0.05;                          // of all rays' ends, before the room counts as open
constexpr std::int64_t path_rays = 50000;                   // that search for a mesh's image sources
constexpr double taper_from = 21000.0, taper_to = 24000.0;  // Hz, of early sound at early_rate

// The material's coefficient at a frequency; between its bands by the logarithm of frequency.
double material_scattering(const Material& material, double frequency) {
  const std::vector<double>&bands = material.scattering_bands, &s = material.scattering;
  if (s.empty()) return 0.0;
  if (bands.empty() || frequency <= bands.front()) return s.front();
  if (frequency >= bands.back()) return s.back();
  const auto above = std::ranges::upper_bound(bands, frequency) - bands.begin();
  const auto i = static_cast<std::size_t>(above);
  const double x = std::log(frequency / bands[i - 1]) / std::log(bands[i] / bands[i - 1]);
  return (1.0 - x) * s[i - 1] + x * s[i];
}

// The room of a scene as geometry sees it.
class GeometricRoom {
 public:
  GeometricRoom(const Scene& scene, const AbovePlan& plan) : scene_(scene), plan_(plan) {
    const Distinct materials = scene.room.materials();
    for (const std::string& name : materials.names) {
      materials_.push_back(&scene.materials.at(name));
      medium.laws.emplace_back(*materials_.back(), plan.sound_speed);
    }
    if (scene.room.mesh) {
      facets = facets_of_mesh(*scene.room.mesh, materials.numbers, plan.volume);
    } else {
      std::array<std::uint16_t, 6> walls{};
      std::ranges::copy(materials.numbers, walls.begin());
      facets = facets_of_box(scene.room.box, walls);
    }
    medium.sound_speed = plan.sound_speed;
    for (const Facet& facet : facets.facets) medium.materials.push_back(facet.material);
    medium.scattering = [this](std::uint32_t facet, double frequency) { return scattering(facet, frequency); };
    if (scene.air.absorption)
      medium.air = [air = air_state(scene.air)](double frequency) {
        return air_attenuation(air, frequency) * std::numbers::ln10 / 10.0;
      };
  }
  GeometricRoom(const GeometricRoom&) = delete;
  GeometricRoom& operator=(const GeometricRoom&) = delete;

  // Of the relief that the material states, and of the facet's free edges.
  double scattering(std::uint32_t facet, double frequency) const {
    const Facet& one = facets.facets[facet];
    const double wavelength = plan_.sound_speed / frequency;
    const double edges = one.area > 0.0
                             ? std::min(most_edge_scattering, edge_wavelengths * wavelength * one.free_edges / one.area)
                             : 0.0;
    return 1.0 - (1.0 - material_scattering(*materials_[one.material], frequency)) * (1.0 - edges);
  }

  // The walls in an octave, for rays.
  RayOctave octave(double centre) const {
    RayOctave octave;
    octave.centre = centre;
    for (const WideLaw& law : medium.laws) octave.walls.push_back(wall_octave(law, centre));
    for (std::uint32_t facet = 0; facet < facets.facets.size(); ++facet)
      octave.scattering.push_back(scattering(facet, centre));
    for (int point = 0; point < octave_points; ++point)
      octave.air[static_cast<std::size_t>(point)] = medium.air ? medium.air(octave_point(centre, point)) : 0.0;
    return octave;
  }

  FacetRoom facets;
  PathMedium medium;

 private:
  const Scene& scene_;
  const AbovePlan& plan_;
  std::vector<const Material*> materials_;
};

// The factors of the SN3D harmonics of a channel's pattern; empty: omnidirectional.
std::vector<double> harmonics_of(const Channel& channel, const std::vector<ChannelMix>& mixes, std::size_t index,
                                 const std::vector<Channel>& all) {
  const int acn = read_channel_name(channel.name).acn;
  if (acn >= 0) {
    std::vector<double> factors(static_cast<std::size_t>(acn) + 1, 0.0);
    factors.back() = 1.0;
    return factors;
  }
  const auto first_order = [](double omni, double cosine, const std::array<double, 3>& direction) {
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    const std::array<double, 3> n = {direction[0] / length, direction[1] / length, direction[2] / length};
    return std::vector<double>{omni, cosine * n[1], cosine * n[2], cosine * n[0]};
  };
  for (const ChannelMix& mix : mixes)
    if (static_cast<std::size_t>(mix.of) == index)
      return first_order(mix.fraction, 1.0 - mix.fraction, all[static_cast<std::size_t>(mix.with)].direction);
  if (degree(channel.operation) == 1) return first_order(0.0, 1.0, channel.direction);
  return {};
}

// A source or receiver of the scene and its channels that are outputs.
struct Place {
  std::array<double, 3> position{};
  struct Output {
    std::size_t channel = 0;
    std::vector<double> pattern;
  };
  std::vector<Output> outputs;
  bool patterned() const { return !outputs.empty() && !outputs.front().pattern.empty(); }
};

std::vector<Place> places_of(const std::vector<Channel>& channels, const std::vector<ChannelMix>& mixes,
                             std::size_t count) {
  std::vector<Place> places(count);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    Place& place = places[channels[i].owner];
    place.position = channels[i].position;
    if (read_channel_name(channels[i].name).hidden) continue;
    place.outputs.push_back({i, harmonics_of(channels[i], mixes, i, channels)});
  }
  return places;
}

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
  constexpr double margin = 0.05;  // s, in which the end of the band rings down
  return smooth_length(static_cast<std::int64_t>(std::ceil((plan.duration + margin) * early_rate)));
}

double length_of(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

[[noreturn]] void refuse_open_room(const RayEnergies& rays) {
  throw Error(
      Status::scene,
      fmt::format("{:.3g} % of the rays above the waves' band leave the room, the first at ({:.4g}, {:.4g}, {:.4g})",
                  100.0 * static_cast<double>(rays.lost) / static_cast<double>(std::max<std::int64_t>(1, rays.hits)),
                  rays.first_lost[0], rays.first_lost[1], rays.first_lost[2]),
      "close the mesh there, or set above.method = \"none\"");
}

// All that one source sends.
class SourceTrace {
 public:
  SourceTrace(const Scene& scene, const AbovePlan& plan, const GeometricRoom& room, const std::vector<Place>& receivers,
              std::size_t receiver_channels)
      : scene_(scene), plan_(plan), room_(room), receivers_(receivers), receiver_channels_(receiver_channels) {
    for (const Place& one : receivers) positions_.push_back(one.position);
    if (scene.room.mesh) edges_.emplace(room.facets);
  }

  void add(AboveTrace& trace, std::size_t number, const Place& source) const {
    ShadowedReceivers shadowed;
    if (edges_) shadowed = shadowed_receivers(*edges_, source.position, positions_);
    for (const Place::Output& output : source.outputs) add_output(trace, number, source, output, shadowed);
  }

 private:
  void add_output(AboveTrace& trace, std::size_t number, const Place& source, const Place::Output& output,
                  const ShadowedReceivers& shadowed) const {
    std::vector<std::vector<SpecularPath>> paths;
    int order = plan_.image_order;
    if (scene_.room.mesh) {
      paths = specular_paths(room_.facets, source.position, positions_, order, path_rays);
      order = limit_order(paths, order);
      trace.record.image_order = std::min(trace.record.image_order, order);
      for (std::size_t r = 0; r < paths.size(); ++r)
        paths[r].insert(paths[r].end(), shadowed[r].paths.begin(), shadowed[r].paths.end());
    }
    const RayEnergies rays = rays_of(number, source, output, order);
    trace.hits += rays.hits;
    trace.lost += rays.lost;
    if (static_cast<double>(rays.lost) > most_lost * static_cast<double>(plan_.rays)) refuse_open_room(rays);
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      const std::size_t late = trace.record.late.size();
      trace.record.late.push_back(late_of(rays, number, r, source));
      const std::vector<double> overlap = overlap_of(rays, r);
      for (const Place::Output& receiver : receivers_[r].outputs) {
        AboveChannel channel;
        channel.channel = output.channel * receiver_channels_ + receiver.channel;
        channel.late = late;
        channel.pattern = receiver.pattern;
        channel.early = scene_.room.mesh ? mesh_early(paths[r], output, receiver)
                                         : box_early(source, receivers_[r], output, receiver);
        trace.record.channels.push_back(std::move(channel));
        trace.overlap.push_back(overlap);
        trace.directional_source.push_back(!output.pattern.empty());
      }
    }
  }

  RayEnergies rays_of(std::size_t number, const Place& source, const Place::Output& output, int order) const {
    std::vector<RayOctave> octaves;
    for (const double centre : plan_.octaves) octaves.push_back(room_.octave(centre));
    octaves.push_back(room_.octave(plan_.overlap));
    std::vector<RayReceiver> spheres;
    for (const Place& one : receivers_) spheres.push_back({one.position, plan_.radius, one.patterned()});
    RaySettings settings;
    settings.rays = plan_.rays;
    settings.duration = plan_.duration;
    settings.bin = bin;
    settings.sound_speed = plan_.sound_speed;
    settings.seed = plan_.seed;
    settings.source = number;
    settings.image_order = scene_.room.mesh ? order : -1;
    settings.image_reach = scene_.room.mesh ? 0.0 : plan_.image_reach;
    std::function<double(const Point&)> emission;
    if (!output.pattern.empty())
      emission = [&](const Point& direction) { return pattern_value(output.pattern, direction); };
    return trace_rays(room_.facets, octaves, source.position, emission, spheres, settings);
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
    std::vector<double> weights;
    for (const SpecularPath& path : paths) {
      if (path.length >= plan_.sound_speed * plan_.duration) continue;
      inside.push_back(path);
      weights.push_back(pattern_value(source.pattern, path.departure) * pattern_value(receiver.pattern, path.arrival));
    }
    return filter_of(path_spectrum(inside, weights, room_.medium, bins), bins.length, plan_.duration);
  }

  std::vector<double> box_early(const Place& source, const Place& at, const Place::Output& output,
                                const Place::Output& receiver) const {
    const SpectrumBins bins{early_rate, early_length(plan_)};
    const BoxPair pair{scene_.room.box, source.position, at.position};
    std::function<double(const LatticeImage&)> weight;
    if (!output.pattern.empty() || !receiver.pattern.empty())
      weight = [&](const LatticeImage& image) {
        const std::array<double, 3> arrival = {image.towards[0] / image.length, image.towards[1] / image.length,
                                               image.towards[2] / image.length};
        return pattern_value(output.pattern, departure(image)) * pattern_value(receiver.pattern, arrival);
      };
    return filter_of(lattice_spectrum(pair, plan_.image_reach, room_.medium, bins,
                                      {plan_.overlap / 2.0, highest_wide_frequency}, weight),
                     bins.length, plan_.duration);
  }

  const Scene& scene_;
  const AbovePlan& plan_;
  const GeometricRoom& room_;
  const std::vector<Place>& receivers_;
  std::size_t receiver_channels_ = 0;
  std::vector<Point> positions_;
  std::optional<EdgePaths> edges_;  // of a mesh
};

}  // namespace

AboveTrace trace_above(const Scene& scene, const AbovePlan& plan) {
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
  const GeometricRoom room(scene, plan);
  const Channels channels = channels_of(scene);
  const ChannelMixes mixes = mixes_of(scene);
  const std::vector<Place> sources = places_of(channels.sources, mixes.sources, scene.sources.size()),
                           receivers = places_of(channels.receivers, mixes.receivers, scene.receivers.size());
  const SourceTrace trace_of(scene, plan, room, receivers, channels.receivers.size());
  for (std::size_t s = 0; s < sources.size(); ++s) trace_of.add(trace, s, sources[s]);
  return trace;
}

}  // namespace fdtd
