#include "scenes/cut_room.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "scenes/parallel_failure.hpp"
#include "scenes/sheet_rims.hpp"

namespace fdtd {
namespace {

using Cell = std::array<int, 3>;

enum class Belongs : std::uint8_t { unknown, elsewhere, room };
constexpr std::uint32_t no_rim = 0xffffffffU;

struct Part {
  Belongs belongs = Belongs::unknown;
  float volume = 0.0F;
  std::array<float, 6> face{};
  std::uint32_t wall_begin = 0, wall_end = 0;
};

struct Wall {
  float area;
  std::array<float, 3> outward;
  std::uint16_t material;
  std::uint8_t side;
};

struct StoredCell {
  Cell at{};
  std::array<std::uint8_t, 27> part{};
  std::uint8_t node = no_part;
  std::uint32_t rim = no_rim;  // of the layer's
  std::uint32_t part_begin = 0, part_end = 0, piece_begin = 0, piece_end = 0;
};

struct Layer {
  std::vector<StoredCell> cells;
  std::vector<Part> parts;
  std::vector<Wall> walls;
  std::vector<FacePiece> pieces;
  std::vector<EndingFacets> rims;  // of cells in which surfaces end, or near to which
};

struct FaceArea {
  std::uint64_t node;
  std::uint16_t material;
  std::uint8_t side;
  double area;  // m2
  auto key() const { return std::tie(node, side, material); }
};

struct Passed {  // from a part that is no node
  std::uint64_t node;
  double share;  // of a volume, or of a passage
};

void sort_by_node(std::vector<Passed>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Passed& a, const Passed& b) { return a.node < b.node; });
}

// Adds what nodes are passed to their shares: 1 where they have none.
void add_passed(const std::vector<Passed>& passed, std::vector<CutShare>& shares) {
  std::vector<CutShare> sums;
  auto own = shares.begin();
  for (auto at = passed.begin(); at != passed.end();) {
    const std::uint64_t node = at->node;
    double sum = 0.0;
    for (; at != passed.end() && at->node == node; ++at) sum += at->share;
    for (; own != shares.end() && own->node < node; ++own) sums.push_back(*own);
    const bool known = own != shares.end() && own->node == node;
    sum += known ? static_cast<double>(own->share) : 1.0;
    if (std::abs(sum - 1.0) > least_volume) sums.push_back({node, static_cast<float>(sum)});
    if (known) ++own;
  }
  sums.insert(sums.end(), own, shares.end());
  shares = std::move(sums);
}

Cell step(Cell at, std::uint8_t side) {
  at[side / 2U] += side % 2U == 0U ? -1 : 1;
  return at;
}

std::vector<std::array<float, 3>> unit_normals(const Mesh& mesh) {
  std::vector<std::array<float, 3>> normals(mesh.triangles.size());
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const auto v = area_vector(mesh, t);
    const double length = std::hypot(v[0], v[1], v[2]);
    for (std::size_t d = 0; d < 3; ++d) normals[t][d] = length > 0.0 ? static_cast<float>(v[d] / length) : 0.0F;
  }
  return normals;
}

double snapped(double share) { return share < least_volume ? 0.0 : share > 1.0 - least_volume ? 1.0 : share; }

// The areas of a part's walls, in m2: as sampled by lines, corrected least so that their vectors sum to the true one.
std::vector<double> wall_areas(std::span<const Wall> walls, const std::array<double, 3>& outward) {
  std::vector<double> areas;
  std::array<std::array<double, 3>, 3> matrix{};
  std::array<double, 3> missing = outward;
  double trace = 0.0;
  for (const Wall& wall : walls) {
    areas.push_back(static_cast<double>(wall.area));
    if (!(wall.area > 0.0F)) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      missing[d] -= static_cast<double>(wall.outward[d]);
      for (std::size_t e = 0; e < 3; ++e)
        matrix[d][e] += static_cast<double>(wall.outward[d]) * static_cast<double>(wall.outward[e]) /
                        static_cast<double>(wall.area);
      trace +=
          static_cast<double>(wall.outward[d]) * static_cast<double>(wall.outward[d]) / static_cast<double>(wall.area);
    }
  }
  if (!(trace > 0.0)) return areas;
  for (std::size_t d = 0; d < 3; ++d) matrix[d][d] += 1e-6 * trace;
  const std::array<double, 3> factor = solve_symmetric(matrix, missing);
  for (std::size_t w = 0; w < walls.size(); ++w) {
    double change = 0.0;
    for (std::size_t d = 0; d < 3; ++d) change += factor[d] * static_cast<double>(walls[w].outward[d]);
    areas[w] = std::max(0.0, areas[w] + change);
  }
  return areas;
}

