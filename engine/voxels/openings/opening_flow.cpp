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

constexpr std::size_t max_openings = 24;  // that are looked at, the widest
constexpr double max_cells = 2e5;         // of a finer grid about an opening
constexpr double cells_in_width = 10.0;   // cells of it in the opening's width, if so many suffice
constexpr double voxels_beyond = 2.5;     // voxels, from the opening to where potentials are given
constexpr double min_spread = 4.0;        // of the flow at the border of a finer grid: its area over the opening's

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
  const double most = voxel / std::cbrt(box.volume() / max_cells);
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
    const double cell = std::max(opening.width / cells_in_width, std::cbrt(box.volume() / max_cells));
    const NearSpace inner(mesh, regions, opening, box, {cell, cell, cell});
    if (inner.spread() < min_spread && !last) continue;
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

// The factor of the crossing links' fractions at which the grid has that conductance, or the nearest it can have.
double fitted(GridOpening& opening, double wanted) {
  double low = 1e-4, high = 1e4;
  for (int round = 0; round < 40 && high > 1.002 * low; ++round) {
    const double middle = std::sqrt(low * high);
    (opening.conductance(middle) < wanted ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

// The faces between voxels of the grid, by the lower one and the axis, with the flow in the mesh through each.
using Faces = std::map<std::pair<Voxel, std::size_t>, NearSpace::Face>;

Faces faces_on_grid(const MeshGrid& grid, const NearSpace& space) {
  // Half a voxel of the room may lie beyond the grid: it belongs to the voxel before it.
  const auto kept = [&](Voxel v) {
    for (std::size_t d = 0; d < 3; ++d) v[d] = std::clamp(v[d], 0, grid.size[d] - 1);
    return v;
  };
  Faces faces;
  for (const auto& [place, face] : space.faces(grid)) {
    Voxel next = place.first;
    ++next[place.second];
    if (kept(place.first) == kept(next)) continue;
    NearSpace::Face& sum = faces[{kept(place.first), place.second}];
    sum.open += face.open;
    sum.flow += face.flow;
  }
  return faces;
}

// The faces between voxels that an opening leads through in the mesh.
class Way {
 public:
  Way(const MeshGrid& grid, const NarrowOpening& opening, const GridSides& sides, const NearSpace& space,
      const GridPassages& passages)
      : faces(faces_on_grid(grid, space)), opening_(opening), sides_(sides), all_(space.conductance()) {
    for (const auto& [place, face] : faces) {
      Voxel next = place.first;
      ++next[place.second];
      if (between(passages.number(place.first), passages.number(next))) most_ = std::max(most_, std::abs(face.flow));
    }
  }
  // Whether two voxels belong to the two parts.
  bool between(std::uint64_t a, std::uint64_t b) const {
    const std::array<std::uint32_t, 2> parts = {sides_.of(a), sides_.of(b)};
    return parts[0] != parts[1] && std::ranges::is_permutation(parts, opening_.parts);
  }
  // Flow along a wall, through the part of a voxel that is not its node's, is a small fraction of that to the other
  // part.
  bool leads(double flow, bool to_other) const {
    constexpr double least = 0.01, min_of_most = 0.25;
    return std::abs(flow) >= (to_other ? min_of_most * most_ : least * all_);
  }
  Faces faces;

 private:
  const NarrowOpening& opening_;
  const GridSides& sides_;
  double all_ = 0.0, most_ = 0.0;
};

// Closes passages and links about an opening between voxels of its two parts through which it does not lead.
void close_beside(const MeshGrid& grid, const SpaceBox& box, const Way& way, GridPassages& passages) {
  Voxel begin{}, end{};
  for (std::size_t d = 0; d < 3; ++d) {
    begin[d] = std::max(0, static_cast<int>(std::lround((box.low[d] - grid.corner[d]) / grid.spacing[d])));
    end[d] = std::min(grid.size[d], static_cast<int>(std::lround((box.high[d] - grid.corner[d]) / grid.spacing[d])));
  }
  for (int z = begin[2]; z < end[2]; ++z) {
    for (int y = begin[1]; y < end[1]; ++y) {
      for (int x = begin[0]; x < end[0]; ++x) {
        const Voxel v = {x, y, z};
        if (!passages.air(v)) continue;
        for (std::size_t d = 0; d < 3; ++d) {
          Voxel next = v;
          ++next[d];
          if (next[d] >= grid.size[d] || !passages.air(next)) continue;
          const std::uint64_t a = passages.number(v), b = passages.number(next);
          if (!(passages.fraction(d, a) > 0.0) || !way.between(a, b)) continue;
          const auto face = way.faces.find({v, d});
          if (face == way.faces.end() || !way.leads(face->second.flow, true)) passages.set({a, b, d, 0.0, false}, 0.0);
        }
      }
    }
  }
  const std::vector<CutLink> links = passages.links();
  for (const CutLink& one : links)
    if (one.fraction > 0.0F && way.between(one.node, one.to))
      passages.set({one.node, one.to, one.axis, 0.0, true}, 0.0);
}

// Opens the passages between voxels through which an opening leads but that the grid has closed.
void open_way(const MeshGrid& grid, const NearSpace& space, const Way& way, GridPassages& passages) {
  constexpr double min_fraction = 1e-3;
  const auto add = [&](const Voxel& v) {
    if (passages.air(v)) return;
    SpaceBox cell;
    for (std::size_t d = 0; d < 3; ++d) {
      cell.low[d] = grid.corner[d] + v[d] * grid.spacing[d];
      cell.high[d] = cell.low[d] + grid.spacing[d];
    }
    passages.add_node(v, std::clamp(space.fraction(cell), min_fraction, 1.0));
  };
  for (const auto& [place, face] : way.faces) {
    const auto& [v, axis] = place;
    Voxel next = v;
    ++next[axis];
    if (!way.leads(face.flow, way.between(passages.number(v), passages.number(next)))) continue;
    add(v);
    add(next);
    const double now = passages.fraction(axis, passages.number(v));
    if (now < min_fraction)
      passages.set({passages.number(v), passages.number(next), axis, now, false},
                   std::clamp(face.open, min_fraction, 1.0));
  }
}

// The wave number (1/m) up to which the opening lets through what it should, within `max_error`: at k its transfer is
// C + k^2 V, V the volume between its parts, to first order.
double held_up_to(double wanted, double wanted_between, double found, double found_between) {
  constexpr double max_error = 2.0;  // dB
  const double now = found / wanted, turn = (found_between - wanted_between) / wanted;
  const double most = std::pow(10.0, (turn > 0.0 ? max_error : -max_error) / 20.0);
  if (std::abs(20.0 * std::log10(now)) >= max_error) return 0.0;
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
  // The finer grids err by less than `min_change`: passages nearer to theirs remain. Fractions of the potential:
  // falls across links that are scaled, and beside which there are no second differences to add to the flow.
  constexpr double min_change = 1.1, of_neck = 0.1, of_bend = 0.05;
  double factor = 1.0, has = opening.conductance(factor);
  if (std::abs(std::log(has / wanted)) > std::log(min_change)) {
    // Through a neck the potential falls from link to link: they change together.
    opening.conductance(fitted(opening, wanted));
    opening.widen_way(of_neck);
    factor = fitted(opening, wanted);
    has = opening.conductance(factor);
    if (has * min_change < wanted) {
      opening.widen_way(of_bend);
      factor = fitted(opening, wanted);
      has = opening.conductance(factor);
    }
  }
  const std::size_t scaled = opening.way().size();
  opening.widen_way(of_bend);
  for (std::size_t w = 0; w < opening.way().size(); ++w) {
    const GridLink& link = opening.way()[w];
    const double fraction = w < scaled ? std::min(1.0, factor * link.fraction) : link.fraction;
    if (std::min(fraction, link.fraction) < 1.0) passages.set(link, fraction);
  }
  return has;
}

// An opening's conductance in the mesh (m), and the volumes (m3) of the larger part before it and, on the grid, of the
// smaller one behind it.
struct DeadEnd {
  double conductance = 0.0, before = 0.0, behind_on_grid = 0.0;
};

// Where parts resonate that lead to one other part alone, if they are small for the wavelength.
void find_resonances(const std::vector<DeadEnd>& ends, std::vector<MeshOpening>& openings) {
  constexpr double largest = 1.2;  // the side of a cube of as much volume, times the wave number
  for (MeshOpening& one : openings) {
    double mesh = 0.0, grid = 0.0;
    bool dead_end = true;
    std::size_t last = 0;
    for (std::size_t i = 0; i < openings.size(); ++i) {
      const auto& [a, b] = openings[i].parts;
      if (openings[i].parts == one.parts) {
        mesh += ends[i].conductance;
        grid += ends[i].conductance * openings[i].conductance;
        last = i;
      } else if (a == one.parts[1] || b == one.parts[1]) {
        dead_end = false;
      }
    }
    const double other = 1.0 / ends[last].before, wave = std::sqrt(mesh * (1.0 / one.behind + other));
    if (!dead_end || wave * std::cbrt(one.behind) > largest) continue;
    one.resonance = wave;
    one.resonance_on_grid = std::sqrt(grid * (1.0 / ends[last].behind_on_grid + other));
  }
}

}  // namespace

std::vector<MeshOpening> fit_openings(const Mesh& mesh, const MeshGrid& grid, const SpaceRegions& regions,
                                      const GridSides& sides, Voxels& voxels) {
  std::vector<MeshOpening> all;
  std::vector<DeadEnd> dead_ends;
  constexpr double min_of_volume = 0.03;                       // that is corrected
  constexpr double too_closed = 0.7, widest = 1e6;             // of the conductance; of passages
  constexpr double min_of_neck = 0.7, min_conductance = 1e-3;  // of the opening alone; of its width
  // Radians between an opening's place in the mesh and on the grid: beside the node of a mode the level changes by some 2 dB.
  constexpr double max_phase = 0.15;
  if (regions.openings().empty()) return all;
  if (grid.cut) sides.close_leaks(grid, regions, voxels);
  std::vector<SpaceBox> boxes;
  for (const NarrowOpening& one : regions.openings()) boxes.push_back(around(one, grid));
  GridPassages passages(grid, voxels, boxes);
  for (std::size_t i = 0; i < regions.openings().size() && i < max_openings; ++i) {
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
    if (space.conductance() < min_of_neck * alone || space.conductance() < min_conductance * one.width)
      space = about(regions.times());
    MeshOpening found{one.position, one.width, one.behind, 0.0, 0.0, 0.0, 0.0, one.parts};
    double volume = one.behind;  // on the grid
    const double wanted = std::max(space.conductance(), min_of_neck * alone);
    if (!(wanted > 0.0)) continue;
    const Way way(grid, one, sides, space, passages);
    if (grid.cut) close_beside(grid, boxes[i], way, passages);
    GridOpening on_grid(grid, passages, space, boxes[i]);
    if (grid.cut &&
        (on_grid.closed() || on_grid.conductance(1.0) < too_closed * wanted || on_grid.conductance(widest) < wanted)) {
      open_way(grid, space, way, passages);
      on_grid = GridOpening(grid, passages, space, boxes[i]);
    }
    if (!on_grid.closed()) {
      const double has = grid.cut ? fit_way(on_grid, wanted, passages) : on_grid.conductance(1.0);
      found.conductance = has / wanted;
      if (const double now = on_grid.behind(grid, passages); now > 0.0) {
        if (grid.cut && std::abs(now / one.behind - 1.0) > min_of_volume)
          on_grid.scale_behind(one.behind / now, passages);
        volume = on_grid.behind(grid, passages);
      }
      found.wave = std::min(held_up_to(wanted, space.between_volume(), has, on_grid.between_volume(grid, passages)),
                            max_phase / beside(space.middle(), on_grid.middle(grid)));
    }
    all.push_back(found);
    dead_ends.push_back({wanted, one.before, volume});
  }
  find_resonances(dead_ends, all);
  if (grid.cut) passages.write(voxels);
  return all;
}

}  // namespace fdtd
