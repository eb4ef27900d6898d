#include "engine/session/moving_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "engine/adjoint/tap_shift.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"

namespace fdtd {
namespace {

constexpr double shifted_by = 1e-4;  // of a spacing: a central difference is exact to about 1e-8, rounding is less

// The channel of an omnidirectional source or receiver; nothing: none has the name.
template <class Specs>
std::optional<MovingPoint> point_named(const std::string& name, const Specs& specs,
                                       const std::vector<Channel>& channels, bool source) {
  const auto spec = std::ranges::find_if(specs, [&](const auto& one) { return one.name == name; });
  if (spec == specs.end()) return std::nullopt;
  const auto owner = static_cast<std::size_t>(spec - specs.begin());
  const auto first = std::ranges::find(channels, owner, &Channel::owner);
  const bool single = std::ranges::count(channels, owner, &Channel::owner) == 1;
  if (!single || !first->operation.empty() || first->id.kind != ChannelKind::whole)
    throw Error(Status::scene, fmt::format("{} {} is not omnidirectional", source ? "source" : "receiver", name),
                "a gradient by positions takes omnidirectional sources and receivers");
  return MovingPoint{name, source, static_cast<std::size_t>(first - channels.begin()), spec->position};
}

}  // namespace

MovingPoints::MovingPoints(const Scene& scene, const PlanResult& planned, const std::vector<std::string>& names)
    : offset_(planned.choice.offset), weights_(planned.plan.tap_wave) {
  const Channels channels = channels_of(scene);
  for (const std::string& name : names) {
    const auto source = point_named(name, scene.sources, channels.sources, true);
    const auto receiver = point_named(name, scene.receivers, channels.receivers, false);
    if (source && receiver)
      throw Error(Status::scene, fmt::format("{} is a source and a receiver", name), "give them names of their own");
    if (!source && !receiver)
      throw Error(Status::scene, fmt::format("the scene has no source or receiver {}", name),
                  "name sources and receivers of the scene");
    if (std::ranges::find(points_, name, &MovingPoint::name) != points_.end())
      throw Error(Status::scene, fmt::format("{} is named twice among the positions", name), "name it once");
    points_.push_back(source ? *source : *receiver);
  }
  if (!points_.empty() && planned.mesh) cut_ = make_room(scene, planned.choice).voxels.cut;
}

std::vector<double> MovingPoints::begin() const {
  std::vector<double> coordinates;
  for (const MovingPoint& point : points_)
    coordinates.insert(coordinates.end(), point.position.begin(), point.position.end());
  return coordinates;
}

std::array<double, 3> MovingPoints::on_grid(std::span<const double> coordinates, std::size_t point) const {
  std::array<double, 3> at = offset_;
  for (std::size_t d = 0; d < 3; ++d) at[d] += coordinates[3 * point + d];
  return at;
}

Tap MovingPoints::tap_at(const Plan& plan, const MovingPoint& point, const std::array<double, 3>& on_grid) const {
  const Tap& own = (point.source ? plan.sources : plan.receivers)[point.tap];
  return make_tap(own.channel, on_grid, plan.grid, plan.air, {}, weights_, &cut_);
}

void MovingPoints::move(Plan& plan, std::span<const double> coordinates) const {
  std::vector<Tap> moved;
  for (std::size_t p = 0; p < points_.size(); ++p) moved.push_back(tap_at(plan, points_[p], on_grid(coordinates, p)));
  for (std::size_t p = 0; p < points_.size(); ++p)
    (points_[p].source ? plan.sources : plan.receivers)[points_[p].tap] = std::move(moved[p]);
}

MovingPoints::Changes MovingPoints::changes(const Plan& plan, std::span<const double> coordinates) const {
  Changes changes;
  const auto make_for = [&](const MovingPoint& point) {
    return [&plan, &point, this](const std::array<double, 3>& to) { return tap_at(plan, point, to); };
  };
  for (std::size_t p = 0; p < points_.size(); ++p)
    for (std::size_t d = 0; d < 3; ++d) {
      const Difference between = difference(plan, coordinates, 3 * p + d);
      std::array<double, 3> at = on_grid(coordinates, p);
      at[d] += between.middle;
      (points_[p].source ? changes.sources : changes.receivers)
          .push_back(tap_shift(points_[p].tap, at, static_cast<int>(d), between.half, make_for(points_[p])));
    }
  return changes;
}

MovingPoints::Difference MovingPoints::difference(const Plan& plan, std::span<const double> coordinates,
                                                  std::size_t coordinate) const {
  const std::size_t axis = coordinate % 3;
  const double step = shifted_by * plan.grid.spacing[axis];
  const auto open = [&](double side) {
    std::array<double, 3> at = on_grid(coordinates, coordinate / 3);
    at[axis] += side * step;
    return in_air(at, plan.grid, plan.air);
  };
  const bool up = open(1.0), down = open(-1.0);
  if (up == down) return {0.0, step};
  return {up ? step / 2.0 : -step / 2.0, step / 2.0};
}

}  // namespace fdtd
