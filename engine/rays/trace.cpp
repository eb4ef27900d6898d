#include "engine/rays/trace.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/math/philox.hpp"
#include "base/parallel_failure.hpp"
#include "engine/rays/portable_math.hpp"
#include "engine/rays/ray_directions.hpp"
#include "engine/rays/receivers.hpp"
#include "engine/rays/snub_cube.hpp"

namespace fdtd {
namespace {

constexpr std::int64_t largest_block = 256;     // rays
constexpr std::size_t receivers_a_block = 512;  // of a block's rays together: their deposits wait in memory
constexpr std::size_t parts = 32;               // of the receivers, among the threads
constexpr std::uint32_t at_reflection = 0, at_emission = 1;  // purposes of random numbers
constexpr double air_step = 0.1;                             // m: between two lines of a table of attenuation

// The attenuation of octaves by air along a path: the mean over the points of each.
class AirTable {
 public:
  AirTable(std::span<const RayOctave> octaves, const std::vector<std::size_t>& group, double farthest)
      : octaves_(group.size()), lines_(static_cast<std::size_t>(farthest / air_step) + 3) {
    value_.reserve(lines_ * octaves_);
    for (std::size_t i = 0; i < lines_; ++i)
      for (const std::size_t o : group) {
        double sum = 0.0;
        for (const double m : octaves[o].air) sum += exponential(-m * air_step * static_cast<double>(i));
        value_.push_back(sum / octave_points);
      }
  }
  // Between two lines of the table, for all octaves.
  struct Place {
    const double *line, *next;
    double part;
    double operator[](std::size_t octave) const { return line[octave] + part * (next[octave] - line[octave]); }
  };
  Place at(double path) const {
    const double at = path / air_step;
    const auto line = std::min(static_cast<std::size_t>(at), lines_ - 2);
    const double* const first = value_.data() + line * octaves_;
    return {first, first + octaves_, at - static_cast<double>(line)};
  }

 private:
  std::size_t octaves_ = 0, lines_ = 0;
  std::vector<double> value_;  // [line][octave]
};

// All that the rays of a group of octaves need.
struct Trace {
  const FacetRoom& room;
  const RayReceivers& receivers;
  const RaySettings& settings;
  const RayEmission& emission;
  Point source{};
  PhiloxKey key{};
  double turned = 0.0;  // the lattice of directions, in turns
  double farthest = 0.0;
  double sampled = -1.0;  // m
  std::size_t bins = 0;
  std::vector<std::size_t> octaves;  // of the group
  std::vector<WallOctave> walls;     // [material][octave of the group]
  std::vector<double> scattering;    // by facet
  AirTable air;
  bool silent = false;  // no ray deposits anything
};

// A part of a leg's energy that a receiver gets, once air has taken its own.
struct Deposit {
  double path = 0.0, part = 0.0;  // m, from the source
  std::uint32_t receiver = 0, bin = 0, leg = 0;
  std::uint8_t half = 0, direction = 0;
};

// A block of rays leaves this; nothing else is written while rays go.
struct BlockEnergies {
  std::array<std::vector<Deposit>, parts> deposits;  // in the order of rays
  std::vector<double> legs;                          // the energies of legs between walls, by octave of the group
  std::vector<RaySample> samples;                    // by octave of the group
  std::int64_t hits = 0, lost = 0, first_lost_ray = 0;
  Point first_lost{};

  void clear() {
    for (std::vector<Deposit>& part : deposits) part.clear();
    legs.clear();
    samples.clear();
    hits = lost = 0;
  }
};

// A direction about `normal` by Lambert's law.
Point scattered(const Point& normal, double u, double v) {
  const double sine = std::sqrt(u), cosine = std::sqrt(1.0 - u);
  const auto [c, s] = cosine_sine(v);
  const Point aside =
      unit(std::abs(normal[0]) > 0.7 ? Point{normal[1], -normal[0], 0.0} : Point{0.0, normal[2], -normal[1]});
  const Point other = cross(normal, aside);
  Point way;
  for (std::size_t d = 0; d < 3; ++d) way[d] = cosine * normal[d] + sine * (c * aside[d] + s * other[d]);
  return unit(way);
}

class OneRay {
 public:
  OneRay(const Trace& trace, std::int64_t number, BlockEnergies& block)
      : trace_(trace), block_(block), number_(number), at_(trace.source) {
    way_ = ray_direction(number, trace.turned);
    for (const std::size_t octave : trace.octaves) {
      const double value = trace.emission ? trace.emission(way_, octave) : 1.0;
      energy_.push_back(4.0 * std::numbers::pi * value * value);
      first_ = std::max(first_, energy_.back());
    }
    block.samples.resize(trace.octaves.size());
  }

