#include "scenes/cut_cells.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

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

CutCells::CutCells(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                   const AirMask& room)
    : lattice_(lattice),
      room_(room),
      spacing_(spacing),
      size_(lattice.size()),
      cells_(lattice.cells()),
      cut_(lattice.cut_cells()),
      near_rims_(AirMask::walls(cells_)),
      normals_(unit_normals(mesh)),
      rims_(mesh, lattice, spacing, normals_),
      layers_(static_cast<std::size_t>(cells_[2])) {
  find_parts(mesh);
  find_belonging();
  choose_nodes();
}

const CutCells::Stored* CutCells::find(const Cell& at) const {
  if (!cut_(at[0], at[1], at[2])) return nullptr;
  const Layer& layer = layers_[static_cast<std::size_t>(at[2])];
  const auto found = std::lower_bound(layer.cells.begin(), layer.cells.end(), at, [](const Stored& one, const Cell& c) {
    return std::tie(one.at[1], one.at[0]) < std::tie(c[1], c[0]);
  });
  return &*found;
}

void CutCells::find_parts(const Mesh& mesh) {
  rims_.mark(cut_);
  rims_.mark(near_rims_);
  const CutShapes shapes(mesh, lattice_, spacing_, normals_);
  for_each_plane(layers_.size(), [&](std::size_t plane) {
    const int z = static_cast<int>(plane);
    for (int y = 0; y < cells_[1]; ++y) {
      for (int x0 = 0; x0 < cells_[0]; x0 += 64) {
        for (std::uint64_t bits = cut_.bits(x0, y, z); bits != 0; bits &= bits - 1)
          store(layers_[plane], {x0 + std::countr_zero(bits), y, z}, shapes);
      }
    }
  });
}

void CutCells::store(Layer& layer, const Cell& at, const CutShapes& shapes) const {
  const CutShape shape = shapes.of(at);
  Stored cell;
  cell.at = at;
  cell.part = shape.part;
  cell.part_begin = static_cast<std::uint32_t>(layer.parts.size());
  cell.piece_begin = static_cast<std::uint32_t>(layer.pieces.size());
  const std::uint8_t centre = shape.part[middle_point];
  const bool near_rim = near_rims_(at[0], at[1], at[2]);
  const std::uint8_t around = near_rim && shape.ending.all ? std::uint8_t{0} : shape.around;
  const Belongs of_centre = centre_in_room(at) ? Belongs::room : Belongs::elsewhere;
  for (std::uint8_t p = 0; p < shape.parts.size(); ++p) {
    const CutPart& one = shape.parts[p];
    Part part;
    part.belongs = p == centre ? of_centre : Belongs::unknown;
    part.volume = static_cast<float>(one.volume);
    for (std::size_t side = 0; side < 6; ++side) part.face[side] = static_cast<float>(one.face[side]);
    part.wall_begin = static_cast<std::uint32_t>(layer.walls.size());
    if (part.belongs != Belongs::elsewhere) {
      store_walls(layer, one.walls);
      if (p == around) store_walls(layer, rims_.walls(at, shape.ending));
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
  const Stored* cell;
  std::uint8_t part;
  Belongs found;
};

// In rounds from the parts that hold centres: where the room and what lies elsewhere meet within a voxel, through a gap
// finer than the grid, each keeps what is nearer to it.
void CutCells::find_belonging() {
  std::vector<Open> open;
  for (const Layer& layer : layers_) {
    for (const Stored& cell : layer.cells) {
      for (std::uint32_t p = cell.part_begin; p < cell.part_end; ++p)
        if (layer.parts[p].belongs == Belongs::unknown)
          open.push_back({&cell, static_cast<std::uint8_t>(p - cell.part_begin), Belongs::unknown});
    }
  }
  for (bool changed = true; changed && !open.empty();) {
    changed = false;
    for (Open& one : open) {
      const Layer& layer = layer_of(*one.cell);
      for (std::uint32_t i = one.cell->piece_begin; i < one.cell->piece_end; ++i) {
        if (layer.pieces[i].part == one.part) one.found = std::max(one.found, beyond(*one.cell, layer.pieces[i]));
      }
    }
    for (const Open& one : open) {
      if (one.found == Belongs::unknown) continue;
      belonging(*one.cell, one.part) = one.found;
      changed = true;
    }
    std::erase_if(open, [](const Open& one) { return one.found != Belongs::unknown; });
  }
}

void CutCells::choose_nodes() {
  for_each_plane(layers_.size(), [&](std::size_t plane) {
    Layer& layer = layers_[plane];
    for (Stored& cell : layer.cells) {
      if (!in_grid(cell.at)) continue;
      float most = static_cast<float>(least_volume);
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
