// Boxes with a material on each wall.
#pragma once

#include "engine/walls/wall_law.hpp"
#include "tests/support/rooms/rooms.hpp"

namespace fdtd::test {

// "1" to "5": materials of so many branches.
inline std::vector<MaterialFit> some_fits() {
  std::vector<MaterialFit> fits;
  for (std::size_t count = 1; count <= 5; ++count) {
    MaterialFit fit;
    fit.name = std::to_string(count);
    for (std::size_t b = 0; b < count; ++b)
      fit.branches.push_back({1e-4 * static_cast<double>(b), 4.0 + static_cast<double>(b), b % 2 == 0 ? 1e3 : 0.0});
    fits.push_back(fit);
  }
  return fits;
}

// Those of these names, in their order.
inline std::vector<MaterialFit> fits_named(const std::vector<std::string>& names) {
  const std::vector<MaterialFit> all = some_fits();
  std::vector<MaterialFit> fits;
  for (const std::string& name : names) fits.push_back(*std::ranges::find(all, name, &MaterialFit::name));
  return fits;
}

// A box; of its floor every six rows are of one material, where it is in stripes. `points`: of the shortest wavelength,
// from which follows how many nodes walls read.
inline Plan box_plan(const RoomSpec& spec, const std::array<std::string, 6>& walls, bool stripes = false,
                     double points = 4.0) {
  Plan plan = plan_of(spec);
  Voxels voxels = voxelise_box(spec.size, plan.grid.spacing, walls);
  const auto nx = static_cast<std::uint64_t>(spec.size[0]), ny = static_cast<std::uint64_t>(spec.size[1]);
  for (BoundaryFace& face : voxels.faces)
    if (stripes && face.side == 4)
      face.material = static_cast<std::uint16_t>(face.node / nx % ny / 6 % voxels.materials.size());
  plan.boundary = make_boundary(voxels, fits_named(voxels.materials), plan.grid, plan.stencil, plan.near_wall, {},
                                plan.grid.sound_speed / (points * plan.grid.spacing[0]));
  return plan;
}

}  // namespace fdtd::test
