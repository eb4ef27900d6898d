#include "engine/voxels/whole_room.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/parallel_failure.hpp"
#include "engine/voxels/shared/plane_sums.hpp"
#include "engine/voxels/space/point_places.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;
using Crossings = std::array<AxisCrossings, 3>;
using AreasByAxis = std::vector<std::array<double, 3>>;  // one for each material of the mesh
using Normals = std::vector<std::array<float, 3>>;       // one for each triangle

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

// The projected area of each material (m2).
AreasByAxis projected_areas(const Mesh& mesh) {
  AreasByAxis projected(mesh.materials.size(), std::array<double, 3>{});
  std::set<std::pair<std::array<std::uint32_t, 3>, std::uint16_t>> known;  // duplicate facets are crossed once
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    auto corners = mesh.triangles[t];
    std::sort(corners.begin(), corners.end());
    if (!known.emplace(corners, mesh.material[t]).second) continue;
    const Point v = area_vector(mesh, t);
    for (std::size_t d = 0; d < 3; ++d) projected[mesh.material[t]][d] += 0.5 * std::abs(v[d]);
  }
  return projected;
}

// The factors for the areas of the faces, by material and axis: from the faces to the area next to air, line by line,
// and from there to the projected area of the surface, which lines cross more or less often than its area requires.
AreasByAxis area_corrections(const Mesh& mesh, const MeshGrid& grid, const Crossings& crossings,
                             const AreasByAxis& bordering, const std::vector<SlabFaces>& slabs,
                             const PlanePartition& partition) {
  const auto [begin, end] = partition.planes(grid.size[2]);
  const std::size_t materials = mesh.materials.size();
  PlaneSums on_faces(begin, end, 3 * materials);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const SlabFaces& slab = slabs[i];
    for (std::size_t f = 0; f < slab.faces.size(); ++f)
      on_faces.at(begin + static_cast<int>(i), 3 * std::size_t{mesh.material[slab.triangles[f]]} +
                                                   slab.faces[f].side / 2U) += static_cast<double>(slab.faces[f].area);
  }
  const std::vector<double> faces = on_faces.total(partition);
  AreasByAxis result = projected_areas(mesh);
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<std::uint64_t> hits(materials, 0);
    const std::vector<std::uint64_t> all = gathered(crossings[d].hits, partition);
    for (std::size_t i = 0; i < all.size(); ++i) hits[i % materials] += all[i];
    for (std::size_t m = 0; m < materials; ++m) {
      const double sampling = corrected(result[m][d], static_cast<double>(hits[m]) * face_area(grid, d));
      result[m][d] = sampling * corrected(bordering[m][d], faces[3 * m + d]);
    }
  }
  return result;
}

// Of each part of the air the factor that gives surface / volume its value between the facets; adds their volumes to
// that of the room.
std::map<std::int64_t, double> shrinkage(const std::vector<SlabFaces>& slabs, const SpaceParts& parts,
                                         const MeshGrid& grid, const PlanePartition& partition, WholeRoom& room) {
  struct Missing {
    std::int64_t part;
    double volume;
  };
  std::vector<Missing> mine;  // plane by plane
  for (const SlabFaces& slab : slabs)
    for (const auto& [part, volume] : slab.missing_volume) mine.push_back({part, volume});
  std::map<std::int64_t, double> missing, shrink;
  for (const Missing& one : gathered(mine, partition)) missing[one.part] += one.volume;
  const double cell = grid.spacing[0] * grid.spacing[1] * grid.spacing[2];
  for (const auto& [part, volume] : missing) {
    const auto in_voxels = static_cast<double>(parts.voxels(part));
    const double between = in_voxels * corrected(in_voxels + volume, in_voxels);
    shrink[part] = 1.0 / corrected(between, in_voxels);
    room.volume += cell * between;
  }
  return shrink;
}

}  // namespace

WholeRoom whole_room(const Mesh& mesh, const MeshGrid& grid, const Crossings& crossings, const AirMask& air,
                     const SpaceParts& parts, const Normals& normals, const AreasByAxis& bordering,
                     const PlanePartition& partition) {
  const Walls walls(mesh, grid, crossings);
  const auto [begin, end] = partition.planes(grid.size[2]);
  const int first = begin;
  std::vector<SlabFaces> slabs(static_cast<std::size_t>(end - begin));
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    failure.guard([&] { slabs[i] = faces_of_slab(air, parts, walls, normals, first + static_cast<int>(i)); });
  }
  failure.rethrow();

  WholeRoom room;
  const AreasByAxis correction = area_corrections(mesh, grid, crossings, bordering, slabs, partition);
  std::map<std::int64_t, double> shrink = shrinkage(slabs, parts, grid, partition, room);
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  const auto part_of = [&](std::uint64_t node) {
    return parts.part(static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny));
  };
  PlaneSums areas(begin, end, mesh.materials.size());
  std::size_t count = 0;
  for (const SlabFaces& slab : slabs) count += slab.faces.size();
  room.faces.reserve(count);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    SlabFaces& slab = slabs[i];
    for (std::size_t f = 0; f < slab.faces.size(); ++f) {
      BoundaryFace face = slab.faces[f];
      face.material = mesh.material[slab.triangles[f]];
      const std::size_t axis = face.side / 2U;
      const double area = static_cast<double>(face.area) * correction[face.material][axis];
      areas.at(first + static_cast<int>(i), face.material) += area * face_area(grid, axis);
      const double factor = shrink.size() == 1 ? shrink.begin()->second : shrink[part_of(face.node)];
      face.area = static_cast<float>(area * factor);
      room.faces.push_back(face);
    }
    slab = {};
  }
  room.areas = areas.total(partition);
  return room;
}

}  // namespace fdtd
