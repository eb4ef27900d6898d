// The cells of a lattice that a mesh cuts, plane by plane, with the parts into which it divides them (cut_shapes.hpp):
// which of those belong to the room, which one of a cell is its node, and how far the passages between nodes are open.
//
// Where several processes share the grid (plane_partition.hpp) each has the cells of its own planes and of `halo` planes on
// both sides. The parts of the room are found in rounds over all of them, so that every process finds what one finds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/parallel_failure.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/voxels/cut/cut_lattice.hpp"
#include "engine/voxels/cut/cut_shapes.hpp"
#include "engine/voxels/cut/sheet_rims.hpp"
#include "engine/voxels/cut/wall_fractions.hpp"
#include "engine/voxels/shared/plane_partition.hpp"
#include "engine/voxels/shared/shared_mask.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

inline constexpr double min_volume = 1e-3;  // of a node, in voxels; nearer to 0 or 1, fractions are 0 or 1
inline double snapped(double fraction) {
  return fraction < min_volume ? 0.0 : fraction > 1.0 - min_volume ? 1.0 : fraction;
}

class CutCells {
 public:
  using Cell = std::array<int, 3>;
  enum class Belongs : std::uint8_t { unknown, elsewhere, room };
  static constexpr std::uint32_t no_rim = 0xffffffffU;
  struct Part {
    Belongs belongs = Belongs::unknown;
    float volume = 0.0F;          // in voxels
    std::array<float, 6> face{};  // in faces
    std::uint32_t wall_begin = 0, wall_end = 0;
  };
  struct Wall {
    float area;                    // m2
    std::array<float, 3> outward;  // m2
    std::uint16_t material;        // of the mesh
    std::uint8_t side;
  };
  struct Stored {
    Cell at{};
    std::array<std::uint8_t, 27> part{};
    std::uint8_t node = no_part;
    std::uint32_t rim = no_rim;  // of the layer's
    std::uint32_t part_begin = 0, part_end = 0, piece_begin = 0, piece_end = 0;
  };
  struct Layer {                // of the cells with one z
    std::vector<Stored> cells;  // in order of y, then x
    std::vector<Part> parts;
    std::vector<Wall> walls;
    std::vector<FacePiece> pieces;
    std::vector<EndingFacets> rims;  // of cells in which surfaces end, or near to which
  };

  // Planes beyond the own ones: parts are passed on over 4 cells, each decided by what lies up to 4 further away, and
  // passages between such parts reach one plane further on either side.
  static constexpr int halo = 10;
  // Of the cells of a grid with `planes` voxels along z: those of this process, and those that it needs to know.
  static PlaneRange own_planes(int planes, const PlanePartition& partition);
  static PlaneRange known_planes(int planes, const PlanePartition& partition);
  // The planes [begin, end) of voxels that each of the processes needs to know.
  static std::vector<std::array<int, 2>> known_voxels(int planes, PlanePartition partition);

  // `room`: the voxels of the known planes whose centres are in the room's air. `lattice`: of these planes, else throws
  // std::invalid_argument. All arguments must outlive the cells.
  // `linked`: nodes may be linked across edges of voxels (CutLink).
  CutCells(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing, const MaskPlanes& room,
           const PlanePartition& partition, bool linked);

  const std::array<int, 3>& size() const { return size_; }  // of the grid
  bool in_grid(const Cell& at) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (at[d] < 1 || at[d] > size_[d]) return false;
    return true;
  }
  bool inside(const Cell& at) const {  // the cells that are known
    return at[0] >= 0 && at[0] < cells_[0] && at[1] >= 0 && at[1] < cells_[1] && known_.begin <= at[2] &&
           at[2] < known_.end;
  }
  bool centre_in_room(const Cell& at) const { return room_(at[0] - 1, at[1] - 1, at[2] - 1); }
  // Index of the voxel, for cells in the grid.
  std::uint64_t node_of(const Cell& at) const {
    return static_cast<std::uint64_t>(at[0] - 1) +
           static_cast<std::uint64_t>(size_[0]) *
               (static_cast<std::uint64_t>(at[1] - 1) +
                static_cast<std::uint64_t>(size_[1]) * static_cast<std::uint64_t>(at[2] - 1));
  }
  bool linked() const { return linked_; }
  const PlaneRange& own() const { return own_; }
  bool is_own(std::uint64_t node) const { return node >= first_node_ && node < end_node_; }
  const std::vector<Layer>& layers() const { return layers_; }  // from the first known plane on
  const Layer& layer(int z) const { return layers_[static_cast<std::size_t>(z - known_.begin)]; }
  const Layer& layer_of(const Stored& cell) const { return layer(cell.at[2]); }
  const Part& part_of(const Stored& cell, std::uint8_t part) const {
    return layer_of(cell).parts[cell.part_begin + part];
  }
  const Stored* find(const Cell& at) const;  // null: the mesh does not cut it
  bool is_node(const Cell& at) const;
  // The fraction of the face of a node's cell that is open to the node beyond it.
  double passage(const Stored& cell, std::uint8_t side) const;

 private:
  struct Open;
  Part& part_at(int z, std::size_t part) { return layers_[static_cast<std::size_t>(z - known_.begin)].parts[part]; }
  void find_parts(const Mesh& mesh);
  void store(Layer& layer, const Cell& at, const CutShapes& shapes) const;
  Belongs beyond(const Stored& cell, const FacePiece& piece) const;
  std::vector<Open> open_parts() const;
  bool settle(const std::vector<Open>& found);
  void find_belonging();
  void choose_nodes();

  const CutLattice& lattice_;
  const MaskPlanes& room_;
  std::array<double, 3> spacing_;
  const PlanePartition& partition_;
  bool linked_;
  std::array<int, 3> size_, cells_;
  PlaneRange own_, known_;
  std::uint64_t first_node_ = 0, end_node_ = 0;
  AirMask cut_, near_rims_, meeting_;  // of the known planes; meeting: materials or surfaces
  std::vector<std::array<float, 3>> normals_;
  SheetRims rims_;
  WallFractions wall_fractions_;
  std::vector<Layer> layers_;
};

// The cell beyond a side.
inline CutCells::Cell next_cell(CutCells::Cell at, std::uint8_t side) {
  at[side / 2U] += side % 2U == 0U ? -1 : 1;
  return at;
}

// Calls work(z) for z = 0..count-1, in parallel; rethrows what it throws.
template <class Work>
void for_each_plane(std::size_t count, const Work& work) {
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t z = 0; z < count; ++z) failure.guard([&] { work(z); });
  failure.rethrow();
}

}  // namespace fdtd
