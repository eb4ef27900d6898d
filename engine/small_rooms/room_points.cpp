#include "engine/small_rooms/room_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fdtd {
namespace {

using Node = std::array<int, 3>;

// Whether all nodes so many cells around are air.
bool clear_around(const AirMask& air, const Node& node, const Node& cells) {
  for (int z = node[2] - cells[2]; z <= node[2] + cells[2]; ++z)
    for (int y = node[1] - cells[1]; y <= node[1] + cells[1]; ++y)
      for (int x = node[0] - cells[0]; x <= node[0] + cells[0]; ++x)
        if (!air(x, y, z)) return false;
  return true;
}

std::uint64_t number_of(const Grid& grid, const Node& node) {
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  return static_cast<std::uint64_t>(node[0]) +
         nx * (static_cast<std::uint64_t>(node[1]) + ny * static_cast<std::uint64_t>(node[2]));
}

std::array<double, 3> place_of(const Grid& grid, const std::array<double, 3>& offset, std::uint64_t number) {
  std::array<double, 3> place{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto n = static_cast<std::uint64_t>(grid.size[d]);
    place[d] = (static_cast<double>(number % n) + 0.5) * grid.spacing[d] - offset[d];
    number /= n;
  }
  return place;
}

// Nodes of one axis, as even as the grid allows, centred between the limits.
std::vector<int> axis_nodes(const Grid& grid, std::size_t d, double low, double high, double step) {
  const double h = grid.spacing[d];
  const int stride = std::max(1, static_cast<int>(std::lround(step / h)));
  const int first = std::max(0, static_cast<int>(std::ceil(low / h - 0.5 - 1e-9)));
  const int last = std::min(grid.size[d] - 1, static_cast<int>(std::floor(high / h - 0.5 + 1e-9)));
  std::vector<int> nodes;
  if (last < first) {  // a plane, or a box thinner than a cell: the nearest nodes
    if (high < low || high < 0.0 || low > grid.size[d] * h) return nodes;
    return {std::clamp(static_cast<int>(std::floor((low + high) / 2.0 / h)), 0, grid.size[d] - 1)};
  }
  for (int n = first + (last - first) % stride / 2; n <= last; n += stride) nodes.push_back(n);
  return nodes;
}

// The air nodes with 26 neighbours of air nearest to places, parts of the sides of the grid; each once.
std::vector<std::uint64_t> nodes_nearest(const Plan& plan, const std::vector<std::array<double, 3>>& places) {
  const Grid& grid = plan.grid;
  std::vector<std::uint64_t> nodes;
  for (const auto& place : places) {
    double nearest = std::numeric_limits<double>::infinity();
    std::uint64_t best = 0;
    for (int z = 1; z + 1 < grid.size[2]; ++z)
      for (int y = 1; y + 1 < grid.size[1]; ++y)
        for (int x = 1; x + 1 < grid.size[0]; ++x) {
          const Node node = {x, y, z};
          double distance = 0.0;
          for (std::size_t d = 0; d < 3; ++d)
            distance += grid.spacing[d] * std::abs(node[d] + 0.5 - place[d] * grid.size[d]);
          if (distance >= nearest || !clear_around(plan.air, node, {1, 1, 1})) continue;
          nearest = distance;
          best = number_of(grid, node);
        }
    if (nearest < std::numeric_limits<double>::infinity() && std::ranges::find(nodes, best) == nodes.end())
      nodes.push_back(best);
  }
  return nodes;
}

}  // namespace

RoomPoints room_points(const Plan& plan, const std::array<double, 3>& offset, double step, const PlaceBox* box,
                       double from_wall) {
  RoomPoints points;
  const Grid& grid = plan.grid;
  Node around{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double low = box != nullptr ? box->low[d] + offset[d] : 0.0;
    const double high = box != nullptr ? box->high[d] + offset[d] : grid.size[d] * grid.spacing[d];
    points.nodes[d] = axis_nodes(grid, d, low, high, step);
    points.size[d] = static_cast<int>(points.nodes[d].size());
    around[d] = std::max(1, static_cast<int>(std::ceil(from_wall / grid.spacing[d] - 0.5 - 1e-9)));
  }
  std::int64_t index = 0;
  for (const int z : points.nodes[2])
    for (const int y : points.nodes[1])
      for (const int x : points.nodes[0]) {
        const Node node = {x, y, z};
        if (clear_around(plan.air, node, around)) {
          points.index.push_back(index);
          points.node.push_back(number_of(grid, node));
          points.positions.push_back(place_of(grid, offset, points.node.back()));
        }
        ++index;
      }
  return points;
}

double most_points(const Plan& plan, double step, const PlaceBox* box) {
  double count = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double side = plan.grid.size[d] * plan.grid.spacing[d];
    const double length = box != nullptr ? std::min(side, box->high[d] - box->low[d]) : side;
    const double stride = std::max(1.0, std::round(step / plan.grid.spacing[d])) * plan.grid.spacing[d];
    count *= std::floor(std::max(0.0, length) / stride + 1e-9) + 1.0;
  }
  return count;
}

std::vector<std::uint64_t> sender_nodes(const Plan& plan) {
  // A corner, and two places that lie alike on no two axes.
  return nodes_nearest(plan, {{0.0, 0.0, 0.0}, {0.97, 0.37, 0.17}, {0.29, 0.95, 0.61}});
}

std::vector<std::uint64_t> scattered_nodes(const Plan& plan, int count) {
  constexpr double ratio = 1.2207440846057596;  // of the sequence in three dimensions: x^4 = x + 1
  std::vector<std::array<double, 3>> places;
  for (int i = 1; i <= count; ++i) {
    std::array<double, 3> place{};
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = 0.5 + i * std::pow(ratio, -static_cast<double>(d + 1));
      place[d] = at - std::floor(at);
    }
    places.push_back(place);
  }
  return nodes_nearest(plan, places);
}

Tap node_tap(const Plan& plan, const std::string& name, std::uint64_t node) {
  Tap tap;
  tap.channel = name;
  tap.position = place_of(plan.grid, {}, node);
  tap.nodes = {node};
  tap.weights = {1.0};
  return tap;
}

}  // namespace fdtd
