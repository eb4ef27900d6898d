#include "cli/small_rooms/point_map.hpp"

#include <algorithm>
#include <limits>

namespace fdtd::cli {
namespace {

std::int64_t plane_size(const RoomPoints& points) { return static_cast<std::int64_t>(points.size[0]) * points.size[1]; }

}  // namespace

std::int64_t plane_of(const RoomPoints& points, std::size_t point) { return points.index[point] / plane_size(points); }

std::size_t cell_of(const RoomPoints& points, std::size_t point) {
  return static_cast<std::size_t>(points.index[point] % plane_size(points));
}

MapPicture map_of_points(const RoomPoints& points) {
  MapPicture map;
  map.cells = {points.size[0], points.size[1]};
  map.values.assign(static_cast<std::size_t>(plane_size(points)), std::numeric_limits<double>::quiet_NaN());
  map.spacing = {1.0, 1.0};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto place = [&](std::size_t point) {
      const auto cell = static_cast<int>(cell_of(points, point));
      return axis == 0 ? cell % points.size[0] : cell / points.size[0];
    };
    // Points are at even distances: two of them that differ along the axis state its spacing.
    const int first = place(0);
    const double at = points.positions[0][axis];
    for (std::size_t point = 1; point < points.positions.size(); ++point) {
      if (place(point) == first) continue;
      map.spacing[axis] = (points.positions[point][axis] - at) / (place(point) - first);
      break;
    }
    map.first[axis] = at - first * map.spacing[axis];
  }
  return map;
}

}  // namespace fdtd::cli
