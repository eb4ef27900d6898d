// Up to which frequency oblique, curved and cut walls of a mesh, and furniture, are right.
//
// Three errors, by stencil and points a wavelength. Of the stencils of the catalogue for which voxels are cut
// (knows_cut_voxels: leggy ones, and products, compact and box stencils of radius 2 and less) two are measured, from waves
// between oblique planes (oblique_errors.hpp). Others have formulas with one constant each, measured in rooms, which
// differs by whether voxels are cut or whole.
//   absorption: s times 1.5 times that of decays between oblique planes, s the fraction of the walls' area that cuts
//     voxels: T20 hears grazing waves, which are the most wrong there, more than the mean of decays does. Of radial sets 1.75
//     times, and 2.25 times of box-222's. T20 is wrong above a floor that absorbs much: of products of radius 1 by at least
//     s k h / 10; of radial sets s k h / 8, 0.16 s k h with radius 1, and 0.3 s k h with box-222/radial03 and box-222/radial2.
//     T20 by octave of a box of 5 x 4 x 3 m turned by 30, by 45 and 35, by 20 and 50, and by 45 degrees, over the straight
//     box's, is within 9 % for octaves that end where this error is 10 % with leggy sets and opt1 products, its walls weak,
//     strong or its floor reactive (bench/rooms/turned_box.py, bench/results/xeon-16/turned-box.json). With radial sets it is
//     within this error at 3 to 8 points a wavelength, walls weak or a floor of admittance 0.3
//     (bench/results/xeon-2/turned-box-radial.json). Weights of a file: absorption s (k h)^2 where they are sums over
//     axes, absorption s k h where they are products. Whole voxels make decays 25 % short at 11 points.
//   furniture: error = scattering sqrt(f) (k h)^2 where voxels are cut, sqrt(f) (k h)^(1/2) where they are whole, f the
//     fraction of the walls' area that belongs to furniture (furniture.hpp). Its edges, sheets, thin solids, narrow
//     passages and bodies of a few cells scatter wrongly, each in its own way, so that errors add in squares: with each
//     other, hence the root of the fraction, and with those of absorption. Whole voxels make of a desk of 20 mm one of
//     a voxel: T20 at 125 Hz is up to 19 % off between posts, 29 % beside a splayed wall, on any grid from 73 to 150
//     mm. The constants are fitted to T20 by octave against converged runs of boxes with plates, screens, blocks, posts
//     and shelves, and a classroom (bench/rooms/furnished.py). Up to the limit T20 is within `geometry_error` there and in
//     rooms to which nothing was fitted; EDT, of which a few early reflections decide, within twice that.
//   frequencies: error = shift h S / V, S the area that cuts voxels; the formula is displacement (h S / V) (k h)^(1/2), the
//     mean effect of a wall that stands that fraction of a cell off. In a rigid sphere of radius 10 cells the worst
//     mode from 8 points a wavelength up is 9 cents off with leggy-4, 6.5 with box-222 and 13 with compact-3, whose
//     dispersion makes 9 of them (tests/physics/test_curved_rooms.cpp); with whole voxels radial modes were 23 to 30
//     cents off (bench/results/limits.md).
#pragma once

#include "engine/plan/plan.hpp"
#include "engine/planning/choose/limit.hpp"
#include "engine/planning/choose/oblique_errors.hpp"
#include "engine/planning/room/room_tally.hpp"
#include "scenes/mesh/mesh.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// Of a room on its grid.
struct CutArea {
  double fraction = 0.0;    // of the walls' area, in voxels that walls cut
  double per_volume = 0.0;  // 1/m, that area over the volume of air
  double furnished = 0.0;   // fraction of the walls' area that belongs to furniture
};
CutArea cut_area(const RoomTally& room, const Grid& grid);  // without furniture

// The same of a mesh on the grid of `stencil`. Where voxels are whole (knows_cut_voxels), walls along planes of the grid
// are moved, and all area counts per volume, but their absorption is right: the fraction is the oblique one of the
// mesh.
CutArea cut_area(const RoomTally& room, const Grid& grid, const Mesh& mesh, const GridStencil& stencil);

// The fraction of a mesh's area that lies along no plane of the grid, by more than 2.5 degrees.
double oblique_fraction(const Mesh& mesh);

// Whether a stencil runs below its own Courant number in a mesh: leggy ones beside walls along no plane of the grid, beside
// which waves would crowd, and radial sets, which cut voxels where the certificate over all masks holds alone.
bool lowers_courant(const Mesh& mesh, const Stencil& stencil);

// Of one stencil, each falling with the points a wavelength.
class GeometryErrors {
 public:
  // `on_grid`: that stencil on a grid.
  GeometryErrors(const Stencil& stencil, const GridStencil& on_grid);
  double of_decays(double points, const CutArea& cut) const;
  double of_modes(double points) const;  // over h S / V

 private:
  struct Formula {
    double absorption, order, displacement, scattering, order_of_scattering;
  };
  static Formula formula_of(const GridStencil& on_grid);

  Formula formula_;
  const ObliqueRow* row_;       // or null
  double heard_ = 1.5;          // T20's error over that of decays between oblique planes
  double beside_strong_ = 0.0;  // its least error over k h
};

// The larger of the errors is the limit: T20 within `geometry_error`, EDT within twice that, frequencies of modes within
// `dispersion_error`.
// Up to `max_frequency` (Hz).
Limit geometry_limit(const CutArea& cut, const Grid& grid, const GeometryErrors& errors, double geometry_error,
                     double dispersion_error, double max_frequency);

// The coarsest spacing in m that reaches `frequency` (Hz); infinite where nothing is cut and the room has no furniture.
double geometry_spacing(const CutArea& cut, const GeometryErrors& errors, double geometry_error,
                        double dispersion_error, double frequency, double sound_speed);

}  // namespace fdtd
