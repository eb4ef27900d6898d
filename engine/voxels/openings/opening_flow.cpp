#include "engine/voxels/openings/opening_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "engine/voxels/openings/grid_passages.hpp"
#include "engine/voxels/openings/near_space.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

constexpr std::size_t most_openings = 24;  // that are looked at, the widest
constexpr double most_cells = 2e5;         // of a finer grid about an opening
constexpr double cells_in_width = 10.0;    // cells of it in the opening's width, if so many suffice
constexpr double voxels_beyond = 2.5;      // voxels, from the opening to where potentials are given
constexpr double least_spread = 4.0;       // of the flow at the border of a finer grid: its area over the opening's

// Longer on all sides than where the opening's parts meet.
SpaceBox longer(const NarrowOpening& opening, double by) {
  SpaceBox box{opening.low, opening.high};
  for (std::size_t d = 0; d < 3; ++d) box.low[d] -= by, box.high[d] += by;
  return box;
}

// Whole voxels of the grid about an opening.
SpaceBox around(const NarrowOpening& opening, const MeshGrid& grid) {
  SpaceBox box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto place = [&](double x) { return (x - grid.corner[d]) / grid.spacing[d]; };
    box.low[d] = grid.corner[d] + grid.spacing[d] * std::clamp(std::floor(place(opening.low[d]) - voxels_beyond), -1.0,
                                                               0.0 + grid.size[d]);
    box.high[d] = grid.corner[d] + grid.spacing[d] * std::clamp(std::ceil(place(opening.high[d]) + voxels_beyond), 0.0,
                                                                1.0 + grid.size[d]);
  }
  return box;
}

// Cells across a voxel of the grid: the voxels' faces are faces of cells.
int cells_across(const SpaceRegions& regions, const NarrowOpening& opening, const MeshGrid& grid, const SpaceBox& box) {
  const double voxel = std::cbrt(grid.spacing[0] * grid.spacing[1] * grid.spacing[2]);
  const double wanted = std::max(voxel / regions.finest(), voxel * cells_in_width / opening.width);
  const double most = voxel / std::cbrt(box.volume() / most_cells);
  return std::max(1, static_cast<int>(std::min(std::ceil(wanted - 1e-9), std::floor(most))));
}

// Where the opening is only a few cells wide, a grid finer still about it says what it lets through. Returns its
// conductance without what is farther away (m), or 0 where no such grid has any.
double refine(const Mesh& mesh, const SpaceRegions& regions, const NarrowOpening& opening, const MeshGrid& grid,
              NearSpace& space) {
  const double h = std::max({grid.spacing[0], grid.spacing[1], grid.spacing[2]});
  for (double by = 2.0 * opening.width; by < voxels_beyond * h; by *= 1.3) {
    const SpaceBox box = longer(opening, by);
    const bool last = 1.3 * by >= voxels_beyond * h;
    const double cell = std::max(opening.width / cells_in_width, std::cbrt(box.volume() / most_cells));
    const NearSpace inner(mesh, regions, opening, box, {cell, cell, cell});
    if (inner.spread() < least_spread && !last) continue;
    // Cells count whole: of grids set off by parts of a cell the mean errs less. Some may miss the opening.
    constexpr int grids = 4;
    std::vector<double> found = {inner.conductance()};
    for (int part = 1; part < grids; ++part) {
      SpaceBox other = box;
      for (std::size_t d = 0; d < 3; ++d) {
        const double off = inner.spacing(d) * part / grids;
        other.low[d] -= off, other.high[d] += inner.spacing(d) - off;
      }
      const std::array<double, 3> spacing = {inner.spacing(0), inner.spacing(1), inner.spacing(2)};
      found.push_back(NearSpace(mesh, regions, opening, other, spacing).conductance());
    }
    const double most = *std::ranges::max_element(found);
    std::erase_if(found, [&](double one) { return one < 0.5 * most; });
    const double mean = std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
    if (mean > 0.0) space.fit(box, mean);
    return mean;
  }
  return 0.0;
}

