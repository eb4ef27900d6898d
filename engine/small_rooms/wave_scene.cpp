#include "engine/small_rooms/wave_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "engine/estimate/mode_count.hpp"
#include "engine/estimate/reverberation.hpp"

namespace fdtd {
namespace {

// Of the phase velocity at the highest frequency in a box: leggy-4 then has 18 points a wavelength, and walls, which are of
// second order, keep modes within a cent (tests/physics/test_room_modes.cpp). In a mesh, whose cut voxels have errors of
// their own, the spacing of so many points is stated.
constexpr double phase_error = 3e-8, points_per_wavelength = 18.0;
// A record of so many decay times: the slowest modes then fall by 84 dB, and their decay is known.
constexpr double decay_times = 1.4;
// Neighbours whose frequencies differ by the mean spacing turn against each other by so many cycles.
constexpr double cycles_of_spacing = 3.0;
constexpr double shortest = 0.5, longest = 3600.0;  // s

// Leaves out everything but waves; notes state what that changes.
Scene waves_of(const WaveRequest& request, std::vector<std::string>& notes) {
  Scene scene = load(request.scene);
  bool patterns = false;
  for (SourceSpec& source : scene.sources) {
    patterns = patterns || source.directivity.pattern != "omni";
    source.directivity = {};
    source.signal = "impulse";
    source.signal_path.clear();
  }
  for (ReceiverSpec& receiver : scene.receivers) {
    patterns = patterns || receiver.directivity.pattern != "omni";
    receiver.directivity = {};
    receiver.head = nullptr;
  }
  if (patterns)
    notes.emplace_back("sources and receivers count as omnidirectional: their patterns are left out of the levels");
  if (!scene.moving.empty()) {
    for (auto path = scene.moving.rbegin(); path != scene.moving.rend(); ++path) {
      const auto first = scene.receivers.begin() + static_cast<std::ptrdiff_t>(path->first);
      scene.receivers.erase(first, first + static_cast<std::ptrdiff_t>(path->count));
    }
    scene.moving.clear();
    notes.emplace_back("moving receivers are left out");
  }
  scene.above = {};
  scene.above.method = Above::Method::none;
  scene.output.snapshots.clear();
  scene.output.low_cut = 0.0;
  scene.simulation.reciprocity = Reciprocity::off;
  scene.simulation.stop_decay_db = 0.0;
  return scene;
}

void set_grid(Scene& scene, const WaveRequest& request) {
  Simulation& simulation = scene.simulation;
  simulation.stencil = "leggy-4";
  simulation.stencil_path.clear();
  simulation.courant = std::nullopt;
  simulation.remove_time_dispersion = true;
  simulation.precision = request.precision;
  if (!request.spacing && !scene.room.mesh) {  // walls are then fitted to the band of the modes alone
    simulation.max_frequency = request.to;
    simulation.grid_spacing = std::nullopt;
    simulation.dispersion_error = phase_error;
    return;
  }
  simulation.max_frequency = std::nullopt;
  simulation.grid_spacing = request.spacing.value_or(scene.air.speed() / (points_per_wavelength * request.to));
}

// s, for 60 dB: the longest of the octaves that waves up to `to` belong to.
double expected_time(const std::vector<ReverberationBand>& bands) {
  double longest_time = 0.0;
  for (const ReverberationBand& band : bands) longest_time = std::max(longest_time, band.slowest);
  constexpr double no_absorption = 1000.0;  // s, and more
  return longest_time > 0.0 && longest_time < no_absorption ? longest_time : std::numeric_limits<double>::infinity();
}

double duration_of(const WavePlan& plan, const WaveRequest& request) {
  if (request.duration) return *request.duration;
  const double apart = cycles_of_spacing / plan.mode_spacing;
  const double decayed = std::isfinite(plan.decay_time) ? decay_times * plan.decay_time : apart;
  return std::max({shortest, std::min(decayed, std::max(apart, plan.decay_time)), 10.0 / request.from});
}

// The result of `work`. Remedies of a plan that does not fit name keys of the scene, which do not count here.
template <class Work>
auto fitting(const WaveRequest& request, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.status != Status::resource) throw;
    throw Error(error.status, error.what(),
                request.spacing ? "use a larger --spacing, or leave it out" : "use a lower --to");
  }
}

}  // namespace

WavePlan plan_waves(const WaveRequest& request, const PlanningStage& stage) {
  if (!(request.from > 0.0) || !(request.to > request.from))
    throw Error(Status::scene, fmt::format("--from {:g} --to {:g}: no band of frequencies", request.from, request.to),
                "the second must be larger, and both above 0 Hz");
  WavePlan plan;
  if (stage) stage("reading the scene");
  plan.scene = waves_of(request, plan.notes);
  set_grid(plan.scene, request);
  Ranks& all = ranks();
  plan.device = choose_device(plan.scene, request.scene, all);
  StencilChoice stencil = fitting(request, [&] { return choose_stencil(plan.scene, plan.device.target, all); });
  plan.scene.simulation.duration_auto = false;
  plan.scene.simulation.duration = 1.0;
  const RoomExtent extent =
      fitting(request, [&] { return survey_room(plan.scene, stencil.stencil, plan.device.target, stage).extent; });
  const ExpectedDecay decay = expected_decay(plan.scene, extent, request.to);
  plan.decay_time = expected_time(decay.bands);
  plan.schroeder_frequency = decay.schroeder_frequency;
  constexpr double octave = 1.4142135623730951;
  plan.mode_spacing =
      request.to * (octave - 1.0 / octave) / std::max(1.0, modes_of_octave(extent, request.to, plan.scene.air.speed()));
  plan.duration = duration_of(plan, request);
  if (!(plan.duration <= longest))
    throw Error(Status::scene, fmt::format("a record of {:.3g} s is longer than an hour", plan.duration),
                "state a shorter one with --duration");
  plan.scene.simulation.duration = plan.duration;
  plan.planned = fitting(request, [&] { return plan_on(plan.device, plan.scene, stencil, all, stage); });
  plan.notes.insert(plan.notes.end(), stencil.remarks.begin(), stencil.remarks.end());
  const ValidBand& valid = plan.planned.valid;
  if (valid.frequency < 0.99 * request.to)
    plan.notes.push_back(fmt::format(
        "on this grid frequencies and walls are expected to be right up to {:.0f} Hz, by {}: compare with a "
        "smaller --spacing",
        valid.frequency, valid.limited_by));
  return plan;
}

}  // namespace fdtd
