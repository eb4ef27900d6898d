#include "engine/voxels/voxelise_mesh.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/distinct.hpp"
#include "engine/voxels/cut/cut_room.hpp"
#include "engine/voxels/openings/opening_flow.hpp"
#include "engine/voxels/shared/plane_lists.hpp"
#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/leak.hpp"
#include "engine/voxels/space/point_places.hpp"
#include "engine/voxels/space/space_parts.hpp"
#include "engine/voxels/wall_layers.hpp"
#include "engine/voxels/whole_room.hpp"
#include "scenes/mesh/mesh_sight.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

// Sources and receivers among the parts of space.
class Points {
 public:
  // `joined`: parts of `all` that count as one.
  Points(const Mesh& mesh, const MeshGrid& grid, const std::vector<Point>& sources, const std::vector<Point>& receivers,
         const SpaceParts& all, MeshVoxels& result, std::map<std::int64_t, std::int64_t> joined = {})
      : grid_(grid), all_(all), result_(result), joined_(std::move(joined)), sources_(sources.size()) {
    std::vector<Point> points = sources;
    points.insert(points.end(), receivers.begin(), receivers.end());
    sights_ = voxels_in_sight(mesh, grid, points);
    parts_ = parts_of(all, sights_);
    for (std::vector<std::int64_t>& parts : parts_)
      for (std::int64_t& part : parts) part = one_of(part);
    for (std::size_t s = 0; s < sources_; ++s) {
      result.sources.push_back(place(sights_[s], parts_[s]));
      const PlacedPoint& placed = result.sources.back();
      if (placed.where == PlacedPoint::Where::apart) wanted_.insert(placed.part);
      if (placed.where == PlacedPoint::Where::outside && !result.leaking) result.leaking = s;
    }
  }
  bool wanted(std::int64_t part) const { return wanted_.count(one_of(part)) > 0; }
  const std::vector<std::vector<Voxel>>& sights() const { return sights_; }
  const std::vector<std::int64_t>& parts(std::size_t i) const { return parts_[i]; }  // of each voxel in sight

  // Calls settle(point, i) for those in parts that are wanted; air that it leaves at a source reaches its part.
  // Receivers are in air only there.
  template <class Settle>
  std::set<std::int64_t> settle(const Settle& settle) {
    std::set<std::int64_t> reached;
    for (std::size_t s = 0; s < sources_; ++s) {
      PlacedPoint& point = result_.sources[s];
      if (point.where == PlacedPoint::Where::apart && wanted(point.part)) settle(point, s);
      if (point.where == PlacedPoint::Where::air) reached.insert(point.part);
    }
    for (std::size_t i = sources_; i < sights_.size(); ++i) {
      PlacedPoint point = place(sights_[i], parts_[i]);
      if (!wanted(point.part)) {
        if (point.where == PlacedPoint::Where::apart)
          point.part_volume =
              static_cast<double>(all_.voxels(point.part)) * grid_.spacing[0] * grid_.spacing[1] * grid_.spacing[2];
      } else if (point.where == PlacedPoint::Where::apart) {
        settle(point, i);
        if (point.where == PlacedPoint::Where::air && reached.count(point.part) == 0)
          point.where = PlacedPoint::Where::apart;
      }
      result_.receivers.push_back(point);
    }
    return reached;
  }

 private:
  std::int64_t one_of(std::int64_t part) const {
    const auto found = joined_.find(part);
    return found == joined_.end() ? part : found->second;
  }

  const MeshGrid& grid_;
  const SpaceParts& all_;
  MeshVoxels& result_;
  std::map<std::int64_t, std::int64_t> joined_;
  std::size_t sources_;
  std::vector<std::vector<Voxel>> sights_;
  std::vector<std::vector<std::int64_t>> parts_;
  std::set<std::int64_t> wanted_;
};

