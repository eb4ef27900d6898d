#include "engine/planning/costs/wall_work.hpp"

#include <cmath>

#include "engine/planning/costs/cost_table.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

WallWork::WallWork(const Scene& scene)
    : precision_(scene.simulation.precision), mesh_(scene.room.mesh != nullptr), box_(scene.room.box), across_{} {
  if (mesh_) {
    for (std::size_t t = 0; t < scene.room.mesh->triangles.size(); ++t) {
      const auto v = area_vector(*scene.room.mesh, t);
      for (std::size_t d = 0; d < 3; ++d) across_[d] += 0.5 * std::abs(v[d]);
    }
  } else {
    for (std::size_t d = 0; d < 3; ++d) across_[d] = 2.0 * box_[(d + 1) % 3] * box_[(d + 2) % 3];
  }
}

double WallWork::faces(const Grid& grid) const {
  double count = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
    count += mesh_ ? across_[d] / (grid.spacing[e] * grid.spacing[f])
                   : 2.0 * static_cast<double>(grid.size[e]) * static_cast<double>(grid.size[f]);
  }
  return count;
}

double WallWork::ratio(const Stencil& stencil, DeviceClass device, double faces_a_node, double cut) const {
  return 1.0 +
         cost_per_face(stencil, precision_, device, cut) * faces_a_node / cost_per_node(stencil, precision_, device);
}

double WallWork::over_interior(const Stencil& stencil, DeviceClass device, const Grid& grid, double cut) const {
  return ratio(stencil, device, faces(grid) / static_cast<double>(grid.nodes()), cut);
}

double WallWork::over_interior(const Stencil& stencil, DeviceClass device, double spacing, double cut) const {
  const double area = across_[0] + across_[1] + across_[2];
  return ratio(stencil, device, area * spacing / (box_[0] * box_[1] * box_[2]), cut);
}

}  // namespace fdtd
