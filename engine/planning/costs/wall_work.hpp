// The part of walls in the time of a step, by the cost table's figures a face.
#pragma once

#include <array>

#include "engine/devices/device_class.hpp"
#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The walls of a scene's room, rigid ones included. A mesh counts as it is, wherever its air is: each triangle once.
class WallWork {
 public:
  explicit WallWork(const Scene& scene);

  // Faces of the voxels of `grid` that lie on walls: of a box exactly; of a mesh sum (|nx| + |ny| + |nz|) area over
  // spacing^2, the number that its surface crosses in the mean over where the grid stands.
  double faces(const Grid& grid) const;

  // The time of a step with walls over that of its interior alone on `grid`, 1 or more: 1 + extra x faces / (nodes x
  // cost), both of the cost table. `cut`: the fraction of the walls that cuts voxels (SceneLimits::cut_fraction); the
  // rest costs what a box's walls do. 1 for a stencil that is not a variant of a member of the catalogue.
  double over_interior(const Stencil& stencil, DeviceClass device, const Grid& grid, double cut) const;
  // The same on a cubic grid of `spacing` (m).
  double over_interior(const Stencil& stencil, DeviceClass device, double spacing, double cut) const;

 private:
  double ratio(const Stencil& stencil, DeviceClass device, double faces_a_node, double cut) const;

  Precision precision_;
  bool mesh_;
  std::array<double, 3> box_;     // m
  std::array<double, 3> across_;  // m2, the area seen along each axis
};

}  // namespace fdtd
