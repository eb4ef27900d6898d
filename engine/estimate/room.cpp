#include "engine/estimate/room.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "engine/estimate/parts.hpp"

namespace fdtd {
namespace {

// Bit b: cell (x - 1 + b % 2, y - 1 + b / 2 % 2, z - 1 + b / 4) around a node is air.
unsigned around(const DiffusionRoom& room, int x, int y, int z) {
  unsigned bits = 0;
  for (int b = 0; b < 8; ++b)
    if (room.is_air(x - 1 + b % 2, y - 1 + b / 2 % 2, z - 1 + b / 4)) bits |= 1U << b;
  return bits;
}

// The cells that faces connect with the lowest set bit, of the eight around a node.
unsigned connected(unsigned bits) {
  unsigned found = bits & (~bits + 1U);
  while (true) {
    unsigned more = found;
    for (unsigned b = 0; b < 8; ++b)
      if (found >> b & 1U)
        for (const unsigned flip : {1U, 2U, 4U}) more |= (1U << (b ^ flip)) & bits;
    if (more == found) return found;
    found = more;
  }
}

void unpinch(DiffusionRoom& room, const std::vector<bool>& keep) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int z = 0; z <= room.cells[2]; ++z)
      for (int y = 0; y <= room.cells[1]; ++y)
        for (int x = 0; x <= room.cells[0]; ++x) {
          const unsigned bits = around(room, x, y, z);
          if (bits == 0 || bits == 255U) continue;
          const unsigned one = connected(bits), other = bits & ~one;
          if (other == 0) continue;
          const unsigned first = std::popcount(one) <= std::popcount(other) ? one : other;
          for (const unsigned part : {first, bits & ~first}) {
            bool held = false;
            std::vector<std::size_t> cells;
            for (int b = 0; b < 8; ++b)
              if (part >> b & 1U) {
                cells.push_back(room.cell_of(x - 1 + b % 2, y - 1 + b / 2 % 2, z - 1 + b / 4));
                held = held || keep[cells.back()];
              }
            if (held) continue;
            for (const std::size_t cell : cells) room.air[cell] = 0.0F;
            changed = true;
            break;
          }
        }
  }
}

