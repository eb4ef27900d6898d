#include "engine/small_rooms/room_places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/parallel_failure.hpp"
#include "base/rounded_text.hpp"
#include "engine/small_rooms/level_bands.hpp"
#include "engine/small_rooms/run_notches.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {
namespace {

constexpr double most_candidates = 1e6;
// Levels of so many frequencies, half an octave, are compared at least: of fewer, averaged over a sixth of an octave, hardly
// two differ.
constexpr std::size_t fewest_levels = 13;

// Levels of one place: [seat][frequency].
using SeatLevels = std::vector<std::vector<double>>;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

RatedPlace rate(const std::array<double, 3>& position, const SeatLevels& levels) {
  RatedPlace place;
  place.position = position;
  double variance = 0.0;
  for (const auto& seat : levels) {
    variance += variance_of(seat) / static_cast<double>(levels.size());
    place.level += mean_of(seat) / static_cast<double>(levels.size());
  }
  place.flatness = std::sqrt(variance);
  if (levels.size() < 2) return place;
  double between = 0.0;
  for (std::size_t f = 0; f < levels[0].size(); ++f) {
    std::vector<double> seats;
    for (const auto& seat : levels) seats.push_back(seat[f]);
    between += variance_of(seats) / static_cast<double>(levels[0].size());
  }
  place.evenness = std::sqrt(between);
  return place;
}

const Tap& moved_tap(const Plan& plan, const PlacesRequest& request) {
  const std::vector<Tap>& taps = request.receiver ? plan.receivers : plan.sources;
  const auto found = std::ranges::find(taps, request.moved, [](const Tap& one) { return one.channel.name; });
  if (found != taps.end()) return *found;
  std::vector<std::string> names;
  for (const Tap& one : taps) names.push_back(one.channel.name);
  throw Error(Status::scene,
              fmt::format("the scene has no {} \"{}\"", request.receiver ? "receiver" : "source", request.moved),
              fmt::format("it has {}", fmt::join(names, ", ")));
}

// Seats send; where it is, and candidates, record.
Plan exchanged_plan(const WavePlan& waves, const PlacesRequest& request, RoomPlaces& result) {
  Plan plan = waves.planned.plan;
  const Tap own = moved_tap(plan, request);
  for (std::size_t d = 0; d < 3; ++d) result.now.position[d] = own.position[d] - waves.planned.choice.offset[d];
  const PlaceBox* const box = request.over ? &*request.over : nullptr;
  const double most = most_points(plan, request.step, box);
  if (most > most_candidates)
    throw Error(Status::resource, fmt::format("{:.3g} candidate places, the limit is {:g}", most, most_candidates),
                "use a larger --step or a smaller box");
  const auto& offset = waves.planned.choice.offset;
  result.points = room_points(plan, offset, request.step, box, request.from_wall);
  if (result.points.node.empty())
    throw Error(Status::scene,
                fmt::format("no place is in the air of that box and {:g} m from walls", request.from_wall),
                "give a box inside the room (--over), or a smaller --wall");
  if (!request.receiver) plan.sources = plan.receivers;
  for (const Tap& seat : plan.sources) result.seats.push_back(seat.channel.name);
  if (request.even && plan.sources.size() < 2)
    throw Error(Status::scene, "--target even: there is one seat alone", "add receivers to the scene, or use flat");
  plan.receivers = {own};
  for (const std::uint64_t node : result.points.node) plan.receivers.push_back(node_tap(plan, "place", node));
  return plan;
}

void rate_places(const Recording& recording, const Plan& plan, const PlacesRequest& request, RoomPlaces& result) {
  const std::vector<double> centres = level_centres(request.waves.from, request.waves.to);
  const std::size_t count = plan.receivers.size();
  const ChannelGain gain = channel_gain(plan);
  std::vector<RatedPlace> rated(count);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t r = 0; r < count; ++r)
    failure.guard([&, r] {
      SeatLevels levels;
      for (std::size_t s = 0; s < plan.sources.size(); ++s)
        levels.push_back(record_levels(std::span(recording.pressure)
                                           .subspan((s * count + r) * static_cast<std::size_t>(recording.samples),
                                                    static_cast<std::size_t>(recording.samples)),
                                       recording.sample_rate, plan.frequency_map, centres, gain[s * count + r]));
      rated[r] = rate(r == 0 ? result.now.position : result.points.positions[r - 1], levels);
    });
  failure.rethrow();
  result.now = rated[0];
  result.places.assign(rated.begin() + 1, rated.end());
  result.order.resize(result.places.size());
  std::iota(result.order.begin(), result.order.end(), std::size_t{0});
  std::ranges::stable_sort(result.order, {}, [&](std::size_t i) {
    return request.even ? result.places[i].evenness.value_or(0.0) : result.places[i].flatness;
  });
}

