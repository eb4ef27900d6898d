#include "engine/planning/choose/geometry_limit.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

const Grid grid{{20, 10, 10}, {0.1, 0.1, 0.1}, 1e-4, 340.0};

GridStencil on_cube(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

GeometryErrors errors_of(const Stencil& stencil) { return {stencil, on_cube(stencil)}; }
// At the Courant number at which the program runs it beside oblique walls.
GeometryErrors errors_of(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return errors_of(at_courant(stencil, own_courant(stencil, true)));
}
// The same weights from a file.
GeometryErrors of_file(const char* name) {
  Stencil stencil = *find_stencil(name);
  stencil.family = Family::user;
  return errors_of(stencil);
}

// Of cut voxels, twice, and of whole ones.
GeometryErrors leggy() { return of_file("leggy-4"); }
GeometryErrors compact() { return of_file("compact-4"); }
GeometryErrors whole() { return errors_of("compact-9"); }

}  // namespace

TEST_CASE("whole voxels limit nothing") {
  const CutArea none = cut_area(tally_of(voxels_of(AirMask(grid.size), grid.spacing, "wall")), grid);
  CHECK(none.fraction == 0.0);
  CHECK(geometry_limit(none, grid, leggy(), 0.1, 0.01, 1000.0).beyond);
}

TEST_CASE("the share of cut area counts cut voxels and oblique faces, per volume of what air is left") {
  Voxels voxels = voxels_of(AirMask(grid.size), grid.spacing, "wall");
  for (BoundaryFace& face : voxels.faces)
    if (face.side == 0) face.area = 1.25F;
  voxels.cut.volumes = {{19, 0.5F}};  // has faces +x, -y, -z
  const CutArea cut = cut_area(tally_of(voxels), grid);
  const double area = 1000.0 + 25.0;  // faces
  CHECK(cut.fraction == Approx((125.0 + 3.0) / area));
  CHECK(cut.per_volume == Approx(128.0 * 0.01 / (1999.5 * 0.001)));
}

TEST_CASE("the spacing for a frequency is the one on which the limit is that frequency") {
  for (const CutArea& cut : {CutArea{1.0, 0.1}, CutArea{0.3, 4.0}, CutArea{0.0, 0.0, 0.2}, CutArea{0.9, 0.01, 0.1}})
    for (const GeometryErrors& stencil :
         {leggy(), compact(), whole(), errors_of("leggy-4/warp1"), errors_of("box-222/opt1"), errors_of("compact-3")}) {
      const double spacing = geometry_spacing(cut, stencil, 0.1, 0.01, 800.0, 340.0);
      const Grid own{{20, 10, 10}, {spacing, spacing, spacing}, 1e-4, 340.0};
      CHECK(geometry_limit(cut, own, stencil, 0.1, 0.01, 1e4).frequency == Approx(800.0).epsilon(1e-9));
    }
  CHECK(std::isinf(geometry_spacing({}, leggy(), 0.1, 0.01, 800.0, 340.0)));
}

TEST_CASE(
    "weights of a file: decays limit coarse grids, modes small rooms, a quarter of the error takes half the "
    "frequency") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  const Limit decays = geometry_limit({1.0, 0.1}, grid, leggy(), 0.1, 0.02, 1e4);
  CHECK_FALSE(decays.beyond);
  CHECK(decays.frequency == Approx(std::sqrt(0.1 / 0.05) * turn));
  CHECK(geometry_limit({1.0, 0.1}, grid, leggy(), 0.025, 0.02, 1e4).frequency == Approx(decays.frequency / 2.0));
  const Limit modes = geometry_limit({1.0, 2.0}, grid, leggy(), 1.0, 0.01, 1e4);
  CHECK(modes.frequency == Approx(turn * 0.01 * 0.01 / (0.005 * 0.005)));
  CHECK(modes.by.find("modes") != std::string::npos);
}

TEST_CASE(
    "weights of a file: whether voxels are cut decides how far geometry holds, for decays to second order of sums over "
    "axes") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  REQUIRE(knows_cut_voxels(on_cube(*find_stencil("compact-4"))));
  REQUIRE_FALSE(knows_cut_voxels(on_cube(*find_stencil("compact-9"))));
  CHECK(geometry_limit({0.3, 4.0}, grid, compact(), 0.1, 0.01, 1e4).frequency ==
        geometry_limit({0.3, 4.0}, grid, leggy(), 0.1, 0.01, 1e4).frequency);  // modes
  CHECK(geometry_limit({1.0, 0.1}, grid, compact(), 0.1, 0.02, 1e4).frequency == Approx(0.1 / 0.075 * turn));
  CHECK(geometry_limit({1.0, 0.1}, grid, whole(), 0.1, 0.02, 1e4).frequency == Approx(0.1 / 0.44 * turn));
  CHECK(geometry_limit({1.0, 2.0}, grid, whole(), 10.0, 0.01, 1e4).frequency ==
        Approx(turn * 0.01 * 0.01 / (0.013 * 0.013)));
}

