#include "scenes/voxelise_mesh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "scenes/crossings.hpp"
#include "scenes/cut_room.hpp"
#include "scenes/mesh_sight.hpp"
#include "scenes/parallel_failure.hpp"
#include "scenes/plane_borders.hpp"
#include "scenes/point_places.hpp"
#include "scenes/space_parts.hpp"
#include "scenes/wall_layers.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;
using Crossings = std::array<AxisCrossings, 3>;
using AreasByAxis = std::vector<std::array<double, 3>>;  // one for each material of the mesh
using Normals = std::vector<std::array<float, 3>>;       // one for each triangle

// ---- walls ---------------------------------------------------------------------------------------------------------
// The wall next to an air voxel: the facet, and the distance of its plane along the axis, in voxels from the centre.
struct WallSeen {
  std::uint32_t triangle = 0;
  double distance = 0.5;
};

class Walls {
 public:
  Walls(const Mesh& mesh, const MeshGrid& grid, const Crossings& crossings)
      : mesh_(mesh), grid_(grid), crossings_(crossings) {}

  WallSeen seen_from(const Voxel& v, int side) const {
    const auto axis = static_cast<std::size_t>(side / 2);
    const bool up = side % 2 == 1;
    for (int further = 0; further < 2; ++further) {
      Voxel link = v;
      link[axis] += up ? 1 + further : -further;
      const auto found = on_link(axis, link);
      if (found.empty()) continue;
      const Crossing& nearest = up ? found.front() : found.back();
      return {nearest.triangle, further + static_cast<double>(up ? nearest.at : 1.0F - nearest.at)};
    }
    Voxel wall = v;
    wall[axis] += up ? 1 : -1;
    return {around(wall, axis, up), 0.5};
  }

 private:
  std::span<const Crossing> on_link(std::size_t axis, const Voxel& link) const {
    const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    if (link[a] < 0 || link[b] < 0 || link[a] >= grid_.size[a] || link[b] >= grid_.size[b]) return {};
    const auto line =
        crossings_[axis].line(static_cast<std::size_t>(link[a]) +
                              static_cast<std::size_t>(grid_.size[a]) * static_cast<std::size_t>(link[b]));
    const auto [first, last] = std::equal_range(line.begin(), line.end(), Crossing{link[axis], 0.0F, 0},
                                                [](const Crossing& x, const Crossing& y) { return x.link < y.link; });
    return {first, last};
  }

  // Of the two facets of a link the one that faces the air along `axis`, if one does: the two sides of a sheet may
  // differ in material.
  std::uint32_t facing(std::span<const Crossing> found, std::size_t axis, bool up) const {
    const auto faces_air = [&](const Crossing& one) { return (area_vector(mesh_, one.triangle)[axis] < 0.0) == up; };
    const auto at = std::find_if(found.begin(), found.end(), faces_air);
    return at == found.end() ? found.front().triangle : at->triangle;
  }

  // A facet near a wall voxel, where no link from the air crosses one: on the links around it, else the nearest of all.
  std::uint32_t around(const Voxel& wall, std::size_t way, bool up) const {
    for (int reach = 0; reach < 3; ++reach) {
      for (int dz = -reach; dz <= reach; ++dz) {
        for (int dy = -reach; dy <= reach; ++dy) {
          for (int dx = -reach; dx <= reach; ++dx) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
              for (int end = 0; end < 2; ++end) {
                Voxel link = {wall[0] + dx, wall[1] + dy, wall[2] + dz};
                link[axis] += end;
                if (const auto found = on_link(axis, link); !found.empty()) return facing(found, way, up);
              }
            }
          }
        }
      }
    }
    const Point centre = centre_of(grid_, wall);
    std::uint32_t best = 0;
    double min_distance = std::numeric_limits<double>::infinity();
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      double distance = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const auto& [a, b, c] = mesh_.triangles[t];
        const double middle = (mesh_.vertices[a][d] + mesh_.vertices[b][d] + mesh_.vertices[c][d]) / 3.0;
        distance += (middle - centre[d]) * (middle - centre[d]);
      }
      if (distance >= min_distance) continue;
      min_distance = distance;
      best = t;
    }
    return best;
  }

  const Mesh& mesh_;
  const MeshGrid& grid_;
  const Crossings& crossings_;
};

// ---- areas and volumes ---------------------------------------------------------------------------------------------
double face_area(const MeshGrid& grid, std::size_t axis) {
  return grid.spacing[(axis + 1) % 3] * grid.spacing[(axis + 2) % 3];
}

constexpr double max_correction = 2.0;  // beyond it, a surface is finer than the grid
double corrected(double true_value, double grid_value) {
  if (!(true_value > 0.0 && grid_value > 0.0)) return 1.0;
  return std::clamp(true_value / grid_value, 1.0 / max_correction, max_correction);
}

