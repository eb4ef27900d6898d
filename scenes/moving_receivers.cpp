#include "scenes/moving_receivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/problem.hpp"
#include "base/rounded_text.hpp"
#include "scenes/path.hpp"

namespace fdtd {
namespace {

constexpr double most_path_places = 10000;

bool in_room(const Room& room, const Point& p) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(p[d] >= room.origin[d] && p[d] <= room.origin[d] + room.box[d])) return false;
  return true;
}

// Why no places can be chosen along a path, and what to do; empty: they can.
std::pair<std::string, std::string> path_fault(const Scene& scene, const MovingReceiver& moving, const Head* head) {
  const Path& path = moving.path;
  if (!scene.simulation.max_frequency)
    return {"a path needs simulation.max_frequency, which sets the distance of its places",
            "give max_frequency instead of grid_spacing"};
  if (scene.above.method == Above::Method::rays)
    return {"a receiver on a path hears waves alone, and above.method = \"rays\" adds geometry above them",
            "leave the key out, or set above.method = \"none\""};
  if (head != nullptr && head->rotations != std::vector<double>{0.0})
    return {"a head on a path has no rotations of its own", "leave `rotations` out: the path's yaw turns the head"};
  if (scene.room.box[0] > 0.0)
    for (const PathRow& row : path.rows())
      if (!in_room(scene.room, row.position))
        return {fmt::format("line {} of the path: ({:g}, {:g}, {:g}) is outside the room", row.line, row.position[0],
                            row.position[1], row.position[2]),
                fmt::format("the room reaches from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}) m", scene.room.origin[0],
                            scene.room.origin[1], scene.room.origin[2], scene.room.origin[0] + scene.room.box[0],
                            scene.room.origin[1] + scene.room.box[1], scene.room.origin[2] + scene.room.box[2])};
  const double sound = scene.air.speed(), highest = *scene.simulation.max_frequency * passed_over_bandwidth;
  const Path::Fastest fastest = path.fastest();
  if (fastest.speed >= sound)
    return {fmt::format("line {} of the path: {:.4g} m/s is not below the sound speed, {:.4g} m/s",
                        path.rows()[fastest.row].line, fastest.speed, sound),
            "check the times, in s, and the positions, in m"};
  if (const double rate = scene.output.sample_rate;
      highest < 0.5 * rate && highest * (1.0 + fastest.speed / sound) > 0.5 * rate)
    return {fmt::format("line {} of the path: at {:.4g} m/s the Doppler effect takes {} Hz beyond half of "
                        "output.sample_rate",
                        path.rows()[fastest.row].line, fastest.speed, rounded_text(highest, 4)),
            "use a higher output.sample_rate, or a lower simulation.max_frequency"};
  const double wave_number = largest_wave_number(*scene.simulation.max_frequency, scene.output.sample_rate, sound);
  if (const double places = places_needed(path, wave_number); places > most_path_places)
    return {fmt::format("a path of {:.4g} m needs {:.0f} places up to max_frequency, more than {:.0f}", path.length(),
                        places, most_path_places),
            "lower simulation.max_frequency or shorten the path"};
  return {};
}

// Whether the path's yaw turns a pattern of the cardioid family: one that points up or down stays as it is.
bool turns_pattern(const Path& path, const Directivity& directivity) {
  const auto& [x, y, z] = directivity.direction;
  return path.turns() && !directivity.by_harmonics() && directivity.pattern != "omni" && (x != 0.0 || y != 0.0);
}

// Whether the receiver is one like any other.
bool rests(const MovingReceiver& moving, const Directivity& directivity) {
  return moving.path.length() == 0.0 && !turns_pattern(moving.path, directivity) &&
         !(directivity.by_harmonics() && moving.path.turns());
}

void add_places(std::vector<ReceiverSpec>& receivers, MovingReceiver& moving, const ReceiverSpec& alike,
                const Scene& scene) {
  moving.wave_number =
      largest_wave_number(*scene.simulation.max_frequency, scene.output.sample_rate, scene.air.speed());
  const std::vector<Point> places = places_along(moving.path, moving.wave_number);
  moving.first = receivers.size();
  moving.count = places.size();
  const std::size_t digits = fmt::format("{}", places.size()).size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    ReceiverSpec& one = receivers.emplace_back(alike);
    one.position = places[i];
    one.name = fmt::format("{}_{:0{}}", alike.name, i + 1, digits);
  }
}

}  // namespace

void place_moving_receivers(
    Scene& scene, const std::function<void(const MovingReceiver&, std::string reason, std::string remedy)>& fail) {
  std::vector<ReceiverSpec> receivers;
  std::vector<MovingReceiver> moving;
  auto next = scene.moving.begin();
  for (std::size_t i = 0; i < scene.receivers.size(); ++i) {
    const ReceiverSpec& one = scene.receivers[i];
    if (next == scene.moving.end() || next->first != i) {
      receivers.push_back(one);
      continue;
    }
    MovingReceiver& mover = *next++;
    mover.name = one.name;
    if (auto [fault, remedy] = path_fault(scene, mover, one.head.get()); !fault.empty()) {
      fail(mover, std::move(fault), std::move(remedy));
    } else if (rests(mover, one.directivity)) {
      receivers.push_back(one);
    } else {
      add_places(receivers, mover, one, scene);
      moving.push_back(std::move(mover));
    }
  }
  scene.receivers = std::move(receivers);
  scene.moving = std::move(moving);
}

std::vector<bool> turning_receivers(std::span<const ReceiverSpec> receivers, std::span<const MovingReceiver> moving) {
  std::vector<bool> turning(receivers.size(), false);
  for (const MovingReceiver& one : moving)
    for (std::size_t r = one.first; r < std::min(one.first + one.count, turning.size()); ++r)
      turning[r] = turns_pattern(one.path, receivers[r].directivity);
  return turning;
}

}  // namespace fdtd
