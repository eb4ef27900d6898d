#include "engine/small_rooms/room_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/estimate/mode_count.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/small_rooms/run_notches.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
const double nepers_of_60_db = 3.0 * std::numbers::ln10;
constexpr int scattered_receivers = 16;  // beside the points, whose lattice is symmetric

// A room of `volume` with about so many points.
double step_of_points(double volume, std::int64_t points) { return std::cbrt(volume / static_cast<double>(points)); }

// The plan with further sources and receivers.
Plan plan_with_points(const WavePlan& waves, const ModesRequest& request, RoomPoints& points) {
  Plan plan = waves.planned.plan;
  const auto& offset = waves.planned.choice.offset;
  double step = step_of_points(waves.planned.extent.volume, request.points);
  do {
    points = room_points(plan, offset, step);
    step *= 1.1;
  } while (static_cast<std::int64_t>(points.node.size()) > request.points);
  for (std::size_t i = 0; i < points.node.size(); ++i)
    plan.receivers.push_back(node_tap(plan, fmt::format("point {}", i), points.node[i]));
  const auto scattered = scattered_nodes(plan, scattered_receivers);
  for (std::size_t i = 0; i < scattered.size(); ++i)
    plan.receivers.push_back(node_tap(plan, fmt::format("scattered {}", i), scattered[i]));
  const auto senders = sender_nodes(plan);
  for (std::size_t i = 0; i < senders.size(); ++i)
    plan.sources.push_back(node_tap(plan, fmt::format("sender {}", i), senders[i]));
  return plan;
}

class ToRoom {
 public:
  explicit ToRoom(const WavePlan& waves)
      : waves_(waves),
        grid_(waves.planned.choice.grid),
        map_(waves.planned.plan.frequency_map),
        gain_(channel_gain(waves.planned.plan)) {}

  RoomMode operator()(const FoundMode& found, std::size_t points) const {
    RoomMode mode;
    const double rate = 1.0 / grid_.time_step, w = std::arg(found.z);
    const double x = map_.undoes() ? map_.truth(w) : w, slope = map_.undoes() ? map_.slope(x) : 1.0;
    mode.frequency = x * rate / (2.0 * pi);
    mode.frequency_error = found.frequency_error / slope;
    mode.decay = found.decay / slope + air_decay(mode.frequency);
    mode.decay_error = found.decay_error / slope;
    mode.multiplicity = found.multiplicity();
    const std::size_t sources = waves_.planned.plan.sources.size(), own = waves_.planned.plan.receivers.size();
    // The record answers to the drive (1, -1) of the grid's samples.
    const Complex undo = rate / (1.0 - 1.0 / found.z) / slope;
    for (std::size_t s = 0; s < sources; ++s)
      for (std::size_t r = 0; r < own; ++r)
        mode.amplitude.push_back(undo * found.amplitude(s, r) / gain_at(gain_[s * own + r], w));
    for (const auto& shape : found.shapes) mode.shapes.push_back(normalised(shape, own, own + points));
    return mode;
  }

 private:
  double air_decay(double frequency) const {
    if (!waves_.scene.air.absorption) return 0.0;
    return air_attenuation(air_state(waves_.scene.air), frequency) * std::numbers::ln10 / 20.0 * grid_.sound_speed;
  }
  static std::vector<Complex> normalised(const std::vector<Complex>& all, std::size_t begin, std::size_t end) {
    std::vector<Complex> shape(all.begin() + static_cast<std::ptrdiff_t>(begin),
                               all.begin() + static_cast<std::ptrdiff_t>(end));
    const auto largest = std::ranges::max_element(shape, {}, [](const Complex& value) { return std::abs(value); });
    if (largest == shape.end() || *largest == 0.0) return shape;
    const Complex scale = 1.0 / *largest;
    for (Complex& value : shape) value *= scale;
    return shape;
  }
  const WavePlan& waves_;
  Grid grid_;
  FrequencyMap map_;
  ChannelGain gain_;
};

// Of the octaves below, one after the other.
double modes_below(const RoomExtent& extent, double frequency, double sound_speed) {
  double count = 0.0;
  for (double centre = frequency / std::numbers::sqrt2; centre > 0.1; centre /= 2.0)
    count += modes_of_octave(extent, centre, sound_speed);
  return count;
}

void judge_overlap(RoomModes& room) {
  std::vector<double> times;
  for (const RoomMode& mode : room.modes)
    for (std::size_t i = 0; i < mode.multiplicity; ++i)
      times.push_back(mode.decay_time().value_or(std::numeric_limits<double>::infinity()));
  room.schroeder_frequency = std::numeric_limits<double>::infinity();
  if (times.empty()) return;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  room.schroeder_frequency = 2000.0 * std::sqrt(times[times.size() / 2] / room.volume);
  for (RoomMode& mode : room.modes) mode.overlaps = mode.frequency > room.schroeder_frequency;
}

}  // namespace

std::optional<double> RoomMode::decay_time() const {
  if (!(decay > decay_error)) return std::nullopt;
  return nepers_of_60_db / decay;
}

std::optional<double> RoomMode::decay_time_error() const {
  if (!decay_time()) return std::nullopt;
  return *decay_time() * decay_error / decay;
}

std::optional<double> RoomMode::level(std::size_t channel) const {
  const double size = std::abs(amplitude[channel]);
  if (!decay_time() || !(size > 0.0)) return std::nullopt;
  return 20.0 * std::log10(size / (2.0 * decay));
}

RoomModes room_modes(const ModesRequest& request, const RoomCalls& calls) {
  WavePlan waves = plan_waves(request.waves, calls.stage);
  RoomModes room;
  const Plan plan = plan_with_points(waves, request, room.points);
  const Recording recording = run_room(waves, plan, request.waves.scene.threads, calls);
  if (calls.stage) calls.stage("finding modes");
  const FrequencyMap& map = waves.planned.plan.frequency_map;
  const double per_step = 2.0 * pi * plan.grid.time_step;
  const auto on_grid = [&](double hertz) { return map.undoes() ? map.grid(hertz * per_step) / per_step : hertz; };
  const ModeList found = find_modes(recording, {on_grid(request.waves.from), on_grid(request.waves.to),
                                                std::min(waves.decay_time, waves.duration), 1.0 / waves.mode_spacing});
  for (const Tap& one : waves.planned.plan.sources) room.sources.push_back(one.channel.name);
  for (const Tap& one : waves.planned.plan.receivers) room.receivers.push_back(one.channel.name);
  room.senders = plan.sources.size();
  const ToRoom to_room(waves);
  for (const FoundMode& one : found.modes) room.modes.push_back(to_room(one, room.points.node.size()));
  room.volume = waves.planned.extent.volume;
  room.duration = static_cast<double>(recording.samples - 1) / recording.sample_rate;
  room.resolution = 1.0 / found.used;
  room.used = found.used;
  room.sound_speed = plan.grid.sound_speed;
  room.expected_count = modes_below(waves.planned.extent, request.waves.to, room.sound_speed) -
                        modes_below(waves.planned.extent, request.waves.from, room.sound_speed);
  room.residual = found.residual;
  room.left_out = found.left_out;
  room.notches = run_notches(waves.scene, waves.planned.plan,
                             part_of(recording, room.sources.size(), 0, room.receivers.size()), request.waves);
  room.notes = waves.notes;
  room.scene_text = waves.scene.text;
  room.overrides = waves.scene.overrides;
  judge_overlap(room);
  return room;
}

}  // namespace fdtd