struct SlabFaces {
  std::vector<BoundaryFace> faces;
  std::vector<std::uint32_t> triangles;           // one for each face
  std::map<std::int64_t, double> missing_volume;  // by part: between the faces and the facets, in voxels
};

SlabFaces faces_of_slab(const AirMask& air, const SpaceParts& parts, const Walls& walls, const Normals& normals,
                        int z) {
  SlabFaces slab;
  const auto [nx, ny, nz] = air.size();
  for (int y = 0; y < ny; ++y) {
    for (int x0 = 0; x0 < nx; x0 += 64) {
      const auto sides = face_words(air, x0, y, z);
      std::uint64_t any = sides[0] | sides[1] | sides[2] | sides[3] | sides[4] | sides[5];
      for (; any != 0; any &= any - 1) {
        const int bit = std::countr_zero(any);
        const Voxel v = {x0 + bit, y, z};
        const std::uint64_t node =
            static_cast<std::uint64_t>(v[0]) +
            static_cast<std::uint64_t>(nx) *
                (static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(z));
        for (int side = 0; side < 6; ++side) {
          if ((sides[static_cast<std::size_t>(side)] >> bit & 1U) == 0U) continue;
          const WallSeen wall = walls.seen_from(v, side);
          const double across = normals[wall.triangle][static_cast<std::size_t>(side / 2)];
          slab.faces.push_back({node, static_cast<float>(std::abs(across)), 0, static_cast<std::uint8_t>(side)});
          slab.triangles.push_back(wall.triangle);
          // The steps of a plane across each of the three axes contain the whole volume up to it: n_d^2 distributes it.
          slab.missing_volume[parts.part(v[0], v[1], v[2])] += across * across * (wall.distance - 0.5);
        }
      }
    }
  }
  return slab;
}

// The factors for the areas of the faces, by material and axis: from the faces to the area next to air, line by line,
// and from there to the projected area of the surface, which lines cross more or less often than its area requires.
AreasByAxis area_corrections(const Mesh& mesh, const MeshGrid& grid, const Crossings& crossings,
                             const AreasByAxis& bordering, const std::vector<SlabFaces>& slabs) {
  AreasByAxis projected(mesh.materials.size(), std::array<double, 3>{}), on_faces = projected, result = projected;
  std::set<std::pair<std::array<std::uint32_t, 3>, std::uint16_t>> known;  // duplicate facets are crossed once
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    auto corners = mesh.triangles[t];
    std::sort(corners.begin(), corners.end());
    if (!known.emplace(corners, mesh.material[t]).second) continue;
    const Point v = area_vector(mesh, t);
    for (std::size_t d = 0; d < 3; ++d) projected[mesh.material[t]][d] += 0.5 * std::abs(v[d]);
  }
  for (const SlabFaces& slab : slabs) {
    for (std::size_t f = 0; f < slab.faces.size(); ++f)
      on_faces[mesh.material[slab.triangles[f]]][slab.faces[f].side / 2U] += static_cast<double>(slab.faces[f].area);
  }
  for (std::size_t m = 0; m < result.size(); ++m) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double sampling =
          corrected(projected[m][d], static_cast<double>(crossings[d].hits[m]) * face_area(grid, d));
      result[m][d] = sampling * corrected(bordering[m][d], on_faces[m][d]);
    }
  }
  return result;
}

// The scene's materials, each once, in voxels.materials; returns of each material of the mesh its place there.
std::vector<std::uint16_t> number_materials(const std::vector<std::string>& materials, Voxels& voxels) {
  std::vector<std::uint16_t> number;
  for (const std::string& name : materials) {
    const auto known = std::find(voxels.materials.begin(), voxels.materials.end(), name);
    number.push_back(static_cast<std::uint16_t>(known - voxels.materials.begin()));
    if (known == voxels.materials.end()) voxels.materials.push_back(name);
  }
  return number;
}

