#include "engine/transducers/taps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "engine/transducers/air_box.hpp"
#include "engine/walls/mirror_walk.hpp"

namespace fdtd {
namespace {

// Fraction of a voxel by which a point may lie beyond a face and still count as on it: positions and spacings are
// decimal numbers, and a box's far wall is size * spacing only up to rounding.
constexpr double face_tolerance = 1e-6;

std::optional<Voxel> voxel_of(const std::array<double, 3>& position, const Grid& grid, const AirMask& air) {
  std::array<std::array<int, 2>, 3> choice{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double at = position[d] / grid.spacing[d];
    if (!(at > -1.0 && at < grid.size[d] + 1.0)) return std::nullopt;
    choice[d][0] = static_cast<int>(std::floor(at));
    const double part = at - std::floor(at);
    choice[d][1] = choice[d][0] + (part < face_tolerance ? -1 : part > 1.0 - face_tolerance ? 1 : 0);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const Voxel voxel = {choice[0][i & 1U], choice[1][i >> 1 & 1U], choice[2][i >> 2]};
    if (air(voxel[0], voxel[1], voxel[2])) return voxel;
  }
  return std::nullopt;
}

double gap(double position, double from, double to) { return std::max({from - position, 0.0, position - to}); }

std::string in_metres(const std::array<double, 3>& p) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", p[0], p[1], p[2]);
}

}  // namespace

double finest_wave(const Grid& grid, double frequency) {
  double coarsest = 0.0;
  for (std::size_t d = 0; d < 3; ++d)
    if (grid.size[d] > 1) coarsest = std::max(coarsest, grid.spacing[d]);
  return 2.0 * std::numbers::pi * frequency * coarsest / grid.sound_speed;
}

bool in_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air) {
  return voxel_of(position, grid, air).has_value();
}

NearestAir nearest_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air) {
  double best = std::numeric_limits<double>::infinity();  // distance
  Voxel nearest{};
  std::vector<AirMask::Run> runs;
  const auto [hx, hy, hz] = grid.spacing;
  for (int z = 0; z < air.size()[2]; ++z) {
    const double dz = gap(position[2], z * hz, (z + 1) * hz);
    for (int y = 0; y < air.size()[1]; ++y) {
      const double dy = gap(position[1], y * hy, (y + 1) * hy);
      if (std::hypot(dy, dz) >= best) continue;
      air.runs(y, z, runs);
      for (const AirMask::Run& run : runs) {
        const double dx = gap(position[0], run.begin * hx, run.end * hx);
        const double distance = std::hypot(dx, dy, dz);
        if (distance >= best) continue;
        best = distance;
        const double column = std::clamp(std::floor(position[0] / hx), double(run.begin), double(run.end - 1));
        nearest = {static_cast<int>(column), y, z};
      }
    }
  }
  if (std::isinf(best)) throw Error(Status::scene, "the room has no air: every voxel is wall");
  NearestAir found{position, best};
  for (std::size_t d = 0; d < 3; ++d) {
    const double h = grid.spacing[d];
    found.position[d] = std::clamp(position[d], nearest[d] * h, (nearest[d] + 1) * h);
  }
  return found;
}

namespace {

// Weights on nodes, by a few tables of small numbers: the nodes of a tap lie within some points of its own along each
// axis.
class NodeWeights {
 public:
  // `reach`: the most steps from the home voxel along each axis; walks that are folded end no further away.
  NodeWeights(const Voxel& home, const std::array<int, 3>& reach, const Grid& grid) : grid_(grid) {
    for (std::size_t d = 0; d < 3; ++d) {
      first_[d] = std::max(0, home[d] - reach[d]);
      size_[d] = static_cast<std::size_t>(std::min(grid.size[d], home[d] + reach[d] + 1) - first_[d]);
    }
    weights_.assign(size_[0] * size_[1] * size_[2], 0.0);
  }
  double& operator[](const Voxel& at) {
    const auto part = [&](std::size_t d) { return static_cast<std::size_t>(at[d] - first_[d]); };
    return weights_[part(0) + size_[0] * (part(1) + size_[1] * part(2))];
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w != 0.0; }));
  }
  // Calls visit(node, weight) in the order of the nodes.
  template <class Visit>
  void each(const Visit& visit) const {
    std::size_t i = 0;
    for (std::size_t z = 0; z < size_[2]; ++z)
      for (std::size_t y = 0; y < size_[1]; ++y) {
        const auto row = static_cast<std::uint64_t>(grid_.size[0]) *
                         (static_cast<std::uint64_t>(first_[1]) + y +
                          static_cast<std::uint64_t>(grid_.size[1]) * (static_cast<std::uint64_t>(first_[2]) + z));
        for (std::size_t x = 0; x < size_[0]; ++x, ++i)
          if (weights_[i] != 0.0) visit(row + static_cast<std::uint64_t>(first_[0]) + x, weights_[i]);
      }
  }

 private:
  const Grid& grid_;
  std::array<int, 3> first_{};
  std::array<std::size_t, 3> size_{};
  std::vector<double> weights_;
};

