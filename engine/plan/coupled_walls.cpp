#include "engine/plan/coupled_walls.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <stdexcept>

namespace fdtd {
namespace {

std::array<int, 3> place_of(std::uint64_t node, const std::array<int, 3>& size) {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return {static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny)};
}

}  // namespace

CoupledGroup coupled_group(const Boundary& boundary, std::size_t g, const std::array<int, 3>& size) {
  const auto first = boundary.coupled.begin() + boundary.coupled_begin[g],
             last = boundary.coupled.begin() + boundary.coupled_begin[g + 1];
  const auto law_of = [&](std::uint32_t node) -> const WallLaw& {
    return boundary.laws[boundary.sites[boundary.site_begin[node]].law];
  };
  CoupledGroup group;
  std::array<int, 3> from = place_of(boundary.nodes[*first], size);
  std::array<int, 3> wall_of = {-1, -1, -1};
  for (auto node = first; node != last; ++node) {
    const WallLaw& law = law_of(*node);
    const auto axis = static_cast<std::size_t>(law.axis);
    if (std::ranges::any_of(group.walls, [&](const CoupledWall& wall) { return wall.axis == law.axis; })) continue;
    CoupledWall wall;
    wall.axis = law.axis, wall.inward = law.inward, wall.taps = law.taps;
    group.walls.push_back(wall);
    from[axis] = place_of(boundary.nodes[*node], size)[axis];
  }
  if (group.walls.size() < 2) throw std::logic_error("coupled_group: sites of one wall");
  std::ranges::sort(group.walls, {}, &CoupledWall::axis);
  for (std::size_t w = 0; w < group.walls.size(); ++w)
    wall_of[static_cast<std::size_t>(group.walls[w].axis)] = static_cast<int>(w);
  group.origin =
      static_cast<std::uint64_t>(from[0]) +
      static_cast<std::uint64_t>(size[0]) * (static_cast<std::uint64_t>(from[1]) +
                                             static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(from[2]));
  for (std::size_t w = 0; w < group.walls.size(); ++w) {
    CoupledWall& wall = group.walls[w];
    std::vector<int> extents;  // of the other walls
    for (std::size_t other = 0; other < group.walls.size(); ++other)
      if (other != w) extents.push_back(static_cast<int>(group.walls[other].taps.size()));
    wall.lanes = extents[0];
    wall.rows = extents.size() > 1 ? extents[1] : 1;
    wall.site.assign(static_cast<std::size_t>(coupled_lanes * wall.rows), no_member);
  }
  for (auto node = first; node != last; ++node) {
    const auto axis = static_cast<std::size_t>(law_of(*node).axis);
    CoupledWall& wall = group.walls[static_cast<std::size_t>(wall_of[axis])];
    const std::array<int, 3> at = place_of(boundary.nodes[*node], size);
    std::array<int, 2> depth{};
    std::size_t others = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (d == axis) continue;
      if (wall_of[d] >= 0) {
        depth[others++] = (at[d] - from[d]) * group.walls[static_cast<std::size_t>(wall_of[d])].inward;
      } else if (at[d] != from[d]) {
        throw std::logic_error("coupled_group: sites of several planes across an edge");
      }
    }
    const bool fits = at[axis] == from[axis] && depth[0] >= 0 && depth[0] < wall.lanes && depth[1] >= 0 &&
                      depth[1] < wall.rows && wall.lanes <= coupled_lanes && wall.rows <= coupled_lanes &&
                      boundary.site_begin[*node + 1] - boundary.site_begin[*node] == 1;
    if (!fits) throw std::logic_error("coupled_group: a site that does not lie at the edge");
    wall.site[static_cast<std::size_t>(depth[0] + coupled_lanes * depth[1])] = *node;
  }
  return group;
}

double coupled_response(const Boundary& boundary, std::size_t node, const std::vector<double>& admittances) {
  const NodeCoefficients<double> of_node = coefficients_of_node(boundary, node, admittances);
  return of_node.Q * of_node.scale / squared_norm_of_taps(boundary.laws[boundary.sites[boundary.site_begin[node]].law]);
}

std::vector<double> coupling_inverse(const CoupledGroup& group, const std::array<std::vector<double>, 3>& responses) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto& walls = group.walls;
  const int n = coupled_unknowns(static_cast<int>(walls.size()));
  Matrix matrix = Matrix::Identity(n, n);
  if (walls.size() == 2) {
    for (std::size_t of : {std::size_t{1}, std::size_t{0}}) {  // the wall whose forces are added up
      const std::vector<double>& taps = walls[1 - of].taps;
      double sum = 0.0;
      for (std::size_t i = 0; i < taps.size(); ++i) sum += taps[i] * taps[i] * responses[of][i];
      matrix(of == 1 ? 0 : 1, of == 1 ? 1 : 0) = sum;
    }
  } else {
    // Of wall `of` the sums over its lanes by row, and over its rows by lane, and the forces on its sites.
    struct Sums {
      std::size_t of, lane_taps, row_taps;
      int by_row, by_lane;      // first of the unknowns that these sums are
      int acts_row, acts_lane;  // of those that act on the sites of a row, of a lane, times the other wall's tap
    };
    constexpr int J = coupled_lanes;
    // Unknowns: yx (k), zx (j), xy (k), zy (i), xz (j), yz (i).
    const std::array<Sums, 3> all = {{{0, 1, 2, 2 * J, 4 * J, 0 * J, 1 * J},
                                      {1, 0, 2, 0 * J, 5 * J, 2 * J, 3 * J},
                                      {2, 0, 1, 1 * J, 3 * J, 4 * J, 5 * J}}};
    for (const Sums& one : all) {
      const CoupledWall& wall = walls[one.of];
      const std::vector<double>&lane_taps = walls[one.lane_taps].taps, &row_taps = walls[one.row_taps].taps;
      for (int row = 0; row < wall.rows; ++row)
        for (int lane = 0; lane < wall.lanes; ++lane) {
          const double g = responses[one.of][static_cast<std::size_t>(lane + J * row)];
          const double by_lane = lane_taps[static_cast<std::size_t>(lane)],
                       by_row = row_taps[static_cast<std::size_t>(row)];
          // F = f - g (by_lane * acts_row[row] + by_row * acts_lane[lane])
          matrix(one.by_row + row, one.acts_row + row) += by_lane * g * by_lane;
          matrix(one.by_row + row, one.acts_lane + lane) += by_lane * g * by_row;
          matrix(one.by_lane + lane, one.acts_row + row) += by_row * g * by_lane;
          matrix(one.by_lane + lane, one.acts_lane + lane) += by_row * g * by_row;
        }
    }
  }
  const Matrix inverse = matrix.inverse();
  return {inverse.data(), inverse.data() + inverse.size()};
}

std::vector<bool> coupled_nodes(const Boundary& boundary) {
  std::vector<bool> is(boundary.nodes.size());
  for (const std::uint32_t node : boundary.coupled) is[node] = true;
  return is;
}

}  // namespace fdtd