// For each process its own planes and `more` on both sides.
std::vector<std::array<int, 2>> wider_planes(int planes, int more, PlanePartition partition) {
  std::vector<std::array<int, 2>> ranges;
  for (partition.index = 0; partition.index < partition.count; ++partition.index) {
    const auto [begin, end] = partition.planes(planes);
    ranges.push_back(begin < end ? std::array{std::max(0, begin - more), std::min(planes, end + more)}
                                 : std::array{begin, end});
  }
  return ranges;
}

// All voxels of the own planes.
AirMask own_space(const std::array<int, 3>& size, const PlanePartition& partition) {
  const auto [begin, end] = partition.planes(size[2]);
  return begin < end ? AirMask({size[0], size[1], end - begin}) : AirMask();
}

// Of the parts of space that narrow openings join, each with the lowest number among those that belong together: lines
// between the voxels' centres may miss the opening, and the nodes on its two sides are to be of one room.
std::map<std::int64_t, std::int64_t> joined_parts(const SpaceRegions& regions, const SpaceParts& all,
                                                  const MeshGrid& grid) {
  std::vector<Voxel> voxels;
  std::vector<std::size_t> opening;
  for (std::size_t i = 0; i < regions.openings().size(); ++i) {
    for (const std::uint32_t part : regions.openings()[i].parts) {
      const Voxel home = voxel_around(grid, regions.widest_place(part));
      for (int n = 0; n < 27; ++n) {
        const Voxel v = {home[0] + n % 3 - 1, home[1] + n / 3 % 3 - 1, home[2] + n / 9 - 1};
        bool in_grid = true;
        for (std::size_t d = 0; d < 3; ++d) in_grid = in_grid && v[d] >= 0 && v[d] < grid.size[d];
        if (!in_grid || regions.part_at(centre_of(grid, v)) != part) continue;
        voxels.push_back(v);
        opening.push_back(i);
      }
    }
  }
  const std::vector<std::int64_t> found = all.parts_at(voxels);
  std::map<std::int64_t, std::int64_t> joined;
  const auto lowest = [&](std::int64_t part) {
    for (auto at = joined.find(part); at != joined.end() && at->second != part; at = joined.find(part))
      part = at->second;
    return part;
  };
  std::map<std::size_t, std::int64_t> of_opening;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == SpaceParts::outside || found[i] == SpaceParts::none) continue;
    const std::int64_t a = lowest(found[i]), b = lowest(of_opening.emplace(opening[i], a).first->second);
    joined[std::max(a, b)] = std::min(a, b);
    joined.emplace(std::min(a, b), std::min(a, b));
  }
  for (auto& [part, to] : joined) to = lowest(to);
  return joined;
}

// Points to which no sound comes because the grid closes an opening: which one, the first on their way to a source.
void find_closed_off(const SpaceRegions& regions, const std::vector<Point>& sources,
                     const std::vector<Point>& receivers, MeshVoxels& made) {
  if (std::ranges::none_of(made.openings, [](const MeshOpening& one) { return one.conductance == 0.0; })) return;
  std::set<std::uint32_t> reached;
  for (const Point& at : sources) reached.insert(regions.part_at(at));
  const auto spread = [&](const auto& passes) {
    for (bool more = true; more;) {
      more = false;
      for (const MeshOpening& one : made.openings)
        if (passes(one) && reached.contains(one.parts[0]) != reached.contains(one.parts[1]))
          more = true, reached.insert(one.parts.begin(), one.parts.end());
    }
  };
  spread([](const MeshOpening& one) { return one.conductance > 0.0; });
  std::vector<std::uint32_t> parts;
  for (const Point& at : receivers) parts.push_back(regions.part_at(at));
  // The closed ones open one by one, the widest first.
  for (std::size_t i = 0; i < made.openings.size();) {
    const MeshOpening& one = made.openings[i];
    if (one.conductance > 0.0 || reached.contains(one.parts[0]) == reached.contains(one.parts[1])) {
      ++i;
      continue;
    }
    std::vector<bool> before;
    for (const std::uint32_t part : parts) before.push_back(reached.contains(part));
    reached.insert(one.parts.begin(), one.parts.end());
    spread([](const MeshOpening& other) { return other.conductance > 0.0; });
    for (std::size_t r = 0; r < parts.size(); ++r) {
      if (before[r] || !reached.contains(parts[r]) || made.receivers[r].behind) continue;
      made.receivers[r].where = PlacedPoint::Where::apart;
      made.receivers[r].part_volume = one.behind;
      made.receivers[r].behind = i;
    }
    i = 0;
  }
}