// The factor of the crossing links' shares at which the grid has that conductance, or the nearest it can have.
double fitted(GridOpening& opening, double wanted) {
  double low = 1e-4, high = 1e4;
  for (int round = 0; round < 40 && high > 1.002 * low; ++round) {
    const double middle = std::sqrt(low * high);
    (opening.conductance(middle) < wanted ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

// Opens the passages between voxels through which an opening leads but that the grid has closed.
void open_way(const MeshGrid& grid, const NearSpace& space, GridPassages& passages) {
  constexpr double least_flow = 0.01, least_share = 1e-3;
  const double all = space.conductance();
  // Half a voxel of the room may lie beyond the grid: it belongs to the voxel before it.
  const auto kept = [&](Voxel v) {
    for (std::size_t d = 0; d < 3; ++d) v[d] = std::clamp(v[d], 0, grid.size[d] - 1);
    return v;
  };
  std::map<std::pair<Voxel, std::size_t>, NearSpace::Face> faces;
  for (const auto& [place, face] : space.faces(grid)) {
    Voxel next = place.first;
    ++next[place.second];
    if (kept(place.first) == kept(next)) continue;
    NearSpace::Face& sum = faces[{kept(place.first), place.second}];
    sum.open += face.open;
    sum.flow += face.flow;
  }
  const auto add = [&](const Voxel& v) {
    if (passages.air(v)) return;
    SpaceBox cell;
    for (std::size_t d = 0; d < 3; ++d) {
      cell.low[d] = grid.corner[d] + v[d] * grid.spacing[d];
      cell.high[d] = cell.low[d] + grid.spacing[d];
    }
    passages.add_node(v, std::clamp(space.share(cell), least_share, 1.0));
  };
  for (const auto& [place, face] : faces) {
    const auto& [v, axis] = place;
    Voxel next = v;
    ++next[axis];
    if (std::abs(face.flow) < least_flow * all) continue;
    add(v);
    add(next);
    const double now = passages.share(axis, passages.number(v));
    if (now < least_share)
      passages.set({passages.number(v), passages.number(next), axis, now, false},
                   std::clamp(face.open, least_share, 1.0));
  }
}

// Closes passages between voxels of two parts where no opening is, as corners of floors with the wall between two rooms
// leave them: second differences make wide ones of narrow ones (stiffen_ends in secured_cut.cpp).
void close_leaks(const MeshGrid& grid, const SpaceRegions& regions, Voxels& voxels) {
  constexpr float narrow = 0.05F;
  constexpr double reach = 2.0;  // voxels
  const auto cell_of = [&](std::uint64_t node) {
    const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
    const std::array<std::uint64_t, 3> v = {node % nx, node / nx % ny, node / nx / ny};
    SpaceBox cell;
    for (std::size_t d = 0; d < 3; ++d) {
      cell.low[d] = grid.corner[d] + static_cast<double>(v[d]) * grid.spacing[d];
      cell.high[d] = cell.low[d] + grid.spacing[d];
    }
    return cell;
  };
  const auto leaks = [&](float share, std::uint64_t node, std::uint64_t to) {
    if (!(share > 0.0F)) return false;
    const SpaceBox first = cell_of(node), second = cell_of(to);
    for (const NarrowOpening& one : regions.openings()) {
      bool near = true;
      for (std::size_t d = 0; d < 3; ++d)
        near = near && first.low[d] - reach * grid.spacing[d] < one.high[d] &&
               first.high[d] + reach * grid.spacing[d] > one.low[d];
      if (near) return false;
    }
    // Voxels of two parts may be nodes of either.
    const double least = share < narrow ? 0.5 : 0.95;
    const std::uint32_t a = regions.part_in(first.low, first.high, least),
                        b = regions.part_in(second.low, second.high, least);
    return a != b && a != SpaceRegions::none && b != SpaceRegions::none;
  };
  std::uint64_t stride = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    for (CutShare& one : voxels.cut.passages[d])
      if (leaks(one.share, one.node, one.node + stride)) one.share = 0.0F;
    stride *= static_cast<std::uint64_t>(grid.size[d]);
  }
  for (CutLink& one : voxels.cut.links)
    if (leaks(one.share, one.node, one.to)) one.share = 0.0F;
}

// The wave number (1/m) up to which the opening lets through what it should, within `most_error`: at k its transfer is
// C + k^2 V, V the volume between its parts, to first order.
double held_up_to(double wanted, double wanted_between, double found, double found_between) {
  constexpr double most_error = 2.0;  // dB
  const double now = found / wanted, turn = (found_between - wanted_between) / wanted;
  const double most = std::pow(10.0, (turn > 0.0 ? most_error : -most_error) / 20.0);
  if (std::abs(20.0 * std::log10(now)) >= most_error) return 0.0;
  return turn == 0.0 ? std::numeric_limits<double>::infinity() : std::sqrt((most - now) / turn);
}

// How far (m) the middle of the flow on the grid is beside the line of the flow in the mesh.
double beside(const FlowNetwork::Middle& mesh, const FlowNetwork::Middle& grid) {
  double along = 0.0, square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) along += (grid.position[d] - mesh.position[d]) * mesh.direction[d];
  for (std::size_t d = 0; d < 3; ++d) {
    const double off = grid.position[d] - mesh.position[d] - along * mesh.direction[d];
    square += off * off;
  }
  return std::sqrt(square);
}

// Sets the passages on the way through an opening, so that it has that conductance or the nearest that it can have, and
// returns what it has.
double fit_way(GridOpening& opening, double wanted, GridPassages& passages) {
  // The finer grids err by less than `least_change`: passages nearer to theirs remain. Shares of the potential:
  // falls across links that are scaled, and beside which there are no second differences to add to the flow.
  constexpr double least_change = 1.1, of_neck = 0.1, of_bend = 0.05;
  double factor = 1.0, has = opening.conductance(factor);
  if (std::abs(std::log(has / wanted)) > std::log(least_change)) {
    // Through a neck the potential falls from link to link: they change together.
    opening.conductance(fitted(opening, wanted));
    opening.widen_way(of_neck);
    factor = fitted(opening, wanted);
    has = opening.conductance(factor);
    if (has * least_change < wanted) {
      opening.widen_way(of_bend);
      factor = fitted(opening, wanted);
      has = opening.conductance(factor);
    }
  }
  const std::size_t scaled = opening.way().size();
  opening.widen_way(of_bend);
  for (std::size_t w = 0; w < opening.way().size(); ++w) {
    const GridLink& link = opening.way()[w];
    const double share = w < scaled ? std::min(1.0, factor * link.share) : link.share;
    if (std::min(share, link.share) < 1.0) passages.set(link, share);
  }
  return has;
}

}  // namespace

