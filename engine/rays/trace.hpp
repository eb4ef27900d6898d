// Energies at receivers by rays: by octave, time and, where asked for, direction of arrival.
//
// An arrival over r metres has the energy 1/r^2 in each octave. Rays start in the directions of an evenly spread sequence
// (ray_directions.hpp), so that any number of them can be followed by more; a ray of energy e that crosses a receiver's
// sphere on a chord of length l adds e l / V, V the volume of the sphere's air, at the chord's middle. Late sound hardly
// depends on the place: from RaySettings::late_from on receivers may have larger spheres. At a facet it is reflected as by a mirror with probability 1 - s and keeps the octave's mean of
// |R(theta)|^2; else it leaves by Lambert's law and keeps one less the random-incidence absorption coefficient: source and
// receiver may be exchanged. Octaves with almost the same scattering share their rays.
//
// Random numbers are functions of (seed, source; ray, reflection), and all sums are in the order of rays: the same bytes
// for any number of threads and on every instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/facets/facets.hpp"
#include "engine/materials/wide_law.hpp"
#include "engine/rays/ray_receiver.hpp"
#include "engine/rays/receivers.hpp"

namespace fdtd {

struct RayOctave {
  double centre = 0.0;                      // Hz
  std::vector<WallOctave> walls;            // by material, as facets number them
  std::vector<double> scattering;           // by facet, 0 to 1
  std::array<double, octave_points> air{};  // 1/m: attenuation of energy at the points of the octave
};

struct RaySettings {
  std::int64_t rays = 20000;
  double duration = 0.0;       // s
  double bin = 1e-3;           // s
  double sound_speed = 343.2;  // m/s
  std::uint64_t seed = 0, source = 0;
  int image_order = 0;       // specular paths of up to this many reflections are left to image sources; -1: none are
  double image_reach = 0.0;  // m: specular paths up to here are left to image sources too, whatever their reflections
  double late_from = 0.08;   // s, from which receivers have their late radius
  double floor = 1e-7;       // a ray ends below this part of its first energy in all octaves
  double sampled_at = -1.0;  // s after the emission, when RayEnergies::samples are taken; below 0: none are
};

// The energies of rays at one time, whether or not they meet a receiver.
struct RaySample {
  double all = 0.0;                     // of all rays, those too whose sound is left to image sources
  double counted = 0.0, squares = 0.0;  // of those that receivers count: of their energies, and of the squares of these
};

struct RayEnergies {
  std::size_t bins = 0;
  std::vector<double> energy;  // [half 2][receiver][octave][bin]: even and odd rays; their sum is the estimate
  std::vector<double>
      directions;  // [receiver with directions][octave][bin][snub_cube() 24], towards where sound comes from
  std::vector<RaySample> samples;   // by octave; their last bits depend on the parts in which rays were traced
  std::int64_t hits = 0, lost = 0;  // of walls; rays that left through a gap between them
  Point first_lost{};               // m: from where the first of those met no wall
};

// Bytes that wait in memory while rays of `legs` between walls go, each of which crosses the part `met` of the spheres.
double waiting_bytes(std::size_t receivers, int threads, double legs, double met);

// Bins of a response.
std::size_t bins_of(double duration, double bin);

// A source's value by direction of emission and index of the octave; energies have its square. Empty: 1.
using RayEmission = std::function<double(const Point&, std::size_t octave)>;

// Rays that can be followed by more: the sums of n rays have the same bytes in however many parts they were traced.
class RayTracer {
 public:
  // All but `source`, `octaves` and `settings` must live as long. `settings.rays` is not read.
  RayTracer(const FacetRoom& room, std::span<const RayOctave> octaves, const Point& source, const RayEmission& emission,
            const RayReceivers& receivers, const RaySettings& settings);
  ~RayTracer();
  RayTracer(const RayTracer&) = delete;
  RayTracer& operator=(const RayTracer&) = delete;

  // Adds those that lack. `check` is called between parts of them; after an exception of it the sums are of no use.
  void trace_to(std::int64_t rays, const std::function<void()>& check = {});
  std::int64_t rays() const { return rays_; }
  bool silent() const;  // image sources have all sound, whatever the number of rays: none is traced
  // Of rays of the energy 4 pi each: over rays() they are those of the source.
  const RayEnergies& sums() const { return sums_; }
  RayEnergies energies() &&;

 private:
  struct Group;
  const RayReceivers& receivers_;
  RaySettings settings_;
  std::size_t octaves_ = 0;
  std::vector<std::unique_ptr<Group>> groups_;
  std::int64_t rays_ = 0;
  RayEnergies sums_;
};

// `emission` is called by several threads.
RayEnergies trace_rays(const FacetRoom& room, std::span<const RayOctave> octaves, const Point& source,
                       const RayEmission& emission, std::span<const RayReceiver> receivers,
                       const RaySettings& settings);

// Octaves that share rays: those of a group have scattering within 0.02 on 95 % of the area.
std::vector<std::vector<std::size_t>> shared_traces(const FacetRoom& room, std::span<const RayOctave> octaves);

}  // namespace fdtd