class Rooms {
 public:
  Rooms(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing, const AirMask& room)
      : mesh_(mesh),
        lattice_(lattice),
        room_(room),
        spacing_(spacing),
        size_(lattice.size()),
        cells_(lattice.cells()),
        cut_(lattice.cut_cells()),
        near_rims_(AirMask::walls(cells_)),
        normals_(unit_normals(mesh)),
        rims_(mesh, lattice, spacing, normals_),
        layers_(static_cast<std::size_t>(cells_[2])) {
    for (std::size_t d = 0; d < 3; ++d) face_area_[d] = spacing[(d + 1) % 3] * spacing[(d + 2) % 3];
  }

  CutRoom make() {
    find_parts();
    find_belonging();
    choose_nodes();
    CutRoom out;
    pass_on(out);
    collect(out);
    return out;
  }

 private:
  // ---- cells -------------------------------------------------------------------------------------------------------
  bool inside(const Cell& at) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (at[d] < 0 || at[d] >= cells_[d]) return false;
    return true;
  }
  bool in_grid(const Cell& at) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (at[d] < 1 || at[d] > size_[d]) return false;
    return true;
  }
  bool centre_in_room(const Cell& at) const { return room_(at[0] - 1, at[1] - 1, at[2] - 1); }
  std::uint64_t node_of(const Cell& at) const {
    return static_cast<std::uint64_t>(at[0] - 1) +
           static_cast<std::uint64_t>(size_[0]) *
               (static_cast<std::uint64_t>(at[1] - 1) +
                static_cast<std::uint64_t>(size_[1]) * static_cast<std::uint64_t>(at[2] - 1));
  }
  StoredCell* find(const Cell& at) {
    if (!cut_(at[0], at[1], at[2])) return nullptr;
    Layer& layer = layers_[static_cast<std::size_t>(at[2])];
    const auto found = std::lower_bound(
        layer.cells.begin(), layer.cells.end(), at,
        [](const StoredCell& one, const Cell& c) { return std::tie(one.at[1], one.at[0]) < std::tie(c[1], c[0]); });
    return &*found;
  }
  Layer& layer_of(const StoredCell& cell) { return layers_[static_cast<std::size_t>(cell.at[2])]; }
  Part& part_of(const StoredCell& cell, std::uint8_t part) { return layer_of(cell).parts[cell.part_begin + part]; }

  template <class Work>
  void for_each_layer(const Work& work) {
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < cells_[2]; ++z) failure.guard([&] { work(layers_[static_cast<std::size_t>(z)], z); });
    failure.rethrow();
  }

  void find_parts() {
    rims_.mark(cut_);
    rims_.mark(near_rims_);
    const CutShapes shapes(mesh_, lattice_, spacing_, normals_);
    for_each_layer([&](Layer& layer, int z) {
      for (int y = 0; y < cells_[1]; ++y) {
        for (int x0 = 0; x0 < cells_[0]; x0 += 64) {
          for (std::uint64_t bits = cut_.bits(x0, y, z); bits != 0; bits &= bits - 1)
            store(layer, {x0 + std::countr_zero(bits), y, z}, shapes);
        }
      }
    });
  }

  void store(Layer& layer, const Cell& at, const CutShapes& shapes) {
    const CutShape shape = shapes.of(at);
    StoredCell cell;
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

  static void store_walls(Layer& layer, const std::vector<CutWall>& walls) {
    for (const CutWall& wall : walls)
      layer.walls.push_back({static_cast<float>(wall.area),
                             {static_cast<float>(wall.outward[0]), static_cast<float>(wall.outward[1]),
                              static_cast<float>(wall.outward[2])},
                             wall.material,
                             wall.side});
  }

  // ---- what belongs to the room --------------------------------------------------------------------------------------
  // Of the part beyond a piece of a face.
  Belongs beyond(const StoredCell& cell, const FacePiece& piece) {
    const Cell to = step(cell.at, piece.side);
    if (!inside(to)) return Belongs::elsewhere;
    const StoredCell* const other = find(to);
    if (other == nullptr) return centre_in_room(to) ? Belongs::room : Belongs::elsewhere;
    return part_of(*other, other->part[across(piece.side, piece.point)]).belongs;
  }

  struct Open {
    StoredCell* cell;
    std::uint8_t part;
    Belongs found;
  };

  // In rounds from the parts that hold centres: where the room and what lies elsewhere meet within a voxel, through a gap
  // finer than the grid, each keeps what is nearer to it.
  void find_belonging() {
    std::vector<Open> open;
    for (Layer& layer : layers_) {
      for (StoredCell& cell : layer.cells) {
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
        part_of(*one.cell, one.part).belongs = one.found;
        changed = true;
      }
      std::erase_if(open, [](const Open& one) { return one.found != Belongs::unknown; });
    }
  }

  void choose_nodes() {
    for_each_layer([&](Layer& layer, int) {
      for (StoredCell& cell : layer.cells) {
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

  // ---- parts that are no nodes -----------------------------------------------------------------------------------------
  struct Sliver {
    StoredCell* cell;
    std::uint8_t part;
    bool has_node;
    std::uint64_t node;
  };

  // The node that a piece of a face leads to: of the part beyond it, or what that has passed itself on to.
  bool leads_to(const StoredCell& cell, const FacePiece& piece, const std::vector<Sliver>& slivers,
                std::uint64_t& node) {
    const Cell to = step(cell.at, piece.side);
    if (!inside(to)) return false;
    const StoredCell* const other = find(to);
    if (other == nullptr) {
      if (!in_grid(to) || !centre_in_room(to)) return false;
      node = node_of(to);
      return true;
    }
    const std::uint8_t part = other->part[across(piece.side, piece.point)];
    if (other->node == part) {
      node = node_of(to);
      return true;
    }
    const auto key = [](const Sliver& s) { return std::tie(s.cell->at[2], s.cell->at[1], s.cell->at[0], s.part); };
    Sliver wanted{const_cast<StoredCell*>(other), part, false, 0};
    const auto found = std::lower_bound(slivers.begin(), slivers.end(), wanted,
                                        [&](const Sliver& a, const Sliver& b) { return key(a) < key(b); });
    if (found == slivers.end() || found->cell != other || found->part != part || !found->has_node) return false;
    node = found->node;
    return true;
  }

  void pass_on(CutRoom&) {
    std::vector<Sliver> slivers;
    for (Layer& layer : layers_) {
      for (StoredCell& cell : layer.cells) {
        for (std::uint32_t p = cell.part_begin; p < cell.part_end; ++p) {
          const auto part = static_cast<std::uint8_t>(p - cell.part_begin);
          if (layer.parts[p].belongs == Belongs::room && part != cell.node) slivers.push_back({&cell, part, false, 0});
        }
      }
    }
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::pair<std::size_t, std::uint64_t>> found;
      for (std::size_t s = 0; s < slivers.size(); ++s) {
        const Sliver& one = slivers[s];
        if (one.has_node) continue;
        const Layer& layer = layer_of(*one.cell);
        float widest = 0.0F;
        std::uint64_t to = 0;
        for (std::uint32_t i = one.cell->piece_begin; i < one.cell->piece_end; ++i) {
          const FacePiece& piece = layer.pieces[i];
          std::uint64_t node = 0;
          if (piece.part != one.part || piece.area <= widest || !leads_to(*one.cell, piece, slivers, node)) continue;
          widest = piece.area;
          to = node;
        }
        if (widest > 0.0F) found.emplace_back(s, to);
      }
      if (found.empty()) break;
      for (const auto& [s, node] : found) slivers[s].has_node = true, slivers[s].node = node;
    }
    for (const Sliver& one : slivers) {
      if (!one.has_node) continue;
      const Part& part = part_of(*one.cell, one.part);
      if (static_cast<double>(part.volume) >= least_volume)
        passed_.push_back({one.node, static_cast<double>(part.volume)});
      add_walls(layer_of(*one.cell), part, one.node, areas_);
    }
    sort_by_node(passed_);
    pass_passages_on(slivers);
  }

  // Along a surface, the faces between parts that are passed on to neighbours belong to the passage between those.
  void pass_passages_on(const std::vector<Sliver>& slivers) {
    const std::array<std::uint64_t, 3> stride = {
        1, static_cast<std::uint64_t>(size_[0]),
        static_cast<std::uint64_t>(size_[0]) * static_cast<std::uint64_t>(size_[1])};
    for (const Sliver& one : slivers) {
      if (!one.has_node) continue;
      const Layer& layer = layer_of(*one.cell);
      for (std::uint32_t i = one.cell->piece_begin; i < one.cell->piece_end; ++i) {
        const FacePiece& piece = layer.pieces[i];
        std::uint64_t to = 0;
        if (piece.part != one.part || piece.area < least_volume || !leads_to(*one.cell, piece, slivers, to)) continue;
        const bool up = piece.side % 2U == 1U;
        const std::size_t d = piece.side / 2U;
        if (up ? to != one.node + stride[d] : one.node != to + stride[d]) continue;
        if (!up) {  // the part below has it if it is no node either
          const StoredCell* const other = find(step(one.cell->at, piece.side));
          if (other != nullptr && other->part[across(piece.side, piece.point)] != other->node) continue;
        }
        passed_passages_[d].push_back({up ? one.node : to, static_cast<double>(piece.area)});
      }
    }
    for (auto& passages : passed_passages_) sort_by_node(passages);
  }

  void add_walls(const Layer& layer, const Part& part, std::uint64_t node, std::vector<FaceArea>& into) const {
    const std::span<const Wall> walls(layer.walls.data() + part.wall_begin, part.wall_end - part.wall_begin);
    std::array<double, 3> outward{};
    for (std::size_t d = 0; d < 3; ++d)
      outward[d] = (static_cast<double>(part.face[2 * d]) - static_cast<double>(part.face[2 * d + 1])) * face_area_[d];
    const std::vector<double> areas = wall_areas(walls, outward);
    for (std::size_t w = 0; w < walls.size(); ++w)
      if (areas[w] > 0.0) into.push_back({node, walls[w].material, walls[w].side, areas[w]});
  }

  // ---- the result --------------------------------------------------------------------------------------------------
  struct OfLayer {
    std::vector<CutShare> volumes;
    std::array<std::vector<CutShare>, 3> passages;
    std::vector<FaceArea> areas;
    std::vector<std::uint64_t> off_centre;
    std::vector<Cell> inside;
    std::vector<Cell> nodes, others;  // cut cells that are nodes, and those that are none
  };

  // The share of the face above `cell` along axis d that is open between two nodes.
  double passage(const StoredCell& cell, std::uint8_t side) {
    const StoredCell* const other = find(step(cell.at, side));
    const Layer& layer = layer_of(cell);
    double open = 0.0;
    for (std::uint32_t i = cell.piece_begin; i < cell.piece_end; ++i) {
      const FacePiece& piece = layer.pieces[i];
      if (piece.side != side || piece.part != cell.node) continue;
      if (other == nullptr || other->part[across(side, piece.point)] == other->node)
        open += static_cast<double>(piece.area);
    }
    if (cell.rim == no_rim && (other == nullptr || other->rim == no_rim)) return snapped(open);
    const auto ending = [&](const StoredCell* of) {
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
  bool is_node(const Cell& at) {
    if (!in_grid(at)) return false;
    const StoredCell* const other = find(at);
    return other == nullptr ? centre_in_room(at) : other->node != no_part;
  }

  void collect_layer(Layer& layer, OfLayer& out) {
    for (const StoredCell& cell : layer.cells) {
      if (cell.node == no_part) {
        if (in_grid(cell.at)) out.others.push_back(cell.at);
        continue;
      }
      out.nodes.push_back(cell.at);
      const std::uint64_t node = node_of(cell.at);
      const Part& part = layer.parts[cell.part_begin + cell.node];
      add_walls(layer, part, node, out.areas);
      const double volume = snapped(static_cast<double>(part.volume));
      if (volume != 1.0) out.volumes.push_back({node, static_cast<float>(volume)});
      if (cell.part[middle_point] != cell.node) {
        out.off_centre.push_back(node);
        const auto at = static_cast<int>(std::find(cell.part.begin(), cell.part.end(), cell.node) - cell.part.begin());
        out.inside.push_back({2 * cell.at[0] + at % 3, 2 * cell.at[1] + at / 3 % 3, 2 * cell.at[2] + at / 9});
      }
      for (std::uint8_t side = 0; side < 6; ++side) {
        const Cell to = step(cell.at, side);
        const bool below = side % 2U == 0U;
        if (!is_node(to) || (below && find(to) != nullptr)) continue;  // the cell below has it
        const double open = passage(cell, side);
        if (open != 1.0) out.passages[side / 2U].push_back({below ? node_of(to) : node, static_cast<float>(open)});
      }
    }
  }

  void collect(CutRoom& out) {
    std::vector<OfLayer> of_layer(layers_.size());
    for_each_layer([&](Layer& layer, int z) { collect_layer(layer, of_layer[static_cast<std::size_t>(z)]); });
    out.air = AirMask::walls(size_);
    std::vector<AirMask::Run> runs;
    for (int z = 0; z < size_[2]; ++z) {
      for (int y = 0; y < size_[1]; ++y) {
        room_.runs(y, z, runs);
        for (const AirMask::Run& run : runs) out.air.set_run(run.begin, run.end, y, z);
      }
    }
    for (OfLayer& layer : of_layer) {
      for (const Cell& at : layer.others) out.air.set(at[0] - 1, at[1] - 1, at[2] - 1, false);
      for (const Cell& at : layer.nodes) out.air.set(at[0] - 1, at[1] - 1, at[2] - 1, true);
      const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
      append(out.cut.volumes, layer.volumes);
      for (std::size_t d = 0; d < 3; ++d) append(out.cut.passages[d], layer.passages[d]);
      append(areas_, layer.areas);
      append(out.off_centre, layer.off_centre);
      append(out.inside, layer.inside);
      layer = {};
    }
    layers_ = {};
    const auto by_node = [](const CutShare& a, const CutShare& b) { return a.node < b.node; };
    for (std::size_t d = 0; d < 3; ++d) {
      std::sort(out.cut.passages[d].begin(), out.cut.passages[d].end(), by_node);
      add_passed(passed_passages_[d], out.cut.passages[d]);
    }
    add_passed(passed_, out.cut.volumes);
    make_faces(out);
    const std::int64_t nodes = out.air.count();
    double volume = static_cast<double>(nodes);
    for (const CutShare& one : out.cut.volumes) volume += static_cast<double>(one.share) - 1.0;
    out.volume = volume * spacing_[0] * spacing_[1] * spacing_[2];
    if (out.cut.empty() && nodes == std::int64_t{size_[0]} * size_[1] * size_[2]) out.air = AirMask(size_);
  }

  void make_faces(CutRoom& out) {
    constexpr double least_area = 1e-3;  // in faces
    out.areas.assign(mesh_.materials.size(), 0.0);
    std::stable_sort(areas_.begin(), areas_.end(),
                     [](const FaceArea& a, const FaceArea& b) { return a.key() < b.key(); });
    for (std::size_t i = 0; i < areas_.size();) {
      FaceArea one = areas_[i];
      one.area = 0.0;
      for (; i < areas_.size() && areas_[i].key() == one.key(); ++i) one.area += areas_[i].area;
      double share = one.area / face_area_[one.side / 2U];
      if (share < least_area) continue;
      if (std::abs(share - 1.0) < 2.0 * least_volume) share = 1.0;
      out.areas[one.material] += share * face_area_[one.side / 2U];
      out.faces.push_back({one.node, static_cast<float>(share), one.material, one.side});
    }
  }

  const Mesh& mesh_;
  const CutLattice& lattice_;
  const AirMask& room_;
  std::array<double, 3> spacing_, face_area_{};
  std::array<int, 3> size_, cells_;
  AirMask cut_, near_rims_;
  std::vector<std::array<float, 3>> normals_;
  SheetRims rims_;
  std::vector<Layer> layers_;
  std::vector<FaceArea> areas_;
  std::vector<Passed> passed_;
  std::array<std::vector<Passed>, 3> passed_passages_;
};

}  // namespace

CutRoom cut_room(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                 const AirMask& room) {
  return Rooms(mesh, lattice, spacing, room).make();
}

}  // namespace fdtd
