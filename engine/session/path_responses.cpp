#include "engine/session/path_responses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/rounded_text.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/turning.hpp"

namespace fdtd {
namespace {

constexpr double longest_path = 1e4;  // m

// Whether a receiver's name is NAME and a number, "path_07".
bool numbered_as(const std::string& name, const std::string& wanted) {
  if (!name.starts_with(wanted)) return false;
  const std::string rest = name.substr(wanted.size());
  return rest.size() > 1 && rest.front() == '_' &&
         std::ranges::all_of(rest.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<ChannelGroup> named(std::vector<ChannelGroup> groups, const std::string& name, const std::string& file,
                                const char* kind) {
  if (name.empty()) return groups;
  const bool exact = std::ranges::find(groups, name, &ChannelGroup::name) != groups.end();
  std::erase_if(groups,
                [&](const ChannelGroup& one) { return exact ? one.name != name : !numbered_as(one.name, name); });
  if (groups.empty())
    throw Error(Status::scene, fmt::format("--{}: {} has no {} {}", kind, file, kind, in_quotes(name)),
                "a name without its number chooses all places of a path, line, grid or arc");
  return groups;
}

const ChannelGroup& only_one(const std::vector<ChannelGroup>& groups, const std::string& file, const char* kind) {
  if (groups.size() == 1) return groups.front();
  throw Error(Status::scene, fmt::format("{} has {} {}s, of which one stays in place", file, groups.size(), kind),
              fmt::format("choose it with --{}", kind));
}

void require_plain(const std::vector<ChannelGroup>& groups, const Result& result, bool sources) {
  const auto& directions = sources ? result.source_directions : result.receiver_directions;
  for (const ChannelGroup& one : groups)
    if (one.channels > 1 || (one.first < directions.size() && directions[one.first] != Point{}))
      throw Error(Status::scene, fmt::format("{} has a pattern, which does not move with the source", one.name),
                  "a moving source needs sources and receivers without patterns");
}

// Channels of a place, not those of microphones at several places.
void require_fields(const std::vector<ChannelGroup>& receivers, const std::string& file) {
  for (const ChannelGroup& one : receivers)
    if (one.array)
      throw Error(
          Status::scene,
          fmt::format("receiver {} of {} is an array of microphones, which does not move along a path", one.name, file),
          "choose others with --receiver NAME");
}

// A pattern whose run did not record the channels by which it turns.
void require_turning(const std::vector<ChannelGroup>& receivers, const Result& result, const Path& path,
                     const std::string& path_file, const std::string& file) {
  if (!path.turns()) return;
  for (const ChannelGroup& one : receivers) {
    const Point along = one.first < result.receiver_directions.size() ? result.receiver_directions[one.first] : Point{};
    if (one.channels == 1 && (along[0] != 0.0 || along[1] != 0.0) &&
        channels_along_path(result.recording.receivers, one).size() == 1)
      throw Error(Status::scene,
                  fmt::format("{} turns by yaw, and {} does not hold what receiver {} needs to turn its pattern",
                              path_file, file, one.name),
                  "a receiver with this path in the scene, path = \"...\", records it");
  }
}

// Of receivers that are heads, all alike: the first; null where none is one.
const BinauralReceiver* head_of(const Result& result, const std::vector<ChannelGroup>& receivers,
                                const std::string& file) {
  const auto found = [&](const ChannelGroup& one) {
    const auto head = std::ranges::find(result.binaural, one.name, &BinauralReceiver::name);
    return one.binaural && head != result.binaural.end() ? &*head : nullptr;
  };
  const BinauralReceiver* const first = found(receivers.front());
  for (const ChannelGroup& one : receivers) {
    const BinauralReceiver* const head = found(one);
    if ((head == nullptr) != (first == nullptr) ||
        (head != nullptr && (head->file != first->file || head->front != first->front || head->up != first->up)))
      throw Error(Status::scene,
                  fmt::format("receivers {} and {} of {} are not one head", receivers.front().name, one.name, file),
                  "choose those of the path with --receiver NAME");
  }
  return first;
}

void require_motion(const Result& result, const Path& path, Moves moves, const std::string& path_file) {
  const Path::Fastest fastest = path.fastest();
  const int line = path.rows()[fastest.row].line;
  if (path.length() > longest_path)
    throw Error(Status::scene,
                fmt::format("{}: a path of {:.4g} m is longer than {:g} m", path_file, path.length(), longest_path),
                "check that positions are in m, or play it in parts");
  if (fastest.speed >= result.sound_speed)
    throw Error(Status::scene,
                fmt::format("{}:{}: {:.4g} m/s is not below the sound speed, {:.4g} m/s", path_file, line,
                            fastest.speed, result.sound_speed),
                "check the times, in s, and the positions, in m");
  const double ratio = fastest.speed / result.sound_speed, half_rate = 0.5 * result.rendered.sample_rate;
  const double shifted =
      result.options.bandwidth * passed_over_bandwidth * (moves == Moves::receiver ? 1.0 + ratio : 1.0 / (1.0 - ratio));
  if (result.options.bandwidth * passed_over_bandwidth < half_rate && shifted > half_rate)
    throw Error(Status::scene,
                fmt::format("{}:{}: at {:.4g} m/s the Doppler effect takes sound to {} Hz, beyond half the sample "
                            "rate",
                            path_file, line, fastest.speed, rounded_text(shifted, 4)),
                "render the result at a higher rate: output.sample_rate");
}

// The places and what stays, for the user.
std::string said_of(const PathResponses& along, Moves moves, bool along_sources, const std::string& fixed,
                    const std::string& file) {
  const std::size_t places = along.responses.places.size();
  if (places == 1)
    return fmt::format("{} {} at the one place of {}", moves == Moves::receiver ? "a receiver rests" : "a source rests",
                       moves == Moves::receiver ? fmt::format("and hears {}", fixed)
                       : along_sources          ? fmt::format("and is heard at {}", fixed)
                                                : fmt::format("and is heard at the place of {}", fixed),
                       file);
  return fmt::format("{} {} along {} places of {}, field between them to {:.0f} dB or better",
                     moves == Moves::receiver ? "a receiver moves" : "a source moves",
                     moves == Moves::receiver ? fmt::format("and hears {}", fixed)
                     : along_sources          ? fmt::format("and is heard at {}", fixed)
                                              : fmt::format("and is heard at the place of {}", fixed),
                     places, file, 20.0 * std::log10(std::max(along.worst.error, 1e-6)));
}

}  // namespace

PathResponses path_responses(const Result& result, const Path& path, const PathChoice& choice, const std::string& file,
                             const std::string& path_file) {
  if (!(result.sound_speed > 0.0))
    throw Error(Status::file, fmt::format("{} does not state its sound speed", file), "run its scene again");
  if (result.above)
    throw Error(Status::scene,
                fmt::format("{} holds geometry above {:.0f} Hz, which is not known between its places", file,
                            result.options.bandwidth),
                "above.method = \"none\" in its scene");
  require_motion(result, path, choice.moves, path_file);
  const Recording& recording = result.recording;
  const auto sources = named(groups_of(recording.sources), choice.source, file, "source"),
             receivers = named(groups_of(recording.receivers), choice.receiver, file, "receiver");
  const bool along_sources = choice.moves == Moves::source && sources.size() > 1;
  if (choice.moves == Moves::source) {
    require_plain(sources, result, true);
    require_plain(receivers, result, false);
  }
  const std::vector<ChannelGroup>& places = along_sources ? sources : receivers;
  require_fields(receivers, file);
  if (choice.moves == Moves::receiver) require_turning(receivers, result, path, path_file, file);
  const ChannelGroup& fixed = along_sources ? only_one(receivers, file, "receiver") : only_one(sources, file, "source");
  PathResponses along;
  along.head = head_of(result, receivers, file);
  const std::vector<ChannelGroup> shown = groups_of(recording.sources);
  along.source = static_cast<std::size_t>(std::ranges::find(shown, fixed.name, &ChannelGroup::name) - shown.begin());
  PlaceResponses& responses = along.responses;
  const std::vector<ChannelId>& channels = along_sources ? recording.sources : recording.receivers;
  responses.channels = channels_along_path(channels, places.front()).size();
  responses.turning = turning_of(places.front(), responses.channels);
  responses.wave_number =
      largest_wave_number(result.options.bandwidth, result.rendered.sample_rate, result.sound_speed);
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  for (const ChannelGroup& place : places) {
    const std::vector<std::size_t> played = channels_along_path(channels, place);
    if (played.size() != responses.channels)
      throw Error(Status::scene,
                  fmt::format("{} has receivers of {} and of {} channels", file, responses.channels, played.size()),
                  "choose those of the path with --receiver NAME");
    responses.places.push_back(along_sources ? result.source_positions[place.first]
                                             : result.receiver_positions[place.first]);
    for (const std::size_t c : played) {
      const std::size_t source = along_sources ? c : fixed.first, receiver = along_sources ? fixed.first : c;
      responses.filters.push_back(
          std::span(result.rendered.ir).subspan((source * recording.receivers.size() + receiver) * samples, samples));
    }
  }
  along.worst = worst_place(responses, path, most_path_error);
  if (along.worst.error > most_path_error) {
    const Point& at = along.worst.position;
    throw Error(Status::scene,
                fmt::format("{}:{}: the places of {} do not give the field at ({:.4g}, {:.4g}, {:.4g}) m up to {:.0f} "
                            "Hz: it would be {:.0f} dB off",
                            path_file, along.worst.line, file, at[0], at[1], at[2],
                            responses.wave_number * result.sound_speed / (2.0 * std::numbers::pi),
                            20.0 * std::log10(along.worst.error)),
                "a receiver with this path in the scene, path = \"...\", has places close enough");
  }
  along.said = said_of(along, choice.moves, along_sources, fixed.name, file);
  return along;
}

}  // namespace fdtd