std::vector<MeshOpening> fit_openings(const Mesh& mesh, const MeshGrid& grid, const SpaceRegions& regions,
                                      Voxels& voxels) {
  std::vector<MeshOpening> all;
  constexpr double too_closed = 0.7, widest = 1e6;                 // of the conductance; of shares
  constexpr double least_of_neck = 0.7, least_conductance = 1e-3;  // of the opening alone; of its width
  // Radians between an opening's place in the mesh and on the grid: beside the node of a mode the level changes by some 2 dB.
  constexpr double most_phase = 0.15;
  if (regions.openings().empty()) return all;
  if (grid.cut) close_leaks(grid, regions, voxels);
  std::vector<SpaceBox> boxes;
  for (const NarrowOpening& one : regions.openings()) boxes.push_back(around(one, grid));
  GridPassages passages(grid, voxels, boxes);
  for (std::size_t i = 0; i < regions.openings().size() && i < most_openings; ++i) {
    const NarrowOpening& one = regions.openings()[i];
    double alone = 0.0;
    const auto about = [&](int cells) {
      NearSpace space(mesh, regions, one, boxes[i],
                      {grid.spacing[0] / cells, grid.spacing[1] / cells, grid.spacing[2] / cells});
      alone = refine(mesh, regions, one, grid, space);
      return space;
    };
    NearSpace space = about(cells_across(regions, one, grid, boxes[i]));
    // Cells may miss a neck, or a part of it: those of the regions have found it.
    if (space.conductance() < least_of_neck * alone || space.conductance() < least_conductance * one.width)
      space = about(regions.times());
    MeshOpening found{one.position, one.width, one.behind, 0.0, 0.0, one.parts};
    const double wanted = std::max(space.conductance(), least_of_neck * alone);
    if (!(wanted > 0.0)) continue;
    GridOpening on_grid(grid, passages, space, boxes[i]);
    if (grid.cut &&
        (on_grid.closed() || on_grid.conductance(1.0) < too_closed * wanted || on_grid.conductance(widest) < wanted)) {
      open_way(grid, space, passages);
      on_grid = GridOpening(grid, passages, space, boxes[i]);
    }
    if (!on_grid.closed()) {
      const double has = grid.cut ? fit_way(on_grid, wanted, passages) : on_grid.conductance(1.0);
      found.conductance = has / wanted;
      found.wave = std::min(held_up_to(wanted, space.between_volume(), has, on_grid.between_volume(grid, passages)),
                            most_phase / beside(space.middle(), on_grid.middle(grid)));
    }
    all.push_back(found);
  }
  if (grid.cut) passages.write(voxels);
  return all;
}

}  // namespace fdtd
