#include "engine/voxels/openings/opening_flow.hpp"

#include <algorithm>
#include <cmath>
#include <map>
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

// Where the opening is only a few cells wide, a grid finer still about it says what it lets through.
void refine(const Mesh& mesh, const SpaceRegions& regions, const NarrowOpening& opening, const MeshGrid& grid,
            NearSpace& space) {
  const double h = std::max({grid.spacing[0], grid.spacing[1], grid.spacing[2]});
  for (double by = 2.0 * opening.width; by < voxels_beyond * h; by *= 1.3) {
    const SpaceBox box = longer(opening, by);
    const bool last = 1.3 * by >= voxels_beyond * h;
    const double cell = std::max(opening.width / cells_in_width, std::cbrt(box.volume() / most_cells));
    const NearSpace inner(mesh, regions, opening, box, {cell, cell, cell});
    if (inner.spread() < least_spread && !last) continue;
    // Cells count whole: of two grids set off by half a cell the mean errs less.
    SpaceBox other = box;
    for (std::size_t d = 0; d < 3; ++d) other.low[d] -= 0.5 * inner.spacing(d), other.high[d] += 0.5 * inner.spacing(d);
    const NearSpace shifted(mesh, regions, opening, other, {inner.spacing(0), inner.spacing(1), inner.spacing(2)});
    const double mean = 0.5 * (inner.conductance() + shifted.conductance());
    if (mean > 0.0) space.fit(box, mean);
    return;
  }
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

}  // namespace

std::vector<MeshOpening> fit_openings(const Mesh& mesh, const MeshGrid& grid, const SpaceRegions& regions,
                                      Voxels& voxels) {
  std::vector<MeshOpening> all;
  // What the finer grids say errs by less than `least_change`: passages nearer to it remain.
  constexpr double too_closed = 0.7, least_change = 1.15;
  if (regions.openings().empty()) return all;
  std::vector<SpaceBox> boxes;
  for (const NarrowOpening& one : regions.openings()) boxes.push_back(around(one, grid));
  GridPassages passages(grid, voxels, boxes);
  for (std::size_t i = 0; i < regions.openings().size() && i < most_openings; ++i) {
    const NarrowOpening& one = regions.openings()[i];
    const int cells = cells_across(regions, one, grid, boxes[i]);
    NearSpace space(mesh, regions, one, boxes[i],
                    {grid.spacing[0] / cells, grid.spacing[1] / cells, grid.spacing[2] / cells});
    refine(mesh, regions, one, grid, space);
    MeshOpening found{one.position, one.width, one.behind, 0.0, one.parts};
    const double wanted = space.conductance();
    if (!(wanted > 0.0)) continue;
    GridOpening on_grid(grid, passages, space, boxes[i]);
    if (grid.cut && (on_grid.closed() || on_grid.conductance(1.0) < too_closed * wanted)) {
      open_way(grid, space, passages);
      on_grid = GridOpening(grid, passages, space, boxes[i]);
    }
    if (!on_grid.closed()) {
      found.conductance = on_grid.conductance(1.0) / wanted;
      if (grid.cut && std::abs(std::log(found.conductance)) > std::log(least_change)) {
        const double factor = fitted(on_grid, wanted);
        for (const GridLink& link : on_grid.crossing()) passages.set(link, std::min(1.0, factor * link.share));
        found.conductance = on_grid.conductance(factor) / wanted;
      }
    }
    all.push_back(found);
  }
  if (!grid.cut) return all;
  passages.support();
  passages.write(voxels);
  return all;
}

}  // namespace fdtd