TEST_CASE("furniture limits decays by the root of its share, with whole voxels far below cut ones") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  const auto frequency = [](const CutArea& cut, const GeometryErrors& stencil) {
    return geometry_limit(cut, grid, stencil, 0.1, 0.02, 1e4).frequency;
  };
  const CutArea furnished{0.0, 0.0, 0.16};
  for (const GeometryErrors& stencil : {leggy(), compact()})
    CHECK(frequency(furnished, stencil) == Approx(std::sqrt(0.1 / (0.14 * 0.4)) * turn));
  CHECK(frequency(furnished, whole()) == Approx(std::pow(0.1 / (1.1 * 0.4), 2) * turn));
  // Beside walls that cut voxels both errors count, in squares.
  const CutArea both{1.0, 0.0, 0.16};
  CHECK(frequency(both, compact()) < 0.99 * frequency({1.0, 0.0}, compact()));
  const double at = frequency(both, compact()) / turn;
  CHECK(std::hypot(0.075 * at, 0.14 * 0.4 * at * at) == Approx(0.1));
  CHECK(geometry_limit(furnished, grid, whole(), 0.1, 0.02, 1e4).by.find("16 % belongs to furniture") !=
        std::string::npos);
}

// The points a wavelength that the planner takes for decays within 10 and 5 %.
TEST_CASE("beside oblique walls alone every stencil has its own limit") {
  const auto points = [](const char* name, double error) {
    return 340.0 / (1000.0 * geometry_spacing({1.0, 0.0, 0.0}, errors_of(name), error, 0.01, 1000.0, 340.0));
  };
  CHECK(points("leggy-1", 0.1) == Approx(4.72).margin(0.05));
  CHECK(points("leggy-2/warp1", 0.1) == Approx(3.18).margin(0.05));
  CHECK(points("leggy-4/warp1", 0.1) == Approx(3.34).margin(0.05));
  CHECK(points("leggy-4/warp1", 0.05) == Approx(4.97).margin(0.05));
  CHECK(points("leggy-4/opt1", 0.1) == Approx(3.07).margin(0.05));
  CHECK(points("leggy-8/warp1", 0.1) == Approx(3.35).margin(0.05));
  CHECK(points("compact-4/opt1", 0.1) == Approx(4.50).margin(0.05));
  CHECK(points("box-222/opt1", 0.1) == Approx(4.58).margin(0.05));
  // Of products of radius 1 T20 is wrong by k h / 10 above a floor that absorbs much.
  CHECK(points("compact-3/opt1", 0.1) == Approx(2.0 * std::numbers::pi));
  CHECK(points("box-111/opt1", 0.1) == points("compact-3/opt1", 0.1));
  // With radial sets by more: 15 % at 4.8 and at 6.28 points (turned-box-radial.json).
  for (const char* radial : {"compact-4/radial1", "compact-5/radial03", "compact-6/radial03"})
    CHECK(points(radial, 0.1) == Approx(2.5 * std::numbers::pi));
  CHECK(points("compact-3/radial1", 0.1) == Approx(3.2 * std::numbers::pi));
  CHECK(errors_of("compact-4/radial1").of_decays(4.8, {1.0, 0.0, 0.0}) >= 0.153);
  CHECK(errors_of("compact-3/radial1").of_decays(6.28, {1.0, 0.0, 0.0}) >= 0.146);
  // Of box-222, beside weak walls and above such a floor.
  CHECK(errors_of("box-222/radial1").of_decays(3.4, {1.0, 0.0, 0.0}) >= 0.117);
  CHECK(errors_of("box-222/radial2").of_decays(3.0, {1.0, 0.0, 0.0}) >= 0.221);
  CHECK(errors_of("box-222/radial2").of_decays(3.4, {1.0, 0.0, 0.0}) >= 0.239);
  CHECK(errors_of("box-222/radial2").of_decays(4.8, {1.0, 0.0, 0.0}) >= 0.346);
  CHECK(errors_of("box-222/radial03").of_decays(4.8, {1.0, 0.0, 0.0}) >= 0.258);
  const double modes =
      340.0 / (1000.0 * geometry_spacing({1.0, 2.0, 0.0}, errors_of("compact-3/opt1"), 10.0, 0.005, 1000.0, 340.0));
  CHECK(modes == Approx(0.0304 * 2.0 * 0.34 / 0.005).epsilon(0.03));
}

TEST_CASE("the errors of a stencil fall with the points, and are the table's up to the Courant number of the table") {
  for (const ObliqueRow& row : oblique_rows())
    for (double points = 1.5; points < 40.0; points *= 1.01) {
      CAPTURE(row.stencils, points);
      REQUIRE(oblique_decay(row, 1.01 * points) <= oblique_decay(row, points));
      REQUIRE(oblique_shift(row, 1.01 * points) <= oblique_shift(row, points));
    }
  const Stencil& stencil = *find_stencil("leggy-4");
  REQUIRE(own_courant(stencil, true) < stencil.courant);
  CHECK(find_oblique_row(stencil) == nullptr);
  CHECK(find_oblique_row(at_courant(stencil, own_courant(stencil, true))) != nullptr);
  CHECK(find_oblique_row(at_courant(stencil, 0.5 * stencil.courant)) != nullptr);
  CHECK(find_oblique_row(*find_stencil("compact-9")) == nullptr);
}

TEST_CASE("every stencil of the catalogue whose voxels are cut has its errors beside oblique walls") {
  for (const Stencil& stencil : catalogue()) {
    const Stencil own = at_courant(stencil, own_courant(stencil, true));
    CAPTURE(stencil.name);
    CHECK((find_oblique_row(own) != nullptr) == knows_cut_voxels(on_cube(own)));
  }
}