// Whether all voxels of the nodes are air with open passages between them, or the whole grid is air: walks then end in
// the same voxel in every order of the axes.
bool walks_commute(const OpenAir& open, const Voxel& home, const std::array<AxisWeights, 3>& axes) {
  const AirMask& air = open.air;
  const bool closed = open.cut != nullptr && !open.cut->empty();  // passages may be
  if (air.all_air() && !closed) return true;
  const auto end = [&](std::size_t d) { return axes[d].first + static_cast<int>(axes[d].weights.size()); };
  for (int z = std::min(home[2], axes[2].first); z < std::max(home[2] + 1, end(2)); ++z)
    for (int y = std::min(home[1], axes[1].first); y < std::max(home[1] + 1, end(1)); ++y)
      for (int x = std::min(home[0], axes[0].first); x < std::max(home[0] + 1, end(0)); ++x) {
        if (!air(x, y, z)) return false;
        for (std::size_t d = 0; closed && d < 3; ++d) {
          const Voxel at = {x, y, z};
          Voxel next = at;
          if (++next[d] < std::max(home[d] + 1, end(d)) && !leads(open, at, next, d)) return false;
        }
      }
  return true;
}

// The same as add_product where walks commute: each axis is folded by itself.
void add_folded(const std::array<AxisWeights, 3>& axes, double coefficient, const Voxel& home, const OpenAir& air,
                NodeWeights& weight_of) {
  std::array<std::vector<std::pair<int, double>>, 3> along;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i < axes[d].weights.size(); ++i) {
      const double weight = axes[d].weights[i];
      if (weight == 0.0) continue;
      const int end = folded_walk(air, home, d, axes[d].first + static_cast<int>(i) - home[d])[d];
      const auto same = std::ranges::find(along[d], end, &std::pair<int, double>::first);
      if (same == along[d].end())
        along[d].emplace_back(end, weight);
      else
        same->second += weight;
    }
  for (const auto& [z, wz] : along[2])
    for (const auto& [y, wy] : along[1])
      for (const auto& [x, wx] : along[0]) weight_of[{x, y, z}] += wx * wy * wz * coefficient;
}

// Adds coefficient times the product of the axes' weights; nodes behind walls are replaced by their mirror images in
// air.
void add_product(const std::array<AxisWeights, 3>& axes, double coefficient, const Voxel& home, const OpenAir& air,
                 NodeWeights& weight_of) {
  if (walks_commute(air, home, axes)) return add_folded(axes, coefficient, home, air, weight_of);
  for (std::size_t k = 0; k < axes[2].weights.size(); ++k) {
    for (std::size_t j = 0; j < axes[1].weights.size(); ++j) {
      for (std::size_t i = 0; i < axes[0].weights.size(); ++i) {
        const double weight = axes[0].weights[i] * axes[1].weights[j] * axes[2].weights[k] * coefficient;
        if (weight == 0.0) continue;
        const Voxel offset = {axes[0].first + static_cast<int>(i) - home[0],
                              axes[1].first + static_cast<int>(j) - home[1],
                              axes[2].first + static_cast<int>(k) - home[2]};
        folded_walks(air, home, offset, [&](const Voxel& end, int sixths) { weight_of[end] += weight * sixths / 6.0; });
      }
    }
  }
}

}  // namespace