// Points near a wall thinner than a voxel, whose voxel's node is of the room beyond it: the nearest node in sight of their
// own.
void keep_sides(const Mesh& mesh, const MeshGrid& grid, const SpaceRegions& regions, const GridSides& sides,
                const std::vector<Point>& points, const AirMask& air, std::vector<PlacedPoint>& placed) {
  const auto part_of = [&](const Voxel& v) {
    return sides.of(static_cast<std::uint64_t>(v[0]) +
                    static_cast<std::uint64_t>(grid.size[0]) *
                        (static_cast<std::uint64_t>(v[1]) +
                         static_cast<std::uint64_t>(grid.size[1]) * static_cast<std::uint64_t>(v[2])));
  };
  std::vector<std::size_t> moved;
  std::vector<Point> from;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint32_t part = regions.part_at(points[i]);
    if (placed[i].where != PlacedPoint::Where::air || !regions.has_openings(part) || part_of(placed[i].voxel) == part)
      continue;
    moved.push_back(i);
    from.push_back(points[i]);
  }
  if (moved.empty()) return;
  const std::vector<std::vector<Voxel>> sights = voxels_in_sight(mesh, grid, from);
  for (std::size_t n = 0; n < moved.size(); ++n)
    for (const Voxel& v : sights[n]) {
      if (!air(v[0], v[1], v[2]) || part_of(v) != regions.part_at(from[n])) continue;
      placed[moved[n]].voxel = v;
      break;
    }
}

// The voxels of the room are whole: those near its surfaces become wall.
void fill_whole(const Mesh& mesh, const MeshGrid& grid, const std::vector<Point>& sources,
                const std::vector<Point>& receivers, MeshVoxels& result) {
  const PlanePartition& partition = grid.partition;
  const auto here = static_cast<std::size_t>(partition.index);
  const auto [begin, end] = partition.planes(grid.size[2]);
  const std::array<int, 2> known = wider_planes(grid.size[2], planes_beside_walls, partition)[here];
  const std::array<AxisCrossings, 3> crossings =
      find_crossings(mesh, grid.size, grid.spacing, grid.corner, {known[0], known[1]}, {begin, end});
  OpenLinks open = open_links(grid.size, crossings, {begin, end});
  const SpaceParts all(own_space(grid.size, partition), open, grid.size, partition);
  Points points(mesh, grid, sources, receivers, all, result);
  if (result.leaking) return;
  MaskPlanes space = all.mask([&](std::int64_t part) { return points.wanted(part); });
  const auto normals = unit_normals(mesh);
  const WallLayers layers =
      wall_layers(mesh, grid.size, planes_of_all(space, grid.size, wider_planes(grid.size[2], 1, partition), partition),
                  crossings, normals, partition);
  const auto close = [&](const std::vector<Voxel>& voxels) {
    const std::int64_t before = space.mask.count();
    for (const Voxel& v : voxels) space.mask.set(v[0], v[1], v[2] - space.begin, false);
    return before - space.mask.count();
  };
  for (const std::int64_t one : gathered(std::vector<std::int64_t>{close(layers.thin)}, partition))
    result.thin_voxels += one;
  close(layers.notches);

  // Layers of wall may have separated parts of the air: only what is connected to a source remains.
  const SpaceParts parts(space.mask, open, grid.size, partition);
  open = {};  // frees three masks
  space = {};
  const std::vector<std::vector<std::int64_t>> in_sight = parts_of(parts, points.sights());
  const std::set<std::int64_t> reached = points.settle([&](PlacedPoint& point, std::size_t i) {
    const PlacedPoint now = place(points.sights()[i], in_sight[i]);
    point = now.where == PlacedPoint::Where::apart ? now : PlacedPoint{};
    if (point.where == PlacedPoint::Where::apart) point.where = PlacedPoint::Where::air;
  });
  AirMask& air = result.voxels.air;
  air = whole_mask(parts.mask([&](std::int64_t part) { return reached.count(part) > 0; }), grid.size, partition);
  const auto [nx, ny, nz] = grid.size;
  if (air.count() == std::int64_t{nx} * ny * nz) air = AirMask(grid.size);  // a box
  WholeRoom room = whole_room(mesh, grid, crossings, air, parts, normals, layers.bordering, partition);
  result.voxels.faces = std::move(room.faces);
  result.areas = std::move(room.areas);
  result.air_volume = room.volume;
}

