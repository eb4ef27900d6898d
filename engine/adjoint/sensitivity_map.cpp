#include "engine/adjoint/sensitivity_map.hpp"

#include <cstddef>

namespace fdtd {
namespace {

double by_admittance(const Boundary& boundary, const WallSlopes& walls, std::size_t site, const LawChange& change) {
  double sum = walls.inertance[site] * change.inertance + walls.admittance[site] * change.admittance;
  for (std::size_t b = 0; b < change.branches.size(); ++b) {
    const BranchTerms<double>&slope = walls.branches[boundary.branch_begin[site] + b], &moved = change.branches[b];
    sum += slope.D * moved.D + slope.E * moved.E + slope.F * moved.F;
  }
  return sum;
}

}  // namespace

SensitivityMap sensitivity_map(const Plan& plan, const WallSlopes& walls, std::span<const LawChange> changes) {
  const Boundary& boundary = plan.boundary;
  const Grid& grid = plan.grid;
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  // Weights are lambda_axis times the area in faces, lambda_axis = c T / h_axis, and a face h_axis-th of a cell's volume.
  const double area_of_weight = grid.cell_volume() / (grid.sound_speed * grid.time_step);
  SensitivityMap map;
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    const std::uint64_t node = boundary.nodes[i];
    const std::array<std::uint64_t, 3> place = {node % nx, node / nx % ny, node / nx / ny};
    std::array<double, 3> position{};
    for (std::size_t d = 0; d < 3; ++d) position[d] = (static_cast<double>(place[d]) + 0.5) * grid.spacing[d];
    for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s) {
      const BoundarySite& site = boundary.sites[s];
      const double area = area_of_weight * site.weight;
      map.position.push_back(position);
      map.material.push_back(boundary.laws[site.law].material);
      map.axis.push_back(boundary.laws[site.law].axis);
      map.area.push_back(area);
      map.value.push_back(area > 0.0 ? by_admittance(boundary, walls, s, changes[site.law]) / area : 0.0);
    }
  }
  return map;
}

}  // namespace fdtd