// The faces of the air as it now is; newly exposed faces take the material of the wall that they replace.
void make_walls(DiffusionRoom& room, const Voxels& voxels) {
  const auto& h = room.spacing;
  const std::array<double, 3> face = {h[1] * h[2], h[0] * h[2], h[0] * h[1]};
  std::map<std::uint64_t, const BoundaryFace*> given, any;
  std::vector<double> before(voxels.materials.size(), 0.0), after = before;
  for (const BoundaryFace& one : voxels.faces) {
    given[one.node * 6 + one.side] = &one;
    any.emplace(one.node, &one);
    before[one.material] += static_cast<double>(one.area) * face[one.side / 2];
  }
  const std::array<std::array<int, 3>, 6> steps = {
      {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  for (int z = 0; z < room.cells[2]; ++z)
    for (int y = 0; y < room.cells[1]; ++y)
      for (int x = 0; x < room.cells[0]; ++x) {
        if (!room.is_air(x, y, z)) continue;
        const std::size_t cell = room.cell_of(x, y, z);
        for (std::uint8_t side = 0; side < 6; ++side) {
          const auto& step = steps[side];
          const int nx = x + step[0], ny = y + step[1], nz = z + step[2];
          if (room.is_air(nx, ny, nz)) continue;
          const BoundaryFace* of = nullptr;
          if (const auto found = given.find(cell * 6 + side); found != given.end()) of = found->second;
          if (of == nullptr && voxels.air(nx, ny, nz))
            if (const auto found = any.find(room.cell_of(nx, ny, nz)); found != any.end()) of = found->second;
          if (of == nullptr) continue;
          const double area = static_cast<double>(of->area) * face[side / 2];
          room.walls.push_back({static_cast<std::int32_t>(cell), side, of->material, area});
          after[of->material] += area;
        }
      }
  for (DiffusionRoom::Wall& wall : room.walls)
    if (after[wall.material] > 0.0) wall.area *= before[wall.material] / after[wall.material];
}

}  // namespace

std::array<int, 3> DiffusionRoom::cell_at(const std::array<double, 3>& place) const {
  std::array<int, 3> cell{};
  for (std::size_t d = 0; d < 3; ++d)
    cell[d] = std::clamp(static_cast<int>(std::floor(place[d] / spacing[d])), 0, cells[d] - 1);
  return cell;
}

DiffusionRoom make_diffusion_room(const Voxels& voxels, double volume, std::vector<std::array<double, 3>> sources,
                                  std::vector<std::array<double, 3>> receivers) {
  DiffusionRoom room;
  room.cells = voxels.air.size();
  room.spacing = voxels.spacing;
  room.materials = voxels.materials;
  room.sources = std::move(sources);
  room.receivers = std::move(receivers);
  const std::size_t count = room.cell_of(0, 0, room.cells[2]);
  room.air.assign(count, 0.0F);
  for (int z = 0; z < room.cells[2]; ++z)
    for (int y = 0; y < room.cells[1]; ++y)
      for (int x = 0; x < room.cells[0]; ++x)
        if (voxels.air(x, y, z)) room.air[room.cell_of(x, y, z)] = 1.0F;
  for (const CutFraction& one : voxels.cut.volumes)
    if (room.air[one.node] > 0.0F) room.air[one.node] = std::max(one.fraction, 1e-3F);
  const double cell = room.spacing[0] * room.spacing[1] * room.spacing[2];
  const auto volume_of_cells = [&] {
    return cell * std::accumulate(room.air.begin(), room.air.end(), 0.0,
                                  [](double sum, float fraction) { return sum + static_cast<double>(fraction); });
  };
  const double in_voxels = volume_of_cells();
  if (!voxels.air.all_air()) {
    std::vector<bool> keep(count, false);
    for (const auto& places : {room.sources, room.receivers})
      for (const auto& place : places) {
        const auto at = room.cell_at(place);
        keep[room.cell_of(at[0], at[1], at[2])] = true;
      }
    unpinch(room, keep);
  }
  make_walls(room, voxels);
  // All that is proportional to volume and area is that of the room, not of its voxels: areas are those of walls that
  // enclose `in_voxels`.
  room.volume = volume;
  const double now = volume_of_cells();
  for (float& fraction : room.air) fraction *= static_cast<float>(volume / now);
  for (DiffusionRoom::Wall& wall : room.walls) wall.area *= volume / in_voxels;
  room.areas.assign(room.materials.size(), 0.0);
  for (const DiffusionRoom::Wall& wall : room.walls) {
    room.areas[wall.material] += wall.area;
    room.area += wall.area;
  }
  room.open = std::ranges::none_of(room.air, [](float fraction) { return fraction <= 0.0F; });
  find_parts(room);
  return room;
}

bool in_sight(const DiffusionRoom& room, const std::array<double, 3>& from, const std::array<double, 3>& to) {
  if (room.open) return true;
  std::array<int, 3> at = room.cell_at(from);
  const std::array<int, 3> end = room.cell_at(to);
  std::array<double, 3> next{}, step{};  // of the line's parameter, to the next plane of cells along each axis
  std::array<int, 3> way{};
  int left = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double along = to[d] - from[d];
    way[d] = end[d] > at[d] ? 1 : -1;
    left += std::abs(end[d] - at[d]);
    step[d] = end[d] == at[d] ? std::numeric_limits<double>::infinity() : room.spacing[d] / std::abs(along);
    const double plane = room.spacing[d] * (at[d] + (way[d] > 0 ? 1 : 0));
    next[d] = end[d] == at[d] ? std::numeric_limits<double>::infinity() : (plane - from[d]) / along;
  }
  for (; left > 0; --left) {
    std::size_t d = 0;
    for (std::size_t e = 1; e < 3; ++e)
      if (next[e] < next[d]) d = e;
    at[d] += way[d];
    if (at[d] == end[d])
      next[d] = std::numeric_limits<double>::infinity();
    else
      next[d] += step[d];
    if (!room.is_air(at[0], at[1], at[2])) return false;
  }
  return true;
}

double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

StraightPaths straight_paths(const DiffusionRoom& room, const std::array<double, 3>& source) {
  StraightPaths paths;
  paths.length.assign(room.air.size(), 0.0F);
  const auto from = room.cell_at(source);
  const std::int16_t part = room.part[room.cell_of(from[0], from[1], from[2])];
  double whole = 0.0, seen = 0.0;
  for (std::size_t i = 0; i < room.air.size(); ++i) {
    if (part < 0 || room.part[i] != part) continue;
    const auto cell = room.place_of(i);
    std::array<double, 3> centre{};
    for (std::size_t d = 0; d < 3; ++d) centre[d] = (cell[d] + 0.5) * room.spacing[d];
    whole += static_cast<double>(room.air[i]);
    if (!in_sight(room, source, centre)) continue;
    seen += static_cast<double>(room.air[i]);
    const double distance = distance_between(source, centre);
    paths.farthest = std::max(paths.farthest, distance);
    paths.length[i] = static_cast<float>(distance);
  }
  paths.in_sight = whole > 0.0 ? seen / whole : 0.0;
  const double path = part < 0 ? 0.0 : room.parts[static_cast<std::size_t>(part)].mean_free_path;
  if (paths.in_sight < seen_part && paths.farthest < long_sight * path) paths.length.clear();
  return paths;
}

}  // namespace fdtd
