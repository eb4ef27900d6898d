// Eigenfrequencies of rooms that no grid fits, against exact ones: the space error alone, in cents, from the operator
// that the program runs.
#include <cmath>
#include <random>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/curved_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr double radius = 10.0, highest = 2.0 * 3.14159265358979 * radius / 8.0;  // 8 points a wavelength

GridStencil at_own_courant(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

double disc_error(const std::array<double, 2>& centre, double of_radius) {
  const Stencil& stencil = *find_stencil("leggy-4");
  return spread_of(disc_errors(on_grid(stencil, {stencil.courant, stencil.courant, 0.0}), centre, of_radius, 5.4).cents)
      .rms;
}

}  // namespace

// Heights seen along the axes with areas clipped made the radial modes 23 to 30 cents sharp, the dipole 16.
TEST_CASE("modes of a rigid sphere of radius 10 cells, 8 points a wavelength and more, are right to 12 cents",
          "[physics]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> offset(-0.5, 0.5);
  const std::array<double, 3> centre = {offset(random), offset(random), offset(random)};
  // Rows as a float kernel has them; test_curved_runs.cpp has both.
  const GridStencil stencil = rounded_to_float(at_own_courant("leggy-4"));
  const ModeErrors sphere = sphere_errors(stencil, centre, radius, highest, false, true);
  const Spread all = spread_of(sphere.cents);
  INFO("leggy-4: mean " << all.mean << " rms " << all.rms << " most " << all.most);
  CHECK(all.count == 58);
  CHECK(all.most < 12.0);
  CHECK(all.rms < 7.0);
  CHECK(std::abs(sphere.cents[0] + sphere.cents[1] + sphere.cents[2]) < 3.0 * 2.5);  // the dipole
  std::vector<double> radial, decay;
  for (std::size_t j = 0; j < sphere.modes.size(); ++j) {
    if (sphere.modes[j].order != 0) continue;
    radial.push_back(sphere.cents[j]);
    decay.push_back(sphere.decay[j]);
  }
  REQUIRE(radial.size() == 2);
  for (const double off : radial) CHECK(std::abs(off) < 6.0);
  CHECK(decay[0] == Approx(1.0).epsilon(0.03));  // 14 points a wavelength
  CHECK(decay[1] == Approx(1.0).epsilon(0.05));  // 8
}

// The dispersion of compact-3 alone makes 9 of these cents.
TEST_CASE("compact and box stencils have the modes of a rigid sphere of radius 10 cells to 10 cents in the mean square",
          "[physics]") {
  for (const auto& [name, limit] : {std::pair{"compact-3", 7.0}, {"compact-5", 4.0}}) {
    const Spread all = spread_of(sphere_errors(at_own_courant(name), {0.31, -0.17, 0.42}, radius, highest, true).cents);
    INFO(name << ": mean " << all.mean << " rms " << all.rms << " most " << all.most);
    CHECK(all.rms < limit);
    CHECK(all.most < 15.0);
  }
}

TEST_CASE("modes of a disc converge with order 2 or more", "[physics]") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> offset(-0.5, 0.5);
  std::vector<double> errors;
  const std::vector<double> radii = {6.0, 9.0, 13.5, 20.25, 30.0};
  for (const double of_radius : radii) {
    double square = 0.0;
    for (int trial = 0; trial < 3; ++trial) {
      const double error = disc_error({offset(random), offset(random)}, of_radius);
      square += error * error / 3.0;
    }
    errors.push_back(std::sqrt(square));
  }
  INFO(errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3] << " " << errors[4]);
  CHECK(errors[2] < 2.0);
  CHECK(std::log(errors.front() / errors.back()) / std::log(radii.back() / radii.front()) > 2.0);
}
