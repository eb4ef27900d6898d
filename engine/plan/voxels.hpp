// A room as voxels: the mask of air, and the faces between air and wall with their materials.
//
// Nodes are the centres of voxels; walls are voxel faces. Node (x, y, z) is centred at ((x + 1/2) h_x, ...) metres.
// Nodes are numbered x + nx (y + ny z), in 64 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fdtd {

// One bit for each voxel, set for air; each row along x starts at a word. Without any words everything is air.
class AirMask {
 public:
  AirMask() = default;
  explicit AirMask(std::array<int, 3> size);                       // all air, without words
  AirMask(std::array<int, 3> size, const std::vector<char>& air);  // air[node] != 0, node = x + nx (y + ny z)
  std::array<int, 3> size() const { return size_; }
  bool all_air() const { return words_.empty(); }
  std::int64_t count() const;  // air voxels
  std::int64_t bytes() const { return static_cast<std::int64_t>(words_.size() * sizeof(std::uint64_t)); }
  // For any coordinates; everything outside the grid is wall.
  bool operator()(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0 || x >= size_[0] || y >= size_[1] || z >= size_[2]) return false;
    return words_.empty() || ((words_[row(y, z) + static_cast<std::size_t>(x) / 64] >> (x % 64)) & 1U) != 0U;
  }
  static AirMask walls(std::array<int, 3> size);  // all wall
  void set(int x, int y, int z, bool air);
  void set_run(int begin, int end, int y, int z);  // the voxels [begin, end) of a row become air
  // The 64 voxels (x..x+63, y, z), bit 0 first; for any coordinates.
  std::uint64_t bits(int x, int y, int z) const;
  // Maximal runs of air of one row along x, in order: [begin, end).
  struct Run {
    int begin, end;
  };
  void runs(int y, int z, std::vector<Run>& out) const;

 private:
  std::size_t row(int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) + static_cast<std::size_t>(y)) *
           words_a_row_;
  }
  void fill();
  std::array<int, 3> size_{};
  std::size_t words_a_row_ = 0;
  std::vector<std::uint64_t> words_;
};

// A face between an air node and wall. Sides in the order of wall_names: 0: -x, 1: +x, 2: -y, 3: +y, 4: -z, 5: +z.
struct BoundaryFace {
  std::uint64_t node = 0;
  float area = 1.0F;  // area of the real wall that the face represents / area of the face
  std::uint16_t material = 0;
  std::uint8_t side = 0;
};

// A fraction of a voxel or of a passage that is not 1.
struct CutFraction {
  std::uint64_t node = 0;
  float fraction = 1.0F;
  // A passage that has the conductance of a narrow opening (opening_flow.hpp): flow through it is its fraction times
  // the difference of the two nodes, and nothing besides.
  bool fitted = false;
};

// A passage between two nodes that are no neighbours along an axis, node < to: where a part of a voxel has passed its
// volume on to a neighbour, faces of it lead there. `fraction`: as of a passage along `axis`, whose strength it has.
struct CutLink {
  std::uint64_t node = 0, to = 0;
  std::uint32_t axis = 0;
  float fraction = 0.0F;  // in faces
};

// The air voxels that oblique walls cut (cut_room.hpp), each list in order of node.
struct CutVoxels {
  std::vector<CutFraction> volumes;  // in voxels
  std::array<std::vector<CutFraction>, 3>
      passages;                // by axis: area of the passage to the next voxel along it, in faces
  std::vector<CutLink> links;  // by node, to and axis, each once
  bool empty() const { return volumes.empty() && passages[0].empty() && passages[1].empty() && passages[2].empty(); }
};

struct Voxels {
  std::array<double, 3> spacing{};  // m
  AirMask air;
  std::vector<std::string> materials;  // indexed by BoundaryFace::material
  std::vector<BoundaryFace> faces;     // ordered by node, then side; every air-wall face once
  CutVoxels cut;                       // empty: all voxels are whole
};

// A box room filled by size[0] x size[1] x size[2] voxels; `walls` are material names in the order of wall_names.
Voxels voxelise_box(std::array<int, 3> size, std::array<double, 3> spacing, const std::array<std::string, 6>& walls);

// Only the planes z_begin..z_end - 1 of the box, with nodes numbered from the first of them. The faces are those of the
// whole box: a plane that is not an end of the box has no faces along z.
Voxels voxelise_box_planes(std::array<int, 3> size, std::array<double, 3> spacing,
                           const std::array<std::string, 6>& walls, int z_begin, int z_end);

// Of the 64 voxels (x0..x0+63, y, z): bit b of word s when voxel x0 + b is air and its neighbour on side s is not.
std::array<std::uint64_t, 6> face_words(const AirMask& air, int x0, int y, int z);

// All faces between air and wall of a mask, all of one material.
Voxels voxels_of(AirMask air, std::array<double, 3> spacing, const std::string& material);

}  // namespace fdtd
