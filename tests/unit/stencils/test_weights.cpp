// Weights by axis and distance, and by shell, beside the terms that they are made from.
#include "stencils/weights.hpp"

#include <cmath>
#include <set>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

GridStencil cubic(const Stencil& stencil) {
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

}  // namespace

TEST_CASE("shells up to a radius are numbered without gaps, in lexicographic order", "[stencil]") {
  int expected = 0;
  for (int a = 0; a <= max_shell_radius; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c) {
        CHECK(shell_number(a, b, c) == expected);
        for (const int of : {shell_of(a, b, c), shell_of(c, a, b), shell_of(b, c, a), shell_of(c, b, a)})
          CHECK(of == expected);
        CHECK(shell_bit(a, b, c) == std::uint64_t{1} << expected);
        ++expected;
      }
  CHECK(shell_count == expected);
}

TEST_CASE("every stencil of the catalogue is a star or a cube, with each term's own weight", "[stencil]") {
  for (const Stencil& stencil : catalogue()) {
    CAPTURE(stencil.name);
    const GridStencil grid = cubic(stencil);
    const auto star = star_weights(grid);
    const auto cube = cube_weights(grid);
    CHECK(star.has_value() == (stencil.family == Family::leggy || stencil.shells.size() == 1));
    CHECK(cube.has_value() == (stencil.radius() <= max_shell_radius));
    REQUIRE((star || cube));
    for (const Term& term : grid.terms) {
      const auto [a, b, c] = term.offset;
      if (cube) CHECK(cube->weight(c, a, b) == term.weight);
      if (!star) continue;
      const std::size_t axis = a != 0 ? 0 : b != 0 ? 1 : 2;
      CHECK(star->weight[axis][static_cast<std::size_t>(a + b + c - 1)] == term.weight);
    }
    if (star) CHECK(star->radius == stencil.radius());
    if (star) CHECK(star->centre == grid.centre);
    if (!cube) continue;
    CHECK(cube->radius == stencil.radius());
    CHECK(cube->weight(0, 0, 0) == grid.centre);
    std::uint64_t shells = shell_bit(0, 0, 0);
    for (const Shell& shell : stencil.shells) shells |= shell_bit(shell.q1, shell.q2, shell.q3);
    CHECK(cube->shells == shells);
  }
}

TEST_CASE("a stencil off the axes is no star, unequal axes, a shell in part and long reach are no cube", "[stencil]") {
  const GridStencil compact = cubic(*find_stencil("compact-2"));
  CHECK_FALSE(star_weights(compact));
  GridStencil part = compact;
  part.terms.pop_back();
  CHECK_FALSE(cube_weights(part));
  GridStencil uneven = compact;
  uneven.terms.back().weight = std::nextafter(uneven.terms.back().weight, 1.0);
  CHECK_FALSE(cube_weights(uneven));
  const Stencil leggy = *find_stencil("leggy-2");
  const double courant = leggy.courant;
  const GridStencil stretched = on_grid(leggy, {courant, courant, courant / 2});
  CHECK_FALSE(cube_weights(stretched));
  const auto star = star_weights(stretched);
  REQUIRE(star);
  for (const std::size_t m : {0U, 1U}) CHECK(star->weight[2][m] == star->weight[0][m] / 4);
  CHECK_FALSE(cube_weights(cubic(*find_stencil("leggy-5"))));
  GridStencil longer = cubic(*find_stencil("leggy-20"));
  CHECK(star_weights(longer));
  longer.terms.push_back({{max_legs + 1, 0, 0}, 0.5});
  CHECK_FALSE(star_weights(longer));
}
