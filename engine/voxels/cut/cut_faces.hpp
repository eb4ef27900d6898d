// The wall that nodes face, from what is stored of the parts of cut cells.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/voxels/cut/cut_cells.hpp"

namespace fdtd {

struct FaceArea {
  std::uint64_t node;
  std::uint16_t material;  // of the mesh
  std::uint8_t side;
  double area;  // m2
};

// Appends the walls of a part, whose area vectors are made to sum to the part's own (CutPart::outward), as those of
// `node`. `face_areas`: of a voxel, by axis (m2).
void add_walls(const CutCells::Layer& layer, const CutCells::Part& part, std::uint64_t node,
               const std::array<double, 3>& face_areas, std::vector<FaceArea>& into);

// The area of a material on a plane of voxels.
struct MaterialArea {
  std::uint64_t plane;
  std::uint16_t material;
  double area;  // m2
};

// One face for each node, side and material, in this order, where there is more than 1e-3 of a face. `of_material` gets
// the areas by plane, each of `nodes_a_plane`, and material. Sorts `areas`.
std::vector<BoundaryFace> make_faces(std::vector<FaceArea>& areas, const std::array<double, 3>& face_areas,
                                     std::uint64_t nodes_a_plane, std::vector<MaterialArea>& of_material);

}  // namespace fdtd