// Figures as tables print them: a hundredth of a decibel less is better.
double target_of(const RatedPlace& place, bool even) {
  return std::round(100.0 * (even ? place.evenness.value_or(0.0) : place.flatness)) / 100.0;
}

// None where the best place is better than the present one.
std::optional<std::string> stay_note(const RoomPlaces& result, const PlacesRequest& request) {
  const double best = target_of(result.places[result.order[0]], request.even),
               now = target_of(result.now, request.even);
  if (best < now) return std::nullopt;
  const bool one = result.places.size() == 1;
  return fmt::format("{} better than where {} is now: {} {:.2f} dB {}, {:.2f} dB now",
                     one ? "this place is no" : "none of these places is", request.moved,
                     request.even ? "evenness" : "flatness", best, one ? "there" : "at the best of them", now);
}

// The scene with what is moved at a place, alone on its side: one pair a seat.
Scene scene_at(const Scene& scene, const PlacesRequest& request, const std::array<double, 3>& place) {
  Scene moved = scene;
  const auto keep = [&](auto& points) {
    std::erase_if(points, [&](const auto& one) { return one.name != request.moved; });
    points[0].position = place;
  };
  if (request.receiver)
    keep(moved.receivers);
  else
    keep(moved.sources);
  return moved;
}

// Of the seats and the best place: by reciprocity its record is the response of either to the other.
std::vector<PairNotches> notches_at_best(const WavePlan& waves, const Plan& plan, const PlacesRequest& request,
                                         const Recording& recording, const RoomPlaces& result) {
  const std::size_t best = result.order[0], receiver = best + 1;  // the first receiver is where it is now
  Plan pairs = plan;
  pairs.receivers = {plan.receivers[receiver]};
  return run_notches(scene_at(waves.scene, request, result.places[best].position), pairs,
                     part_of(recording, plan.sources.size(), receiver, 1), request.waves);
}

}  // namespace

RoomPlaces room_places(const PlacesRequest& request, const RoomCalls& calls) {
  if (const double from = request.waves.from, to = request.waves.to;
      to > from && level_centres(from, to).size() < fewest_levels)
    throw Error(Status::scene,
                fmt::format("--from {:g} --to {:g}: too narrow a band for the flatness of a response", from, to),
                fmt::format("half an octave is needed: --to {} or more", rounded_up_text(from * std::sqrt(2.0), 5)));
  WavePlan waves = plan_waves(request.waves, calls.stage);
  if (!std::isfinite(waves.decay_time) && !request.waves.duration)
    throw Error(Status::scene, "nothing absorbs in this band: levels have no bounds",
                "give walls absorption, or state --duration");
  RoomPlaces result;
  const Plan plan = exchanged_plan(waves, request, result);
  const Recording recording = run_room(waves, plan, request.waves.scene.threads, calls);
  if (calls.stage) calls.stage("rating places");
  rate_places(recording, plan, request, result);
  result.notches = notches_at_best(waves, plan, request, recording, result);
  result.duration = static_cast<double>(recording.samples - 1) / recording.sample_rate;
  result.notes = waves.notes;
  if (const auto note = stay_note(result, request)) result.notes.push_back(*note);
  result.scene_text = waves.scene.text;
  result.overrides = waves.scene.overrides;
  return result;
}

}  // namespace fdtd