  void go() {
    if (!(first_ > 0.0)) return;
    while (path_ < trace_.farthest) {
      const auto hit = trace_.room.tree.hit(at_, way_, facet_, std::numeric_limits<double>::infinity());
      const double rest = trace_.farthest - path_, length = hit ? std::min(hit->distance, rest) : rest;
      const double until_sample = trace_.sampled - path_;
      if (until_sample >= 0.0 && until_sample < length) sample();
      if (counted()) arrive(length);
      if (!hit) return leave();
      ++block_.hits;
      path_ += hit->distance;
      at_ = along(at_, hit->distance, way_);
      facet_ = trace_.room.facet_of_triangle[hit->triangle];
      if (!reflect()) return;
    }
  }

 private:
  void leave() {
    if (block_.lost++ > 0) return;
    block_.first_lost = at_;
    block_.first_lost_ray = number_;
  }

  bool counted() const { return scattered_ || reflections_ > trace_.settings.image_order; }

  void sample() {
    const bool by_images = !counted() || (!scattered_ && trace_.sampled < trace_.settings.image_reach);
    const AirTable::Place air = trace_.air.at(trace_.sampled);
    for (std::size_t k = 0; k < energy_.size(); ++k) {
      const double energy = energy_[k] * air[k];
      RaySample& sum = block_.samples[k];
      sum.all += energy;
      if (by_images) continue;
      sum.counted += energy;
      sum.squares += energy * energy;
    }
  }

  void arrive(double length) {
    const double until = std::clamp(trace_.settings.late_from * trace_.settings.sound_speed - path_, 0.0, length);
    leg_ = no_leg;
    const auto visit = [&](std::uint32_t r, const ReceiverBall& ball, const Chord& chord) { deposit(r, ball, chord); };
    if (until > 0.0) trace_.receivers.early().on(at_, way_, 0.0, until, visit);
    if (until < length) trace_.receivers.late().on(at_, way_, until, length, visit);
  }

  void deposit(std::uint32_t r, const ReceiverBall& ball, const Chord& chord) {
    const double path = path_ + chord.middle;
    if (!scattered_ && path < trace_.settings.image_reach) return;
    const auto bin = static_cast<std::size_t>(path / trace_.settings.sound_speed / trace_.settings.bin);
    if (bin >= trace_.bins || !(ball.air > 0.0)) return;
    if (leg_ == no_leg) {
      leg_ = static_cast<std::uint32_t>(block_.legs.size() / energy_.size());
      block_.legs.insert(block_.legs.end(), energy_.begin(), energy_.end());
    }
    const bool by_direction = ball.directional != UINT32_MAX;
    block_.deposits[r % parts].push_back(
        {path, chord.length / ball.air, r, static_cast<std::uint32_t>(bin), leg_,
         static_cast<std::uint8_t>(number_ & 1),
         static_cast<std::uint8_t>(by_direction ? nearest_vertex(scaled(-1.0, way_)) : 0)});
  }

  // False: the ray ends.
  bool reflect() {
    const Facet& facet = trace_.room.facets[facet_];
    double cosine = dot(way_, facet.normal);
    const Point normal = cosine > 0.0 ? scaled(-1.0, facet.normal) : facet.normal;  // towards the ray
    cosine = std::min(1.0, std::abs(cosine));
    const WallOctave* const walls = trace_.walls.data() + facet.material * energy_.size();
    PhiloxCounter word{};
    const double s = trace_.scattering[facet_];
    if (s > 0.0)
      word = philox(
          {static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(static_cast<std::uint64_t>(number_) >> 32U),
           static_cast<std::uint32_t>(reflections_), at_reflection},
          trace_.key);
    if (s > 0.0 && uniform(word[0]) < s) {
      way_ = scattered(normal, uniform(word[1]), uniform(word[2]));
      for (std::size_t k = 0; k < energy_.size(); ++k) energy_[k] *= walls[k].kept_when_scattered;
      scattered_ = true;
    } else {
      way_ = along(way_, 2.0 * cosine, normal);
      for (std::size_t k = 0; k < energy_.size(); ++k) energy_[k] *= reflected_energy(walls[k], cosine);
    }
    ++reflections_;
    const AirTable::Place air = trace_.air.at(std::min(path_, trace_.farthest));
    for (std::size_t k = 0; k < energy_.size(); ++k)
      if (energy_[k] * air[k] > trace_.settings.floor * first_) return true;
    return false;
  }