// Fills in the faces, areas and volumes of `result`, whose air is known.
void add_faces(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
               const Crossings& crossings, const SpaceParts& parts, const Normals& normals,
               const AreasByAxis& bordering, MeshVoxels& result) {
  Voxels& voxels = result.voxels;
  const std::vector<std::uint16_t> number = number_materials(materials, voxels);
  const Walls walls(mesh, grid, crossings);
  const int nz = grid.size[2];
  std::vector<SlabFaces> slabs(static_cast<std::size_t>(nz));
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (int z = 0; z < nz; ++z) {
    failure.guard([&] { slabs[static_cast<std::size_t>(z)] = faces_of_slab(voxels.air, parts, walls, normals, z); });
  }
  failure.rethrow();

  const AreasByAxis correction = area_corrections(mesh, grid, crossings, bordering, slabs);
  std::map<std::int64_t, double> missing;
  std::size_t count = 0;
  for (const SlabFaces& slab : slabs) {
    count += slab.faces.size();
    for (const auto& [part, volume] : slab.missing_volume) missing[part] += volume;
  }
  const double cell = grid.spacing[0] * grid.spacing[1] * grid.spacing[2];
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  const auto part_of = [&](std::uint64_t node) {
    return parts.part(static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny));
  };
  std::map<std::int64_t, double> shrink;  // factor that gives surface / volume its value between the facets
  for (const auto& [part, volume] : missing) {
    const auto in_voxels = static_cast<double>(parts.voxels(part));
    const double between = in_voxels * corrected(in_voxels + volume, in_voxels);
    shrink[part] = 1.0 / corrected(between, in_voxels);
    result.air_volume += cell * between;
  }
  result.areas.assign(mesh.materials.size(), 0.0);
  voxels.faces.reserve(count);
  for (SlabFaces& slab : slabs) {
    for (std::size_t f = 0; f < slab.faces.size(); ++f) {
      BoundaryFace face = slab.faces[f];
      const std::uint16_t material = mesh.material[slab.triangles[f]];
      const std::size_t axis = face.side / 2U;
      const double area = static_cast<double>(face.area) * correction[material][axis];
      result.areas[material] += area * face_area(grid, axis);
      const double share = shrink.size() == 1 ? shrink.begin()->second : shrink[part_of(face.node)];
      face.area = static_cast<float>(area * share);
      face.material = number[material];
      voxels.faces.push_back(face);
    }
    slab = {};
  }
}

// Sources and receivers among the parts of space.
class Points {
 public:
  Points(const Mesh& mesh, const MeshGrid& grid, const std::vector<Point>& sources, const std::vector<Point>& receivers,
         const SpaceParts& all, MeshVoxels& result)
      : grid_(grid), all_(all), result_(result), sources_(sources.size()) {
    for (const auto* list : {&sources, &receivers})
      for (const Point& at : *list) sights_.push_back(voxels_in_sight(mesh, grid, at));
    for (std::size_t s = 0; s < sources_; ++s) {
      result.sources.push_back(place(all, sights_[s]));
      const PlacedPoint& placed = result.sources.back();
      if (placed.where == PlacedPoint::Where::apart) wanted_.insert(placed.part);
      if (placed.where == PlacedPoint::Where::outside && !result.leaking) result.leaking = s;
    }
  }
  bool wanted(std::int64_t part) const { return wanted_.count(part) > 0; }
  const std::vector<Voxel>& sight(std::size_t i) const { return sights_[i]; }

  // Calls settle(point, i) for those in parts that are wanted; what it leaves `air` in a source reaches its part.
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
      PlacedPoint point = place(all_, sights_[i]);
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
  const MeshGrid& grid_;
  const SpaceParts& all_;
  MeshVoxels& result_;
  std::size_t sources_;
  std::vector<std::vector<Voxel>> sights_;
  std::set<std::int64_t> wanted_;
};

// The voxels of the room are whole: those near its surfaces become wall.
void fill_whole(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
                const std::vector<Point>& sources, const std::vector<Point>& receivers, MeshVoxels& result) {
  const Crossings crossings = find_crossings(mesh, grid.size, grid.spacing, grid.corner);
  OpenLinks open = open_links(grid.size, crossings);
  const SpaceParts all(AirMask(grid.size), open);
  Points points(mesh, grid, sources, receivers, all, result);
  if (result.leaking) return;
  AirMask space = all.mask([&](std::int64_t part) { return points.wanted(part); });
  const auto normals = unit_normals(mesh);
  const WallLayers layers = wall_layers(mesh, space, crossings, normals);
  const std::int64_t reachable = space.count();
  for (const Voxel& v : layers.thin) space.set(v[0], v[1], v[2], false);
  result.thin_voxels = reachable - space.count();
  for (const Voxel& v : layers.notches) space.set(v[0], v[1], v[2], false);

  // Layers of wall may have separated parts of the air: only what is connected to a source remains.
  const SpaceParts parts(space, open);
  open = {};  // frees three masks
  space = {};
  const std::set<std::int64_t> reached = points.settle([&](PlacedPoint& point, std::size_t i) {
    const PlacedPoint now = place(parts, points.sight(i));
    point = now.where == PlacedPoint::Where::apart ? now : PlacedPoint{};
    if (point.where == PlacedPoint::Where::apart) point.where = PlacedPoint::Where::air;
  });
  result.voxels.air = parts.mask([&](std::int64_t part) { return reached.count(part) > 0; });
  const auto [nx, ny, nz] = grid.size;
  if (result.voxels.air.count() == std::int64_t{nx} * ny * nz) result.voxels.air = AirMask(grid.size);  // a box
  add_faces(mesh, materials, grid, crossings, parts, normals, layers.bordering, result);
}

