#include "engine/planning/choose/geometry_limit.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

const Grid grid{{20, 10, 10}, {0.1, 0.1, 0.1}, 1e-4, 340.0};

GridStencil stencil_of(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

// Of cut voxels, twice, and of whole ones.
GridStencil leggy() { return stencil_of("leggy-4"); }
GridStencil compact() { return stencil_of("compact-3"); }
GridStencil whole() { return stencil_of("compact-9"); }

}  // namespace

TEST_CASE("whole voxels limit nothing") {
  const CutArea none = cut_area(tally_of(voxels_of(AirMask(grid.size), grid.spacing, "wall")), grid);
  CHECK(none.share == 0.0);
  CHECK(geometry_limit(none, grid, leggy(), 0.1, 0.01, 1000.0).beyond);
}

TEST_CASE("the share of cut area counts cut voxels and oblique faces, per volume of what air is left") {
  Voxels voxels = voxels_of(AirMask(grid.size), grid.spacing, "wall");
  for (BoundaryFace& face : voxels.faces)
    if (face.side == 0) face.area = 1.25F;
  voxels.cut.volumes = {{19, 0.5F}};  // has faces +x, -y, -z
  const CutArea cut = cut_area(tally_of(voxels), grid);
  const double area = 1000.0 + 25.0;  // faces
  CHECK(cut.share == Approx((125.0 + 3.0) / area));
  CHECK(cut.per_volume == Approx(128.0 * 0.01 / (1999.5 * 0.001)));
}

TEST_CASE("the spacing for a frequency is the one on which the limit is that frequency") {
  for (const CutArea& cut : {CutArea{1.0, 0.1}, CutArea{0.3, 4.0}, CutArea{0.0, 0.0, 0.2}, CutArea{0.9, 0.01, 0.1}})
    for (const GridStencil& stencil : {leggy(), compact(), whole()}) {
      const double spacing = geometry_spacing(cut, stencil, 0.1, 0.01, 800.0, 340.0);
      const Grid own{{20, 10, 10}, {spacing, spacing, spacing}, 1e-4, 340.0};
      CHECK(geometry_limit(cut, own, stencil, 0.1, 0.01, 1e4).frequency == Approx(800.0).epsilon(1e-9));
    }
  CHECK(std::isinf(geometry_spacing({}, leggy(), 0.1, 0.01, 800.0, 340.0)));
}

TEST_CASE("decays limit coarse grids, modes small rooms; a quarter of the error takes half the frequency for decays") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  const Limit decays = geometry_limit({1.0, 0.1}, grid, leggy(), 0.1, 0.02, 1e4);
  CHECK_FALSE(decays.beyond);
  CHECK(decays.frequency == Approx(std::sqrt(0.1 / 0.05) * turn));
  CHECK(geometry_limit({1.0, 0.1}, grid, leggy(), 0.025, 0.02, 1e4).frequency == Approx(decays.frequency / 2.0));
  const Limit modes = geometry_limit({1.0, 2.0}, grid, leggy(), 1.0, 0.01, 1e4);
  CHECK(modes.frequency == Approx(turn * 0.01 * 0.01 / (0.005 * 0.005)));
  CHECK(modes.by.find("modes") != std::string::npos);
}

TEST_CASE("whether voxels are cut decides how far geometry holds; decays of sums over axes hold to second order") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  REQUIRE(knows_cut_voxels(compact()));
  REQUIRE_FALSE(knows_cut_voxels(whole()));
  CHECK(geometry_limit({0.3, 4.0}, grid, compact(), 0.1, 0.01, 1e4).frequency ==
        geometry_limit({0.3, 4.0}, grid, leggy(), 0.1, 0.01, 1e4).frequency);  // modes
  CHECK(geometry_limit({1.0, 0.1}, grid, compact(), 0.1, 0.02, 1e4).frequency == Approx(0.1 / 0.075 * turn));
  CHECK(geometry_limit({1.0, 0.1}, grid, whole(), 0.1, 0.02, 1e4).frequency == Approx(0.1 / 0.44 * turn));
  CHECK(geometry_limit({1.0, 2.0}, grid, whole(), 10.0, 0.01, 1e4).frequency ==
        Approx(turn * 0.01 * 0.01 / (0.013 * 0.013)));
}

TEST_CASE("furniture limits decays by the root of its share, with whole voxels far below cut ones") {
  const double turn = 340.0 / (2.0 * std::numbers::pi * 0.1);
  const auto frequency = [](const CutArea& cut, const GridStencil& stencil) {
    return geometry_limit(cut, grid, stencil, 0.1, 0.02, 1e4).frequency;
  };
  const CutArea furnished{0.0, 0.0, 0.16};
  for (const GridStencil& stencil : {leggy(), compact()})
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