  static constexpr std::uint32_t no_leg = UINT32_MAX;

  const Trace& trace_;
  BlockEnergies& block_;
  std::int64_t number_;
  std::uint32_t leg_ = no_leg;  // of the block, once it has a deposit
  Point at_, way_{};
  std::vector<double> energy_;  // by octave of the group
  double first_ = 0.0, path_ = 0.0;
  std::uint32_t facet_ = no_facet;
  int reflections_ = 0;
  bool scattered_ = false;
};

// Adds what the blocks brought, in their order; a thread adds that of whole parts of the receivers.
void add(std::span<const BlockEnergies> blocks, const Trace& trace, std::size_t octaves, RayEnergies& sum) {
  const std::size_t receivers = trace.receivers.size(), group = trace.octaves.size();
  const auto add_one = [&](const Deposit& one, const double* leg) {
    const AirTable::Place air = trace.air.at(one.path);
    const std::uint32_t directional = trace.receivers[one.receiver].directional;
    double* const of_receiver = &sum.energy[(one.half * receivers + one.receiver) * octaves * sum.bins + one.bin];
    for (std::size_t k = 0; k < group; ++k) {
      const double energy = leg[k] * one.part * air[k];
      of_receiver[trace.octaves[k] * sum.bins] += energy;
      if (directional != UINT32_MAX)
        sum.directions[((directional * octaves + trace.octaves[k]) * sum.bins + one.bin) * arrival_directions +
                       one.direction] += energy;
    }
  };
#pragma omp parallel for schedule(dynamic)
  for (std::size_t part = 0; part < parts; ++part)
    for (const BlockEnergies& block : blocks)
      for (const Deposit& one : block.deposits[part]) add_one(one, block.legs.data() + one.leg * group);
  for (const BlockEnergies& block : blocks) {
    for (std::size_t k = 0; k < block.samples.size(); ++k) {
      RaySample& octave = sum.samples[trace.octaves[k]];
      octave.all += block.samples[k].all;
      octave.counted += block.samples[k].counted;
      octave.squares += block.samples[k].squares;
    }
    sum.hits += block.hits;
    if (sum.lost == 0 && block.lost > 0) sum.first_lost = block.first_lost;
    sum.lost += block.lost;
  }
}

constexpr int blocks_a_thread = 8;

std::int64_t rays_a_block(std::size_t receivers) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(receivers_a_block / std::max<std::size_t>(1, receivers)), 1,
                                  largest_block);
}

void trace_group(const Trace& trace, std::size_t octaves, std::int64_t begin, std::int64_t end,
                 const std::function<void()>& check, RayEnergies& sum) {
  const std::int64_t size = rays_a_block(trace.receivers.size());
  const std::int64_t blocks = (end - begin + size - 1) / size;
  const std::int64_t at_once = blocks_a_thread * omp_get_max_threads();  // their deposits wait in memory
  std::vector<BlockEnergies> made(static_cast<std::size_t>(std::min(at_once, blocks)));
  ParallelFailure failure;
  for (std::int64_t first = 0; first < blocks; first += at_once) {
    if (check) check();
    const std::int64_t count = std::min(at_once, blocks - first);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t b = 0; b < count; ++b) {
      failure.guard([&] {
        BlockEnergies& block = made[static_cast<std::size_t>(b)];
        block.clear();
        const std::int64_t from = begin + (first + b) * size;
        for (std::int64_t ray = from; ray < std::min(end, from + size); ++ray) OneRay(trace, ray, block).go();
      });
    }
    failure.rethrow();
    add(std::span(made).first(static_cast<std::size_t>(count)), trace, octaves, sum);
  }
}

}  // namespace

double waiting_bytes(std::size_t receivers, int threads, double legs, double met) {
  constexpr double grown = 2.0;  // vectors
  const double rays = static_cast<double>(blocks_a_thread * rays_a_block(receivers)) * threads;
  return grown * rays * legs * met * static_cast<double>(receivers * sizeof(Deposit));
}