// Which centres of voxels see each other, in the planes of all processes.
OpenLinks open_links_of(const CutLattice& lattice, const PlaneShare& share) {
  const std::array<int, 2> own = share.planes(lattice.size()[2]);
  CutLattice::ClosedLinks closed = lattice.closed_links({own[0], own[1]});
  if (share.whole()) return open_links(lattice.size(), closed);
  std::vector<std::byte> mine;
  for (auto& list : closed) pack(list, mine), list.clear();
  for (const std::vector<std::byte>& bytes : share.gather(mine)) {
    std::span<const std::byte> rest = bytes;
    for (auto& list : closed) unpack(rest, list);
  }
  return open_links(lattice.size(), closed);
}

// Voxels are cut by the surfaces that pass through them.
void fill_cut(const Mesh& mesh, const std::vector<std::string>& materials, const MeshGrid& grid,
              const std::vector<Point>& sources, const std::vector<Point>& receivers, MeshVoxels& result) {
  PlaneShare share = grid.share;
  if (!share.whole()) share.borders = plane_borders(mesh, grid.size, grid.spacing, grid.corner, share.count);
  const CutLattice lattice(mesh, grid.size, grid.spacing, grid.corner, CutCells::known_planes(grid.size[2], share));
  const SpaceParts all(AirMask(grid.size), open_links_of(lattice, share));
  Points points(mesh, grid, sources, receivers, all, result);
  if (result.leaking) return;
  CutRoom room =
      cut_room(mesh, lattice, grid.spacing, all.mask([&](std::int64_t part) { return points.wanted(part); }), share);
  const auto off_centre = [&](const Voxel& v) {
    const std::uint64_t node = static_cast<std::uint64_t>(v[0]) +
                               static_cast<std::uint64_t>(grid.size[0]) *
                                   (static_cast<std::uint64_t>(v[1]) +
                                    static_cast<std::uint64_t>(grid.size[1]) * static_cast<std::uint64_t>(v[2]));
    const auto at = std::lower_bound(room.off_centre.begin(), room.off_centre.end(), node);
    return at != room.off_centre.end() && *at == node
               ? &room.inside[static_cast<std::size_t>(at - room.off_centre.begin())]
               : nullptr;
  };
  points.settle([&](PlacedPoint& point, std::size_t i) {
    const Point& at = i < sources.size() ? sources[i] : receivers[i - sources.size()];
    const Voxel home = voxel_around(grid, at);
    point.where = PlacedPoint::Where::air;
    if (const std::array<int, 3>* const inside = off_centre(home)) {
      // The node of the point's own voxel, if it sees that.
      const Point seen = lattice.position(*inside);
      Point low{}, high{};
      for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(at[d], seen[d]), high[d] = std::max(at[d], seen[d]);
      if (room.air(home[0], home[1], home[2]) && free_between(mesh, triangles_near(mesh, low, high), at, seen)) {
        point.voxel = home;
        return;
      }
    }
    for (const Voxel& v : points.sight(i)) {
      if (all.part(v[0], v[1], v[2]) != point.part || !room.air(v[0], v[1], v[2]) || off_centre(v) != nullptr) continue;
      point.voxel = v;
      return;
    }
    point = {};
  });
  const std::vector<std::uint16_t> number = number_materials(materials, result.voxels);
  for (BoundaryFace& face : room.faces) face.material = number[face.material];
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
  (grid.cut ? fill_cut : fill_whole)(mesh, materials, grid, sources, receivers, result);
  if (result.leaking) result.voxels.air = AirMask::walls(grid.size);
  return result;
}

LeakPlace locate_leak(const Mesh& mesh, const MeshGrid& grid, const Voxel& voxel) {
  const OpenLinks open = grid.cut ? open_links_of(CutLattice(mesh, grid.size, grid.spacing, grid.corner), {})
                                  : open_links(grid.size, find_crossings(mesh, grid.size, grid.spacing, grid.corner));
  const Leak leak = find_leak(grid.size, open, voxel);
  LeakPlace place;
  for (std::size_t d = 0; d < 3; ++d) place.position[d] = grid.corner[d] + leak.voxel[d] * grid.spacing[d];
  place.width = leak.width * std::max({grid.spacing[0], grid.spacing[1], grid.spacing[2]});
  return place;
}

}  // namespace fdtd