// Of nodes near points that do not contain their voxel's centre: a point of the lattice that they contain.
using Insides = std::map<std::uint64_t, std::array<int, 3>>;

std::uint64_t voxel_number(const MeshGrid& grid, const Voxel& v) {
  return static_cast<std::uint64_t>(v[0]) +
         static_cast<std::uint64_t>(grid.size[0]) *
             (static_cast<std::uint64_t>(v[1]) +
              static_cast<std::uint64_t>(grid.size[1]) * static_cast<std::uint64_t>(v[2]));
}

// Among the voxels of `sights` and of the points themselves, `homes`; of all processes.
Insides insides_of(const CutRoom& room, const MeshGrid& grid, const std::vector<std::vector<Voxel>>& sights,
                   const std::vector<Voxel>& homes, const PlanePartition& partition) {
  struct Inside {
    std::uint64_t node;
    std::array<int, 3> point;
  };
  std::vector<Inside> mine;
  const auto add = [&](const Voxel& v) {
    const std::uint64_t node = voxel_number(grid, v);
    const auto at = std::lower_bound(room.off_centre.begin(), room.off_centre.end(), node);
    if (at != room.off_centre.end() && *at == node)
      mine.push_back({node, room.inside[static_cast<std::size_t>(at - room.off_centre.begin())]});
  };
  for (const std::vector<Voxel>& sight : sights)
    for (const Voxel& v : sight) add(v);
  for (const Voxel& v : homes) add(v);
  Insides insides;
  for (const Inside& one : gathered(std::move(mine), partition)) insides.emplace(one.node, one.point);
  return insides;
}

// Of each point: does it see the lattice's point inside the node of its own voxel, where that has one?
std::vector<bool> insides_in_sight(const Mesh& mesh, const MeshGrid& grid, const CutLattice& lattice,
                                   const Insides& insides, const std::vector<Point>& points,
                                   const std::vector<Voxel>& homes) {
  std::vector<std::size_t> numbers;
  std::vector<Point> seen;
  std::vector<AxisBox> boxes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto inside = insides.find(voxel_number(grid, homes[i]));
    if (inside == insides.end()) continue;
    numbers.push_back(i);
    const Point& at = points[i];
    const Point& to = seen.emplace_back(lattice.position(inside->second));
    AxisBox& box = boxes.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) box.low[d] = std::min(at[d], to[d]), box.high[d] = std::max(at[d], to[d]);
  }
  std::vector<bool> sees(points.size(), false);
  if (numbers.empty()) return sees;
  const std::vector<std::vector<std::uint32_t>> near = triangles_near(mesh, boxes);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    sees[numbers[n]] = free_between(mesh, near[n], points[numbers[n]], seen[n]);
  return sees;
}

