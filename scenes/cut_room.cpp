#include "scenes/cut_room.hpp"

#include <algorithm>
#include <optional>

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

// The voxels whose centres are in the room, but for the cut cells that are no nodes, and with those that are.
AirMask air_of(const AirMask& room, const std::vector<OfLayer>& layers) {
  const std::array<int, 3> size = room.size();
  AirMask air = AirMask::walls(size);
  std::vector<AirMask::Run> runs;
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      room.runs(y, z, runs);
      for (const AirMask::Run& run : runs) air.set_run(run.begin, run.end, y, z);
    }
  }
  for (const OfLayer& layer : layers) {
    for (const Cell& at : layer.others) air.set(at[0] - 1, at[1] - 1, at[2] - 1, false);
    for (const Cell& at : layer.nodes) air.set(at[0] - 1, at[1] - 1, at[2] - 1, true);
  }
  return air;
}

void append_layers(std::vector<OfLayer>& layers, CutRoom& out, std::vector<FaceArea>& areas) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (OfLayer& layer : layers) {
    append(out.cut.volumes, layer.volumes);
    for (std::size_t d = 0; d < 3; ++d) append(out.cut.passages[d], layer.passages[d]);
    append(areas, layer.areas);
    append(out.off_centre, layer.off_centre);
    append(out.inside, layer.inside);
    layer = {};
  }
  for (auto& passages : out.cut.passages)
    std::sort(passages.begin(), passages.end(), [](const CutShare& a, const CutShare& b) { return a.node < b.node; });
}

}  // namespace

CutRoom cut_room(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                 const AirMask& room) {
  std::array<double, 3> face_areas{};
  for (std::size_t d = 0; d < 3; ++d) face_areas[d] = spacing[(d + 1) % 3] * spacing[(d + 2) % 3];
  CutRoom out;
  std::vector<FaceArea> areas;
  {
    std::optional<CutCells> cells(std::in_place, mesh, lattice, spacing, room);
    const PassedParts passed(*cells, face_areas);
    areas = passed.walls();
    std::vector<OfLayer> layers(cells->layers().size());
    for_each_plane(layers.size(), [&](std::size_t z) { layers[z] = nodes_of(*cells, cells->layers()[z], face_areas); });
    out.air = air_of(room, layers);
    append_layers(layers, out, areas);
    for (std::size_t d = 0; d < 3; ++d) passed.add_to_passages(d, out.cut.passages[d]);
    passed.add_to_volumes(out.cut.volumes);
  }
  out.areas.assign(mesh.materials.size(), 0.0);
  out.faces = make_faces(areas, face_areas, out.areas);
  const std::int64_t nodes = out.air.count();
  double volume = static_cast<double>(nodes);
  for (const CutShare& one : out.cut.volumes) volume += static_cast<double>(one.share) - 1.0;
  out.volume = volume * spacing[0] * spacing[1] * spacing[2];
  const std::array<int, 3> size = lattice.size();
  if (out.cut.empty() && nodes == std::int64_t{size[0]} * size[1] * size[2]) out.air = AirMask(size);
  return out;
}

}  // namespace fdtd
