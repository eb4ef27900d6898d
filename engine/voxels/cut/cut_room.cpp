#include "engine/voxels/cut/cut_room.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/voxels/cut/cut_faces.hpp"
#include "engine/voxels/cut/passed_parts.hpp"
#include "engine/voxels/shared/plane_sums.hpp"

namespace fdtd {
namespace {

using Cell = CutCells::Cell;
using Stored = CutCells::Stored;

struct OfLayer {
  std::vector<CutFraction> volumes;
  std::array<std::vector<CutFraction>, 3> passages;
  std::vector<FaceArea> areas;
  std::vector<std::uint64_t> off_centre;
  std::vector<Cell> inside;
  std::vector<Cell> nodes, others;  // cut cells that are nodes, and those that are none
};

// The room in the planes of one process.
struct Part {
  std::vector<Cell> nodes, others;
  CutVoxels cut;
  std::vector<std::uint64_t> off_centre;
  std::vector<Cell> inside;
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

// A passage to a cell below that is not cut belongs to the plane below, maybe of another process: the plane above the
// own ones has such passages for them.
void append(const CutCells& cells, OfLayer& layer, bool own, Part& part, std::vector<FaceArea>& areas) {
  const auto all = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t d = 0; d < 3; ++d)
    std::copy_if(layer.passages[d].begin(), layer.passages[d].end(), std::back_inserter(part.cut.passages[d]),
                 [&](const CutFraction& one) { return cells.is_own(one.node); });
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
  std::size_t count = areas.size();
  for (int i = 0; i < planes; ++i) count += layers[static_cast<std::size_t>(i)].areas.size();
  areas.reserve(count);
  for (std::size_t i = 0; i < layers.size(); ++i)
    append(cells, layers[i], i < static_cast<std::size_t>(planes), part, areas);
  for (std::size_t d = 0; d < 3; ++d) {
    auto& passages = part.cut.passages[d];
    std::sort(passages.begin(), passages.end(),
              [](const CutFraction& a, const CutFraction& b) { return a.node < b.node; });
    passed.add_to_passages(d, passages);
  }
  passed.add_to_volumes(part.cut.volumes);
  if (cells.linked()) part.cut.links = passed.take_links();
  return part;
}

// Links share a node's mass with its passages: at most `links_by_volume` of its volume in faces. `cut`: of the own planes.
void limit_links(CutVoxels& cut, const std::array<int, 3>& size, const PlanePartition& partition) {
  constexpr double links_by_volume = 1.5;
  const auto nodes_a_plane = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]);
  const auto plane = [&](const auto& one) { return static_cast<int>(one.node / nodes_a_plane); };
  // Ends of own links lie in the own planes and the next one, whose links begin in these and the one below.
  const auto [begin, end] = partition.planes(size[2]);
  const std::array<int, 2> mine = {std::max(0, begin - 1), begin < end ? std::min(size[2], end + 1) : 0};
  const std::vector<std::array<int, 2>> about = gathered(std::vector<std::array<int, 2>>{mine}, partition);
  const std::vector<CutLink> links = of_planes(cut.links, about, partition, plane);
  const std::vector<CutFraction> volumes = of_planes(cut.volumes, about, partition, plane);
  std::vector<std::pair<std::uint64_t, double>> ends;
  for (const CutLink& one : links)
    for (const std::uint64_t node : {one.node, one.to}) ends.emplace_back(node, static_cast<double>(one.fraction));
  std::sort(ends.begin(), ends.end());
  const auto part = [&](std::uint64_t node) {
    double sum = 0.0, volume = 1.0;
    const auto before = [](const auto& one, std::uint64_t n) { return one.first < n; };
    for (auto at = std::lower_bound(ends.begin(), ends.end(), node, before); at != ends.end() && at->first == node;
         ++at)
      sum += at->second;
    const auto found = std::ranges::lower_bound(volumes, node, {}, &CutFraction::node);
    if (found != volumes.end() && found->node == node) volume = static_cast<double>(found->fraction);
    return std::min(1.0, links_by_volume * volume / sum);
  };
  for (CutLink& one : cut.links)
    one.fraction = static_cast<float>(static_cast<double>(one.fraction) * std::min(part(one.node), part(one.to)));
}

// The own voxels whose centres are in the room, but for the cut cells that are no nodes, and with those that are.
MaskPlanes air_of(const MaskPlanes& room, const Part& part, const std::array<int, 3>& size,
                  const PlanePartition& partition) {
  const auto [begin, end] = partition.planes(size[2]);
  MaskPlanes air = walls_in_planes(size, begin, end);
  std::vector<AirMask::Run> runs;
  for (int z = begin; z < end; ++z) {
    for (int y = 0; y < size[1]; ++y) {
      room.mask.runs(y, z - room.begin, runs);
      for (const AirMask::Run& run : runs) air.mask.set_run(run.begin, run.end, y, z - begin);
    }
  }
  for (const Cell& at : part.others) air.mask.set(at[0] - 1, at[1] - 1, at[2] - 1 - begin, false);
  for (const Cell& at : part.nodes) air.mask.set(at[0] - 1, at[1] - 1, at[2] - 1 - begin, true);
  return air;
}

// The volume that cut voxels of the room lack of whole ones, in voxels.
double missing_volume(const std::vector<CutFraction>& volumes, const std::array<int, 3>& size,
                      const PlanePartition& partition) {
  const auto nodes_a_plane = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]);
  const auto [begin, end] = partition.planes(size[2]);
  PlaneSums missing(begin, end, 1);
  for (const CutFraction& one : volumes)
    missing.at(static_cast<int>(one.node / nodes_a_plane), 0) += 1.0 - static_cast<double>(one.fraction);
  return missing.total(partition)[0];
}

}  // namespace

CutRoom cut_room(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing, MaskPlanes room,
                 const PlanePartition& partition, bool linked) {
  std::array<double, 3> face_areas{};
  for (std::size_t d = 0; d < 3; ++d) face_areas[d] = spacing[(d + 1) % 3] * spacing[(d + 2) % 3];
  const std::array<int, 3> size = lattice.size();
  const auto nodes_a_plane = static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]);
  std::vector<FaceArea> areas;
  Part part = make_nodes(CutCells(mesh, lattice, spacing, room, partition, linked), face_areas, areas);
  // The cells are gone by now.
  CutRoom out;
  std::vector<MaterialArea> of_material;
  out.faces = make_faces(areas, face_areas, nodes_a_plane, of_material);
  areas = {};
  out.areas.assign(mesh.materials.size(), 0.0);
  for (const MaterialArea& one : gathered(of_material, partition)) out.areas[one.material] += one.area;
  limit_links(part.cut, size, partition);
  MaskPlanes air = air_of(room, part, size, partition);
  room = {};
  out.air = whole_mask(std::move(air), size, partition);
  const std::int64_t nodes = out.air.count();
  out.volume = (static_cast<double>(nodes) - missing_volume(part.cut.volumes, size, partition)) * spacing[0] *
               spacing[1] * spacing[2];
  const bool all_whole =
      std::ranges::count(gathered(std::vector<char>{static_cast<char>(part.cut.empty() ? 1 : 0)}, partition), 0) == 0;
  out.cut = std::move(part.cut);
  out.off_centre = std::move(part.off_centre);
  out.inside = std::move(part.inside);
  if (all_whole && nodes == std::int64_t{size[0]} * size[1] * size[2]) out.air = AirMask(size);
  return out;
}

}  // namespace fdtd
