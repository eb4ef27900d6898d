#include "scenes/cut_room.hpp"

#include <algorithm>
#include <iterator>

#include "scenes/cut_faces.hpp"
#include "scenes/passed_parts.hpp"

namespace fdtd {
namespace {

using Cell = CutCells::Cell;
using Stored = CutCells::Stored;

struct OfLayer {
  std::vector<CutShare> volumes;
  std::array<std::vector<CutShare>, 3> passages;
  std::vector<FaceArea> areas;
  std::vector<std::uint64_t> off_centre;
  std::vector<Cell> inside;
  std::vector<Cell> nodes, others;  // cut cells that are nodes, and those that are none
};

// The room in the planes of one process.
struct Part {
  std::vector<Cell> nodes, others;
  CutVoxels cut;
  std::vector<BoundaryFace> faces;
  std::vector<MaterialArea> areas;
  std::vector<std::uint64_t> off_centre;
  std::vector<Cell> inside;
};

template <class Visit>
void each_list(Part& part, const Visit& visit) {
  visit(part.nodes), visit(part.others), visit(part.cut.volumes);
  for (auto& passages : part.cut.passages) visit(passages);
  visit(part.faces), visit(part.areas), visit(part.off_centre), visit(part.inside);
}

OfLayer nodes_of(const CutCells& cells, const CutCells::Layer& layer, const std::array<double, 3>& face_areas) {
  OfLayer out;
  for (const Stored& cell : layer.cells) {
    if (cell.node == no_part) {
      if (cells.in_grid(cell.at)) out.others.push_back(cell.at);
      continue;
    }
    out.nodes.push_back(cell.at);
    const std::uint64_t node = cells.node_of(cell.at);
    const CutCells::Part& part = layer.parts[cell.part_begin + cell.node];
    add_walls(layer, part, node, face_areas, out.areas);
    const double volume = snapped(static_cast<double>(part.volume));
    if (volume != 1.0) out.volumes.push_back({node, static_cast<float>(volume)});
    if (cell.part[middle_point] != cell.node) {
      out.off_centre.push_back(node);
      const auto at = static_cast<int>(std::find(cell.part.begin(), cell.part.end(), cell.node) - cell.part.begin());
      out.inside.push_back({2 * cell.at[0] + at % 3, 2 * cell.at[1] + at / 3 % 3, 2 * cell.at[2] + at / 9});
    }
    for (std::uint8_t side = 0; side < 6; ++side) {
      const Cell to = next_cell(cell.at, side);
      const bool below = side % 2U == 0U;
      if (!cells.is_node(to) || (below && cells.find(to) != nullptr)) continue;  // the cell below has it
      const double open = cells.passage(cell, side);
      if (open != 1.0) out.passages[side / 2U].push_back({below ? cells.node_of(to) : node, static_cast<float>(open)});
    }
  }
  return out;
}

// A passage to a cell below that is not cut belongs to the plane below, maybe of another process: the plane above the
// own ones has such passages for them.
void append(const CutCells& cells, OfLayer& layer, bool own, Part& part, std::vector<FaceArea>& areas) {
  const auto all = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t d = 0; d < 3; ++d)
    std::copy_if(layer.passages[d].begin(), layer.passages[d].end(), std::back_inserter(part.cut.passages[d]),
                 [&](const CutShare& one) { return cells.is_own(one.node); });
  if (own) {
    all(part.cut.volumes, layer.volumes);
    all(areas, layer.areas);
    all(part.off_centre, layer.off_centre);
    all(part.inside, layer.inside);
    all(part.nodes, layer.nodes);
    all(part.others, layer.others);
  }
  layer = {};
}

// All but the faces, whose areas it appends.
Part make_nodes(const CutCells& cells, const std::array<double, 3>& face_areas, std::vector<FaceArea>& areas) {
  PassedParts passed(cells, face_areas);
  const PlaneRange own = cells.own();
  const int planes = own.end - own.begin, above = own.end < cells.size()[2] + 2 ? 1 : 0;
  std::vector<OfLayer> layers(static_cast<std::size_t>(planes + above));
  for_each_plane(layers.size(), [&](std::size_t i) {
    layers[i] = nodes_of(cells, cells.layer(own.begin + static_cast<int>(i)), face_areas);
  });
  Part part;
  areas = passed.take_walls();
  for (std::size_t i = 0; i < layers.size(); ++i)
    append(cells, layers[i], i < static_cast<std::size_t>(planes), part, areas);
  for (std::size_t d = 0; d < 3; ++d) {
    auto& passages = part.cut.passages[d];
    std::sort(passages.begin(), passages.end(), [](const CutShare& a, const CutShare& b) { return a.node < b.node; });
    passed.add_to_passages(d, passages);
  }
  passed.add_to_volumes(part.cut.volumes);
  return part;
}

// Of all processes, in order of their planes.
Part gathered(Part mine, const PlaneShare& share) {
  if (share.whole()) return mine;
  std::vector<std::byte> bytes;
  each_list(mine, [&](const auto& list) { pack(list, bytes); });
  mine = {};
  Part all;
  for (std::vector<std::byte>& one : share.gather(bytes)) {
    std::span<const std::byte> rest = one;
    each_list(all, [&](auto& list) { unpack(rest, list); });
    one = {};
  }
  return all;
}

// The voxels whose centres are in the room, but for the cut cells that are no nodes, and with those that are.
AirMask air_of(const AirMask& room, const Part& part) {
  const std::array<int, 3> size = room.size();
  AirMask air = AirMask::walls(size);
  std::vector<AirMask::Run> runs;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      room.runs(y, z, runs);
      for (const AirMask::Run& run : runs) air.set_run(run.begin, run.end, y, z);
    }
  }
  for (const Cell& at : part.others) air.set(at[0] - 1, at[1] - 1, at[2] - 1, false);
  for (const Cell& at : part.nodes) air.set(at[0] - 1, at[1] - 1, at[2] - 1, true);
  return air;
}

}  // namespace

CutRoom cut_room(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing, const AirMask& room,
                 const PlaneShare& share) {
  std::array<double, 3> face_areas{};
  for (std::size_t d = 0; d < 3; ++d) face_areas[d] = spacing[(d + 1) % 3] * spacing[(d + 2) % 3];
  const std::array<int, 3> size = lattice.size();
  std::vector<FaceArea> areas;
  Part mine = make_nodes(CutCells(mesh, lattice, spacing, room, share), face_areas, areas);
  // The cells are gone by now.
  mine.faces = make_faces(areas, face_areas, static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]),
                          mine.areas);
  areas = {};
  Part all = gathered(std::move(mine), share);
  CutRoom out;
  out.air = air_of(room, all);
  out.cut = std::move(all.cut);
  out.faces = std::move(all.faces);
  out.off_centre = std::move(all.off_centre);
  out.inside = std::move(all.inside);
  out.areas.assign(mesh.materials.size(), 0.0);
  for (const MaterialArea& one : all.areas) out.areas[one.material] += one.area;
  const std::int64_t nodes = out.air.count();
  double volume = static_cast<double>(nodes);
  for (const CutShare& one : out.cut.volumes) volume += static_cast<double>(one.share) - 1.0;
  out.volume = volume * spacing[0] * spacing[1] * spacing[2];
  if (out.cut.empty() && nodes == std::int64_t{size[0]} * size[1] * size[2]) out.air = AirMask(size);
  return out;
}

}  // namespace fdtd