namespace {

// Throws Error (status scene) where there is none.
Voxel home_in_air(const std::string& name, const std::array<double, 3>& position, const Grid& grid,
                  const AirMask& air) {
  for (const double x : position) {
    if (!std::isfinite(x)) throw Error(Status::scene, fmt::format("{}: the position is not finite", name));
  }
  if (const std::optional<Voxel> home = voxel_of(position, grid, air)) return *home;
  const NearestAir nearest = nearest_air(position, grid, air);
  throw Error(Status::scene, fmt::format("{}: position {} is not in the room's air", name, in_metres(position)),
              fmt::format("the nearest air is at {}, {:.3g} m away", in_metres(nearest.position), nearest.distance));
}

// `along_of`(home): a function of an axis d, the place on it in nodes and the order of a derivative, its weights there.
template <class Along>
Tap tap_of(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid, const OpenAir& open,
           const FieldOperator& operation, const Along& along_of) {
  const Voxel home = home_in_air(channel.name, position, grid, open.air);
  struct Product {
    std::array<AxisWeights, 3> axes;
    double coefficient = 1.0;
  };
  std::vector<Product> products;
  std::array<int, 3> reach{};
  const auto along = along_of(home);
  const auto add = [&](double coefficient, const std::array<int, 3>& powers) {
    Product& one = products.emplace_back();
    one.coefficient = coefficient;
    for (std::size_t d = 0; d < 3; ++d) {
      AxisWeights& axis = one.axes[d] = along(d, position[d] / grid.spacing[d] - 0.5, powers[d]);
      const int last = axis.first + static_cast<int>(axis.weights.size()) - 1;
      reach[d] = std::max({reach[d], std::abs(axis.first - home[d]), std::abs(last - home[d])});
    }
  };
  if (operation.empty()) add(1.0, {0, 0, 0});
  for (const DerivativeTerm& term : operation) {
    double coefficient = term.coefficient;
    for (std::size_t d = 0; d < 3; ++d) coefficient /= std::pow(grid.spacing[d], term.powers[d]);
    add(coefficient, term.powers);
  }
  NodeWeights weight_of(home, reach, grid);
  for (const Product& one : products) add_product(one.axes, one.coefficient, home, open, weight_of);
  Tap tap{channel, position, {}, {}, operation};
  double sum = 0.0;
  tap.nodes.reserve(weight_of.count());
  tap.weights.reserve(tap.nodes.capacity());
  weight_of.each([&](std::uint64_t node, double weight) {
    tap.nodes.push_back(node);
    tap.weights.push_back(weight);
    sum += weight;
  });
  if (operation.empty()) *std::max_element(tap.weights.begin(), tap.weights.end()) += 1.0 - sum;
  return tap;
}

// The nodes of an operation beside walls, and the walls.
struct Beside {
  std::array<NodeRange, 3> box;
  std::array<AxisWalls, 3> walls;
};

// Empty where neither a wall nor its layer is near, where no wall absorbs, and where the air is too narrow.
std::optional<Beside> beside_walls(const OpenAir& open, const Voxel& home, const std::array<double, 3>& position,
                                   const Grid& grid, int points, int order, const std::array<WallLayer, 3>& layers) {
  int depth = 0;
  for (const WallLayer& layer : layers) depth = std::max(depth, layer.depth());
  if (depth == 0) return std::nullopt;
  std::array<NodeRange, 3> wanted;
  for (std::size_t d = 0; d < 3; ++d) wanted[d] = {first_tap_node(position[d] / grid.spacing[d] - 0.5, points), points};
  Beside found{air_box(open, home, wanted, tap_points_at_wall), {}};
  bool near = false;
  for (std::size_t d = 0; d < 3; ++d) {
    const NodeRange& nodes = found.box[d];
    AxisWalls& walls = found.walls[d];
    if (grid.size[d] == 1) continue;  // along it nothing varies
    if (nodes.count < inside_points(order)) return std::nullopt;
    walls.layer = &layers[d];
    // Nodes are missing behind walls; else the line through the point says how far they are.
    const auto reaches = [&](int step, int end) {
      Voxel at = home;
      for (int free = 0; free < layers[d].depth();) {
        Voxel next = at;
        next[d] += step;
        if (!leads(open, at, next, d)) return at[d] + 0.5 * step;
        at = next;
        if ((at[d] - end) * step > 0) ++free;
      }
      return step * std::numeric_limits<double>::infinity();
    };
    walls.low = nodes.first > wanted[d].first ? nodes.first - 0.5 : reaches(-1, nodes.first);
    walls.high = nodes.end() < wanted[d].end() ? nodes.end() - 0.5 : reaches(1, nodes.end() - 1);
    near = near || std::isfinite(walls.low) || std::isfinite(walls.high);
  }
  return near ? std::optional(found) : std::nullopt;
}

}  // namespace

Tap tap_without_nodes(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid,
                      const AirMask& air, const FieldOperator& operation) {
  home_in_air(channel.name, position, grid, air);
  return {channel, position, {}, {}, operation};
}

Tap make_tap(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             int points, const CutVoxels* cut) {
  if (points < 1 || points > max_tap_points) throw std::invalid_argument("make_tap: 1 to 16 points an axis");
  return tap_of(channel, position, grid, {air, cut}, {},
                [&](const Voxel&) { return [&](std::size_t, double at, int) { return lagrange(at, points); }; });
}

Tap make_tap(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             const FieldOperator& operation, const TapWeights& weights, const CutVoxels* cut,
             const std::array<WallLayer, 3>& layers) {
  const int points = weights.points(operation);
  const OpenAir open{air, cut};
  return tap_of(channel, position, grid, open, operation, [&](const Voxel& home) {
    std::optional<Beside> beside;
    if (!operation.empty()) beside = beside_walls(open, home, position, grid, points, degree(operation), layers);
    return [&, beside](std::size_t d, double at, int order) {
      if (!beside || !(std::isfinite(beside->walls[d].low) || std::isfinite(beside->walls[d].high)))
        return weights(at, points, order);
      return weights.inside(at, beside->box[d].first, beside->box[d].count, order, beside->walls[d]);
    };
  });
}

}  // namespace fdtd
