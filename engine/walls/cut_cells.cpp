// Cut voxels under stencils that are sums over the axes: masses m_i of nodes, areas w of the passages between them, and
// weights phi_i of the long legs, 1 where nothing is cut (secured_cut.hpp).
//
// Along one axis the interior is P(A) = A q(A), A the second difference. Here it is K = M^-1 G^T W q(W^-1 B) G with
// B = G Phi G^T: the flux of a leg of one cell has the true area, and longer legs add second differences of differences,
// which vanish on fields that are linear, at cut voxels, too. With whole voxels W^-1 B = G G^T, and K is the fold of
// fold.cpp. q(Y) = sum of g_m R_m(Y) is computed by Chebyshev's recursion, R_(m+1) = (2 - Y) R_m - R_(m-1) + 2
// (axis_window.cpp).
#include <algorithm>
#include <iterator>
#include <tuple>

#include "engine/walls/cut/axis_rows.hpp"
#include "engine/walls/cut/shared_nodes.hpp"
#include "engine/walls/inward_walls.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/rows.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

// Rows of links: c (u_j - u_i)/m_i at both ends.
NearWall link_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut) {
  const std::array<AxisBound, 3> bounds = axis_bounds(stencil);
  const auto nx = static_cast<std::uint64_t>(air.size()[0]), ny = static_cast<std::uint64_t>(air.size()[1]);
  const auto mass = [&](std::uint64_t node) {
    const auto found = std::ranges::lower_bound(cut.masses, node, {}, &NodeFraction::node);
    return found != cut.masses.end() && found->node == node ? found->fraction : 1.0;
  };
  struct End {
    std::uint64_t node, to;
    double strength;
  };
  std::vector<End> ends;
  for (const CutLink& one : cut.links) {
    const double strength = bounds[one.axis].link * static_cast<double>(one.fraction);
    ends.push_back({one.node, one.to, strength});
    ends.push_back({one.to, one.node, strength});
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return std::tie(a.node, a.to) < std::tie(b.node, b.to); });
  const auto between = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int16_t>(static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a));
  };
  NearWall walls;
  PatternBook book(walls);
  for (std::size_t i = 0; i < ends.size();) {
    const std::uint64_t node = ends[i].node;
    const double m = mass(node);
    std::vector<RowEntry> row;
    double sum = 0.0;
    for (; i < ends.size() && ends[i].node == node; ++i) {
      const std::uint64_t to = ends[i].to;
      RowEntry entry;
      entry.offset = {between(node % nx, to % nx), between(node / nx % ny, to / nx % ny),
                      between(node / nx / ny, to / nx / ny)};
      entry.weight = ends[i].strength / m;
      sum += entry.weight;
      if (!row.empty() && row.back().offset == entry.offset)
        row.back().weight += entry.weight;
      else
        row.push_back(entry);
    }
    RowEntry own;
    own.weight = -sum;
    const auto after = [](const RowEntry& one) {  // in order of z, y, x
      return std::tie(one.offset[2], one.offset[1], one.offset[0]) > std::tuple(0, 0, 0);
    };
    row.insert(std::ranges::find_if(row, after), own);
    append_segment(walls, {node, 1, book.number(row)}, nx);
  }
  walls.node_count = count_nodes(walls.segments);
  return walls;
}

}  // namespace

SecuredCut secured_for(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                       const PlanePartition& partition) {
  return secure(air, cut, is_sum_over_axes(stencil) ? axis_bounds(stencil) : product_bounds, partition);
}

NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                   std::vector<MovedWall>* moved) {
  return cut_walls(stencil, air, cut, secured_for(stencil, air, cut), moved);
}

NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut, const SecuredCut& secured,
                   std::vector<MovedWall>* moved) {
  const bool sum_over_axes = is_sum_over_axes(stencil);
  NearWall walls;
  if (sum_over_axes) {
    walls = axis_walls(stencil, air, secured, link_walls(stencil, air, secured));
  } else {
    walls = cut_product_walls(stencil, air, secured);
  }
  if (moved != nullptr) {
    const double fraction = sum_over_axes                 ? inward_fraction
                            : stencil.radius == 1         ? 0.0
                            : has_radial_weights(stencil) ? inward_fraction_of_radial
                                                          : inward_fraction_of_products;
    const std::vector<MovedWall> inward = moved_inward(air, cut, {fraction, !sum_over_axes});
    moved->clear();
    moved->reserve(secured.moved.size() + inward.size());
    std::merge(secured.moved.begin(), secured.moved.end(), inward.begin(), inward.end(), std::back_inserter(*moved),
               [](const MovedWall& a, const MovedWall& b) { return a.from < b.from; });
  }
  walls.masses.reserve(secured.masses.size());
  for (const NodeFraction& one : secured.masses) walls.masses.push_back({one.node, one.fraction});
  return walls;
}

}  // namespace fdtd
