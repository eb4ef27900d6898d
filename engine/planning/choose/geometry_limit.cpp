#include "engine/planning/choose/geometry_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {
namespace {

struct Errors {
  double absorption, order, displacement, scattering, order_of_scattering;
  double of_decays(double kh, const CutArea& cut) const {
    return std::hypot(cut.share * absorption * std::pow(kh, order),
                      std::sqrt(cut.furnished) * scattering * std::pow(kh, order_of_scattering));
  }
  // The largest k h at which decays are within `error`.
  double turn_of_decays(double error, const CutArea& cut) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    const double by_cut = cut.share > 0.0 ? std::pow(error / (cut.share * absorption), 1.0 / order) : none;
    if (!(cut.furnished > 0.0)) return by_cut;
    double low = 0.0, high = std::pow(error / (std::sqrt(cut.furnished) * scattering), 1.0 / order_of_scattering);
    high = std::min(high, by_cut);
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (of_decays(middle, cut) <= error ? low : high) = middle;
    }
    return low;
  }
};

Errors errors_of(const GridStencil& stencil) {
  constexpr Errors of_leggy = {0.05, 2.0, 0.025, 0.14, 2.0}, of_products = {0.075, 1.0, 0.025, 0.14, 2.0},
                   of_whole = {0.44, 1.0, 0.065, 1.1, 0.5};
  if (!knows_cut_voxels(stencil)) return of_whole;
  return is_sum_over_axes(stencil) ? of_leggy : of_products;
}

}  // namespace

CutArea cut_area(const RoomTally& room, const Grid& grid) {
  const double area = room.area();
  if (!(area > 0.0 && room.air > 0.0)) return {};
  return {room.cut_area / area, room.cut_area / (room.air * grid.cell_volume()), 0.0};
}

CutArea cut_area(const RoomTally& room, const Grid& grid, const Mesh& mesh, const GridStencil& stencil) {
  CutArea cut = cut_area(room, grid);
  if (!knows_cut_voxels(stencil)) cut.share = std::min(cut.share, oblique_share(mesh));
  return cut;
}

double oblique_share(const Mesh& mesh) {
  constexpr double along_grid = 0.999;  // of a unit normal's largest component: 2.5 degrees
  double oblique = 0.0, all = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto v = area_vector(mesh, t);
    const double area = std::hypot(v[0], v[1], v[2]);
    all += area;
    if (std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}) < along_grid * area) oblique += area;
  }
  return all > 0.0 ? oblique / all : 0.0;
}

Limit geometry_limit(const CutArea& cut, const Grid& grid, const GridStencil& stencil, double geometry_error,
                     double dispersion_error, double max_frequency) {
  const double h = grid.mean_spacing(), none = std::numeric_limits<double>::infinity();
  const Errors errors = errors_of(stencil);
  const double moved = errors.displacement * h * cut.per_volume;
  const double by_absorption = errors.turn_of_decays(geometry_error, cut);
  const double by_modes = moved > 0.0 ? (dispersion_error / moved) * (dispersion_error / moved) : none;
  const double frequency = std::min(by_absorption, by_modes) * grid.sound_speed / (2.0 * std::numbers::pi * h);
  Limit limit{"geometry", std::min(frequency, max_frequency), frequency >= max_frequency, {}};
  if (!limit.beyond)
    limit.by = fmt::format(
        "{:.0f} % of the walls' area is oblique or cuts voxels, {:.0f} % belongs to furniture; {} are the first to be "
        "wrong",
        100.0 * cut.share, 100.0 * cut.furnished, by_absorption < by_modes ? "decays" : "frequencies of modes");
  return limit;
}

double geometry_spacing(const CutArea& cut, const GridStencil& stencil, double geometry_error, double dispersion_error,
                        double frequency, double sound_speed) {
  const double k = 2.0 * std::numbers::pi * frequency / sound_speed, none = std::numeric_limits<double>::infinity();
  const Errors errors = errors_of(stencil);
  const double moved = errors.displacement * cut.per_volume;
  const double by_absorption = errors.turn_of_decays(geometry_error, cut) / k;
  const double by_modes = moved > 0.0 ? std::pow(dispersion_error / (moved * std::sqrt(k)), 2.0 / 3.0) : none;
  return std::min(by_absorption, by_modes);
}

}  // namespace fdtd
