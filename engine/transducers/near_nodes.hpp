// The nodes of a source and a receiver that are near each other, as the grid has them, with the images of the source
// behind walls that are mirrors to both (near_field.hpp).
#pragma once

#include <array>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/transducers/air_box.hpp"
#include "engine/transducers/tap_weights.hpp"

namespace fdtd {

// A polynomial in d/dx, d/dy, d/dz (per metre).
struct Derivative {
  std::array<int, 3> powers{};
  double coefficient = 1.0;
};

std::vector<Derivative> derivatives_of(const FieldOperator& operation);

// Nodes relative to some node, and their weights.
struct Nodes {
  std::vector<std::array<int, 3>> at;
  std::vector<double> weights;
};

// A source along one axis, or its image: node i becomes shift - 1 - i behind a mirror.
struct Image {
  bool mirrored = false;
  int shift = 0;
  int node(int i) const { return mirrored ? shift - 1 - i : i; }
  double position(double x, double spacing) const { return mirrored ? shift * spacing - x : x; }
};
using Images = std::array<std::vector<Image>, 3>;  // the source first

// The voxel of a tap.
Voxel home_of(const Tap& tap, const Grid& grid);

// The walls beside a pair, as far as they are mirrors.
struct Mirrors {
  std::array<std::vector<int>, 3> faces;  // by axis, the first node behind each
  Images images;
  std::array<int, 3>
      period{};  // by axis, of the torus in which these images are all: twice the air between two mirrors
};

// The walls that stand as mirrors beside a pair: planes of faces, air on one side and wall on the other for `reach`
// voxels. A wall counts whose image of the source is as near as that, or that either tap may have nodes or a layer at
// (`depth` nodes).
Mirrors mirrors_of(const Plan& plan, const Tap& source, const Tap& receiver, int reach, int depth);

// Whether mirrors alone shape a tap's nodes: false beside walls that are no planes of faces, and beside surfaces
// without thickness. `layers`: those of the plan.
bool sees_mirrors(const Plan& plan, const Tap& tap, const TapWeights& weights, const std::array<WallLayer, 3>& layers,
                  const Mirrors& mirrors);

// A tap's nodes, relative to `zero`.
Nodes nodes_of(const Tap& tap, const Grid& grid, const Voxel& zero);

// The nodes of a tap in endless air, relative to `zero`.
Nodes free_nodes(const Tap& tap, const Grid& grid, const TapWeights& weights, const Voxel& zero);

// The nodes of a source and of its images.
Nodes with_images(Nodes nodes, const Voxel& zero, const Images& images);

}  // namespace fdtd