struct RayTracer::Group {
  Trace trace;
};

std::size_t bins_of(double duration, double bin) {
  constexpr double rounding = 1.0 - 1e-12;
  return static_cast<std::size_t>(std::ceil(duration / bin * rounding));
}

RayTracer::RayTracer(const FacetRoom& room, std::span<const RayOctave> octaves, const Point& source,
                     const RayEmission& emission, const RayReceivers& receivers, const RaySettings& settings)
    : receivers_(receivers), settings_(settings), octaves_(octaves.size()) {
  sums_.bins = bins_of(settings.duration, settings.bin);
  sums_.samples.resize(octaves.size());
  sums_.energy.resize(2 * receivers.size() * octaves.size() * sums_.bins);
  sums_.directions.resize(receivers.directional() * octaves.size() * sums_.bins * arrival_directions);
  const PhiloxKey key = philox_key(settings.seed, settings.source);
  const PhiloxCounter word = philox({0, 0, 0, at_emission}, key);
  const double farthest = static_cast<double>(sums_.bins) * settings.bin * settings.sound_speed;
  for (const std::vector<std::size_t>& group : shared_traces(room, octaves)) {
    groups_.push_back(std::make_unique<Group>(Group{{room,
                                                     receivers_,
                                                     settings_,
                                                     emission,
                                                     source,
                                                     key,
                                                     uniform(word[0], word[1]),
                                                     farthest,
                                                     settings.sampled_at * settings.sound_speed,
                                                     sums_.bins,
                                                     group,
                                                     {},
                                                     {},
                                                     AirTable(octaves, group, farthest),
                                                     false}}));
    Trace& trace = groups_.back()->trace;
    for (std::size_t m = 0; m < octaves[group[0]].walls.size(); ++m)
      for (const std::size_t o : group) trace.walls.push_back(octaves[o].walls[m]);
    for (std::size_t f = 0; f < room.facets.size(); ++f) {
      double mean = 0.0;
      for (const std::size_t o : group) mean += octaves[o].scattering[f];
      trace.scattering.push_back(mean / static_cast<double>(group.size()));
    }
    trace.silent =
        settings.image_reach >= farthest && std::ranges::all_of(trace.scattering, [](double s) { return s == 0.0; });
  }
}

RayTracer::~RayTracer() = default;

bool RayTracer::silent() const {
  return std::ranges::all_of(groups_, [](const auto& group) { return group->trace.silent; });
}

void RayTracer::trace_to(std::int64_t rays, const std::function<void()>& check) {
  if (rays <= rays_) return;
  for (const auto& group : groups_)
    if (!group->trace.silent) trace_group(group->trace, octaves_, rays_, rays, check, sums_);
  rays_ = rays;
}

RayEnergies RayTracer::energies() && {
  const double part = 1.0 / static_cast<double>(std::max<std::int64_t>(1, rays_));
  for (double& one : sums_.energy) one *= part;
  for (double& one : sums_.directions) one *= part;
  return std::move(sums_);
}

RayEnergies trace_rays(const FacetRoom& room, std::span<const RayOctave> octaves, const Point& source,
                       const RayEmission& emission, std::span<const RayReceiver> receivers,
                       const RaySettings& settings) {
  const RayReceivers balls(room, receivers);
  RayTracer tracer(room, octaves, source, emission, balls, settings);
  tracer.trace_to(settings.rays);
  return std::move(tracer).energies();
}

std::vector<std::vector<std::size_t>> shared_traces(const FacetRoom& room, std::span<const RayOctave> octaves) {
  constexpr double alike = 0.02, of_area = 0.95;
  double area = 0.0;
  for (const Facet& facet : room.facets) area += facet.area;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t o = 0; o < octaves.size(); ++o) {
    bool joins = !groups.empty();
    if (joins) {
      double same = 0.0;
      for (std::size_t f = 0; f < room.facets.size(); ++f) {
        double least = octaves[o].scattering[f], most = least;
        for (const std::size_t other : groups.back()) {
          least = std::min(least, octaves[other].scattering[f]);
          most = std::max(most, octaves[other].scattering[f]);
        }
        if (most - least <= alike) same += room.facets[f].area;
      }
      joins = same >= of_area * area;
    }
    if (joins)
      groups.back().push_back(o);
    else
      groups.push_back({o});
  }
  return groups;
}

}  // namespace fdtd