// Voxels are cut by the surfaces that pass through them.
void fill_cut(const Mesh& mesh, const MeshGrid& grid, const std::vector<Point>& sources,
              const std::vector<Point>& receivers, const SpaceRegions* regions, MeshVoxels& result) {
  const PlanePartition& partition = grid.partition;
  const auto [begin, end] = partition.planes(grid.size[2]);
  const CutLattice lattice(mesh, grid.size, grid.spacing, grid.corner, CutCells::known_planes(grid.size[2], partition));
  const SpaceParts all(own_space(grid.size, partition), lattice.open_links({begin, end}), grid.size, partition);
  Points points(mesh, grid, sources, receivers, all, result,
                regions == nullptr ? std::map<std::int64_t, std::int64_t>{} : joined_parts(*regions, all, grid));
  if (result.leaking) return;
  CutRoom room = cut_room(mesh, lattice, grid.spacing,
                          planes_of_all(all.mask([&](std::int64_t part) { return points.wanted(part); }), grid.size,
                                        CutCells::known_voxels(grid.size[2], partition), partition),
                          partition, grid.linked);
  std::vector<Voxel> homes;
  for (const auto* list : {&sources, &receivers})
    for (const Point& at : *list) homes.push_back(voxel_around(grid, at));
  const Insides insides = insides_of(room, grid, points.sights(), homes, partition);
  std::vector<Point> all_points = sources;
  all_points.insert(all_points.end(), receivers.begin(), receivers.end());
  const std::vector<bool> inside_in_sight = insides_in_sight(mesh, grid, lattice, insides, all_points, homes);
  points.settle([&](PlacedPoint& point, std::size_t i) {
    const Voxel& home = homes[i];
    point.where = PlacedPoint::Where::air;
    if (inside_in_sight[i] && room.air(home[0], home[1], home[2])) {
      point.voxel = home;
      return;
    }
    const std::vector<Voxel>& sight = points.sights()[i];
    for (std::size_t s = 0; s < sight.size(); ++s) {
      const Voxel& v = sight[s];
      if (points.parts(i)[s] != point.part || !room.air(v[0], v[1], v[2]) || insides.contains(voxel_number(grid, v)))
        continue;
      point.voxel = v;
      return;
    }
    point = {};
  });
  result.voxels.air = std::move(room.air);
  result.voxels.cut = std::move(room.cut);
  result.voxels.faces = std::move(room.faces);
  result.air_volume = room.volume;
  result.areas = std::move(room.areas);
}

}  // namespace

MeshVoxels voxelise_mesh(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
                         const std::vector<Point>& sources, const std::vector<Point>& receivers) {
  MeshVoxels result;
  result.voxels.spacing = grid.spacing;
  std::optional<SpaceRegions> regions;
  if (grid.openings) regions.emplace(mesh, grid, sources);
  if (grid.cut)
    fill_cut(mesh, grid, sources, receivers, regions ? &*regions : nullptr, result);
  else
    fill_whole(mesh, grid, sources, receivers, result);
  if (result.leaking) {
    result.voxels.air = AirMask::walls(grid.size);
    return result;
  }

  if (regions) {
    if (!regions->openings().empty()) {
      const GridSides sides(grid, *regions, result.voxels);
      result.openings = fit_openings(mesh, grid, *regions, sides, result.voxels);
      if (grid.cut) {
        keep_sides(mesh, grid, *regions, sides, sources, result.voxels.air, result.sources);
        keep_sides(mesh, grid, *regions, sides, receivers, result.voxels.air, result.receivers);
      }
    }
    result.searched = regions->searched();
    find_closed_off(*regions, sources, receivers, result);
  }
  Distinct numbered = distinct(materials);
  result.voxels.materials = std::move(numbered.names);
  for (BoundaryFace& face : result.voxels.faces) face.material = numbered.numbers[face.material];
  return result;
}

LeakPlace locate_leak(const Mesh& mesh, const MeshGrid& grid, const Voxel& voxel) {
  const PlaneRange all = {0, grid.size[2]};
  const OpenLinks open = grid.cut
                             ? CutLattice(mesh, grid.size, grid.spacing, grid.corner).open_links(all)
                             : open_links(grid.size, find_crossings(mesh, grid.size, grid.spacing, grid.corner), all);
  const Leak leak = find_leak(grid.size, open, voxel);
  LeakPlace place;
  for (std::size_t d = 0; d < 3; ++d) place.position[d] = grid.corner[d] + leak.voxel[d] * grid.spacing[d];
  place.width = leak.width * std::max({grid.spacing[0], grid.spacing[1], grid.spacing[2]});
  return place;
}

}  // namespace fdtd
