#include "engine/planning/choose/geometry_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/walls/near_wall_operator.hpp"
#include "stencils/radial.hpp"

namespace fdtd {
namespace {

// The fewest points a wavelength with which a falling `error` is at most `most`; 0 where it is with any.
template <class Error>
double fewest_points(const Error& error, double most) {
  double low = 1e-3, high = 1e9;
  if (error(low) <= most) return 0.0;
  constexpr int halvings = 80;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::sqrt(low * high);
    (error(middle) <= most ? high : low) = middle;
  }
  return high;
}

double wave_cells(double points) { return 2.0 * std::numbers::pi / points; }  // k h

bool is_widest_box(const Stencil& stencil) { return stencil.shells.back() == Shell{2, 2, 2}; }

}  // namespace

GeometryErrors::Formula GeometryErrors::formula_of(const GridStencil& on_grid) {
  constexpr Formula of_leggy = {0.05, 2.0, 0.025, 0.14, 2.0}, of_products = {0.075, 1.0, 0.025, 0.14, 2.0},
                    of_whole = {0.44, 1.0, 0.065, 1.1, 0.5};
  if (!knows_cut_voxels(on_grid)) return of_whole;
  return is_sum_over_axes(on_grid) ? of_leggy : of_products;
}

GeometryErrors::GeometryErrors(const Stencil& stencil, const GridStencil& on_grid)
    : formula_(formula_of(on_grid)), row_(knows_cut_voxels(on_grid) ? find_oblique_row(stencil) : nullptr) {
  const bool narrow = on_grid.radius == 1 && !is_sum_over_axes(on_grid);
  if (narrow) beside_strong_ = 0.1;
  if (!stencil.radial) return;
  // No less than in any room that was compared.
  heard_ = is_widest_box(stencil) ? 2.25 : 1.75;
  beside_strong_ = narrow ? 0.16 : is_widest_box(stencil) && stencil.variant != "radial1" ? 0.3 : 0.125;
}

double GeometryErrors::of_decays(double points, const CutArea& cut) const {
  const double k = wave_cells(points);
  const double absorption = row_ == nullptr ? formula_.absorption * std::pow(k, formula_.order)
                                            : std::max(heard_ * oblique_decay(*row_, points), beside_strong_ * k);
  return std::hypot(cut.fraction * absorption,
                    std::sqrt(cut.furnished) * formula_.scattering * std::pow(k, formula_.order_of_scattering));
}

double GeometryErrors::of_modes(double points) const {
  return row_ != nullptr ? oblique_shift(*row_, points) : formula_.displacement * std::sqrt(wave_cells(points));
}

CutArea cut_area(const RoomTally& room, const Grid& grid) {
  const double area = room.area();
  if (!(area > 0.0 && room.air > 0.0)) return {};
  return {room.cut_area / area, room.cut_area / (room.air * grid.cell_volume()), 0.0};
}

CutArea cut_area(const RoomTally& room, const Grid& grid, const Mesh& mesh, const GridStencil& stencil) {
  CutArea cut = cut_area(room, grid);
  if (!knows_cut_voxels(stencil)) cut.fraction = std::min(cut.fraction, oblique_fraction(mesh));
  return cut;
}

double oblique_fraction(const Mesh& mesh) {
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

bool lowers_courant(const Mesh& mesh, const Stencil& stencil) {
  return certified_courant(stencil) > 0.0 || (stencil.family == Family::leggy && oblique_fraction(mesh) > 0.0);
}

Limit geometry_limit(const CutArea& cut, const Grid& grid, const GeometryErrors& errors, double geometry_error,
                     double dispersion_error, double max_frequency) {
  const double h = grid.mean_spacing(), moved = h * cut.per_volume;
  const auto of_decays = [&](double points) { return errors.of_decays(points, cut); };
  const auto of_modes = [&](double points) { return moved * errors.of_modes(points); };
  const double for_decays = fewest_points(of_decays, geometry_error),
               for_modes = fewest_points(of_modes, dispersion_error);
  const double frequency = grid.sound_speed / (h * std::max(for_decays, for_modes));
  Limit limit{"geometry", std::min(frequency, max_frequency), frequency >= max_frequency, {}};
  if (!limit.beyond)
    limit.by = fmt::format(
        "{:.0f} % of the walls' area is oblique or cuts voxels, {:.0f} % belongs to furniture; {} are the first to be "
        "wrong",
        100.0 * cut.fraction, 100.0 * cut.furnished, for_decays > for_modes ? "decays" : "frequencies of modes");
  return limit;
}

double geometry_spacing(const CutArea& cut, const GeometryErrors& errors, double geometry_error,
                        double dispersion_error, double frequency, double sound_speed) {
  const double wave = sound_speed / frequency, moved = wave * cut.per_volume;
  const auto of_decays = [&](double points) { return errors.of_decays(points, cut); };
  const auto of_modes = [&](double points) { return moved / points * errors.of_modes(points); };
  return wave / std::max(fewest_points(of_decays, geometry_error), fewest_points(of_modes, dispersion_error));
}

}  // namespace fdtd
