#include "engine/voxels/cut/cut_cells.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <stdexcept>
#include <tuple>

#include "base/touched_pages.hpp"

namespace fdtd {
namespace {

void store_walls(CutCells::Layer& layer, const std::vector<CutWall>& walls) {
  for (const CutWall& wall : walls)
    layer.walls.push_back({static_cast<float>(wall.area),
                           {static_cast<float>(wall.outward[0]), static_cast<float>(wall.outward[1]),
                            static_cast<float>(wall.outward[2])},
                           wall.material,
                           wall.side});
}

}  // namespace

PlaneRange CutCells::own_planes(int planes, const PlanePartition& partition) {
  const auto [begin, end] = partition.planes(planes);  // of voxels
  return {partition.index == 0 ? 0 : begin + 1, partition.index + 1 == partition.count ? planes + 2 : end + 1};
}

PlaneRange CutCells::known_planes(int planes, const PlanePartition& partition) {
  const PlaneRange own = own_planes(planes, partition);
  return {std::max(0, own.begin - halo), std::min(planes + 2, own.end + halo)};
}

std::vector<std::array<int, 2>> CutCells::known_voxels(int planes, PlanePartition partition) {
  std::vector<std::array<int, 2>> ranges;
  for (partition.index = 0; partition.index < partition.count; ++partition.index) {
    const PlaneRange known = known_planes(planes, partition);
    ranges.push_back({std::max(0, known.begin - 1), std::min(planes, known.end - 1)});
  }
  return ranges;
}

CutCells::CutCells(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                   const MaskPlanes& room, const PlanePartition& partition, bool linked)
    : lattice_(lattice),
      room_(room),
      spacing_(spacing),
      partition_(partition),
      linked_(linked),
      size_(lattice.size()),
      cells_(lattice.cells()),
      own_(own_planes(size_[2], partition)),
      known_(lattice.planes()),
      cut_(lattice.cut_cells()),
      near_rims_(AirMask::walls(cut_.size())),
      meeting_(AirMask::walls(cut_.size())),
      normals_(unit_normals(mesh)),
      rims_(mesh, lattice, spacing, normals_, linked),
      wall_fractions_(mesh, lattice, spacing, normals_),
      layers_(static_cast<std::size_t>(known_.end - known_.begin)) {
  const PlaneRange needed = known_planes(size_[2], partition);
  if (known_.begin != needed.begin || known_.end != needed.end)
    throw std::invalid_argument("CutCells: the lattice is of other planes than the share");
  const std::array<int, 2> voxels = partition.planes(size_[2]);
  first_node_ = node_of({1, 1, voxels[0] + 1});
  end_node_ = node_of({1, 1, voxels[1] + 1});
  find_parts(mesh);
  find_belonging();
  choose_nodes();
}

const CutCells::Stored* CutCells::find(const Cell& at) const {
  if (!cut_(at[0], at[1], at[2] - known_.begin)) return nullptr;
  const Layer& cells = layer(at[2]);
  const auto found = std::lower_bound(cells.cells.begin(), cells.cells.end(), at, [](const Stored& one, const Cell& c) {
    return std::tie(one.at[1], one.at[0]) < std::tie(c[1], c[0]);
  });
  return &*found;
}

void CutCells::find_parts(const Mesh& mesh) {
  rims_.mark(cut_);
  rims_.mark(near_rims_);
  wall_fractions_.mark(meeting_);
  const CutShapes shapes(mesh, lattice_, spacing_, normals_);
  for_each_plane(layers_.size(), [&](std::size_t plane) {
    const int z = static_cast<int>(plane);
    for (int y = 0; y < cells_[1]; ++y) {
      for (int x0 = 0; x0 < cells_[0]; x0 += 64) {
        for (std::uint64_t bits = cut_.bits(x0, y, z); bits != 0; bits &= bits - 1)
          store(layers_[plane], {x0 + std::countr_zero(bits), y, known_.begin + z}, shapes);
      }
    }
  });
}

void CutCells::store(Layer& layer, const Cell& at, const CutShapes& shapes) const {
  const bool meet = meeting_(at[0], at[1], at[2] - known_.begin);
  const CutShape shape = shapes.of(at, meet);
  Stored cell;
  cell.at = at;
  cell.part = shape.part;
  cell.part_begin = static_cast<std::uint32_t>(layer.parts.size());
  cell.piece_begin = static_cast<std::uint32_t>(layer.pieces.size());
  const std::uint8_t centre = shape.part[middle_point];
  const bool near_rim = near_rims_(at[0], at[1], at[2] - known_.begin);
  const std::uint8_t around = near_rim && shape.ending.all ? std::uint8_t{0} : shape.around;
  const Belongs of_centre = centre_in_room(at) ? Belongs::room : Belongs::elsewhere;
  for (std::size_t p = 0; p < shape.parts.size(); ++p) {
    const CutPart& one = shape.parts[p];
    Part part;
    part.belongs = p == centre ? of_centre : Belongs::unknown;
    part.volume = static_cast<float>(one.volume);
    for (std::size_t side = 0; side < 6; ++side) part.face[side] = static_cast<float>(one.face[side]);
    part.wall_begin = static_cast<std::uint32_t>(layer.walls.size());
    if (part.belongs != Belongs::elsewhere) {
      store_walls(layer, meet ? wall_fractions_.divided(at, one.walls, false) : one.walls);
      if (p == around) store_walls(layer, wall_fractions_.divided(at, rims_.walls(at, shape.ending), true));
    }
    part.wall_end = static_cast<std::uint32_t>(layer.walls.size());
    layer.parts.push_back(part);
  }
  for (const FacePiece& piece : shape.pieces)
    if (piece.part != centre || of_centre == Belongs::room) layer.pieces.push_back(piece);
  if (around != no_part || near_rim) {
    cell.rim = static_cast<std::uint32_t>(layer.rims.size());
    layer.rims.push_back(shape.ending);
  }
  cell.part_end = static_cast<std::uint32_t>(layer.parts.size());
  cell.piece_end = static_cast<std::uint32_t>(layer.pieces.size());
  layer.cells.push_back(cell);
}

// Of the part beyond a piece of a face.
CutCells::Belongs CutCells::beyond(const Stored& cell, const FacePiece& piece) const {
  const Cell to = next_cell(cell.at, piece.side);
  if (!inside(to)) return Belongs::elsewhere;
  const Stored* const other = find(to);
  if (other == nullptr) return centre_in_room(to) ? Belongs::room : Belongs::elsewhere;
  return part_of(*other, other->part[across(piece.side, piece.point)]).belongs;
}

struct CutCells::Open {
  int z;
  std::uint32_t cell, part;  // of the layer
  Belongs found;
};

std::vector<CutCells::Open> CutCells::open_parts() const {
  std::vector<std::vector<Open>> lists(static_cast<std::size_t>(std::max(0, own_.end - own_.begin)));
  for_each_plane(lists.size(), [&](std::size_t plane) {
    const int z = own_.begin + static_cast<int>(plane);
    const Layer& cells = layer(z);
    for (std::uint32_t c = 0; c < cells.cells.size(); ++c) {
      for (std::uint32_t p = cells.cells[c].part_begin; p < cells.cells[c].part_end; ++p)
        if (cells.parts[p].belongs == Belongs::unknown) lists[plane].push_back({z, c, p, Belongs::unknown});
    }
  });
  return concatenated(lists);
}

// In rounds from the parts that hold centres: where the room and other space meet within a voxel, through a gap
// finer than the grid, each keeps what is nearer to it.
void CutCells::find_belonging() {
  std::vector<Open> open = open_parts();
  for (bool changed = true; changed;) {
    const auto count = static_cast<std::int64_t>(open.size());
#pragma omp parallel for schedule(dynamic, 256) if (count > 16384)
    for (std::int64_t i = 0; i < count; ++i) {
      Open& one = open[static_cast<std::size_t>(i)];
      const Layer& cells = layer(one.z);
      const Stored& cell = cells.cells[one.cell];
      for (std::uint32_t p = cell.piece_begin; p < cell.piece_end; ++p) {
        if (cells.pieces[p].part == one.part - cell.part_begin)
          one.found = std::max(one.found, beyond(cell, cells.pieces[p]));
      }
    }
    std::vector<Open> found;
    std::copy_if(open.begin(), open.end(), std::back_inserter(found),
                 [](const Open& one) { return one.found != Belongs::unknown; });
    std::erase_if(open, [](const Open& one) { return one.found != Belongs::unknown; });
    changed = settle(found);
  }
}

// Sets what a round has found, here and by other processes; whether anything was.
bool CutCells::settle(const std::vector<Open>& found) {
  for (const Open& one : found) part_at(one.z, one.part).belongs = one.found;
  if (partition_.whole()) return !found.empty();
  std::vector<std::byte> mine;
  pack(std::vector<char>{found.empty() ? char{0} : char{1}}, mine);
  std::vector<Open> near;
  std::copy_if(found.begin(), found.end(), std::back_inserter(near),
               [&](const Open& one) { return one.z < own_.begin + halo || one.z >= own_.end - halo; });
  pack(near, mine);
  bool any = false;
  for (const std::vector<std::byte>& bytes : partition_.gather(mine)) {
    std::span<const std::byte> rest = bytes;
    std::vector<char> one_found;
    std::vector<Open> theirs;
    unpack(rest, one_found);
    unpack(rest, theirs);
    any = any || one_found.at(0) != 0;
    for (const Open& one : theirs)
      if (one.z >= known_.begin && one.z < known_.end) part_at(one.z, one.part).belongs = one.found;
  }
  return any;
}

void CutCells::choose_nodes() {
  for_each_plane(layers_.size(), [&](std::size_t plane) {
    Layer& layer = layers_[plane];
    for (Stored& cell : layer.cells) {
      if (!in_grid(cell.at)) continue;
      float most = static_cast<float>(min_volume);
      for (std::uint32_t p = cell.part_begin; p < cell.part_end; ++p) {
        if (layer.parts[p].belongs != Belongs::room || layer.parts[p].volume <= most) continue;
        most = layer.parts[p].volume;
        cell.node = static_cast<std::uint8_t>(p - cell.part_begin);
      }
    }
  });
}

bool CutCells::is_node(const Cell& at) const {
  if (!in_grid(at)) return false;
  const Stored* const other = find(at);
  return other == nullptr ? centre_in_room(at) : other->node != no_part;
}

double CutCells::passage(const Stored& cell, std::uint8_t side) const {
  const Stored* const other = find(next_cell(cell.at, side));
  const Layer& layer = layer_of(cell);
  double open = 0.0;
  for (std::uint32_t i = cell.piece_begin; i < cell.piece_end; ++i) {
    const FacePiece& piece = layer.pieces[i];
    if (piece.side != side || piece.part != cell.node) continue;
    if (other == nullptr || other->part[across(side, piece.point)] == other->node)
      open += static_cast<double>(piece.area);
  }
  if (cell.rim == no_rim && (other == nullptr || other->rim == no_rim)) return snapped(open);
  const auto ending = [&](const Stored* of) {
    return of == nullptr || of->rim == no_rim ? nullptr : &layer_of(*of).rims[of->rim];
  };
  std::array<const EndingFacets*, 2> facets = {ending(&cell), ending(other)};
  Cell lower = cell.at;
  if (side % 2U == 0U) {
    --lower[side / 2U];
    std::swap(facets[0], facets[1]);
  }
  return snapped(partly_closed(open, rims_.passage(lower, side / 2U, facets)));
}

}  // namespace fdtd
