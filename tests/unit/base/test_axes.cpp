#include "base/axes.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

void check_near(const Point& a, const Point& b) {
  for (std::size_t d = 0; d < 3; ++d) CHECK(a[d] == Approx(b[d]).margin(1e-12));
}

}  // namespace

TEST_CASE("axes of any front and up are perpendicular, right-handed and of unit length") {
  const auto axes = axes_of({3.0, 1.0, -0.5}, {0.2, 0.1, 2.0});
  REQUIRE(axes);
  check_near(axes->front, unit({3.0, 1.0, -0.5}));
  check_near(cross(axes->front, axes->left), axes->up);
  CHECK(dot(axes->front, axes->left) == Approx(0.0).margin(1e-12));
  CHECK(norm(axes->left) == Approx(1.0));
  CHECK(axes->up[2] > 0.0);
  const Point v{0.3, -0.7, 1.9};
  check_near(from_axes(*axes, in_axes(*axes, v)), v);
}

TEST_CASE("a turn to the left by a quarter looks to where the left was, and leaves the up") {
  const auto axes = axes_of({1.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
  REQUIRE(axes);
  const Axes turned = turned_left(*axes, 90.0);
  check_near(turned.front, {0.0, 1.0, 0.0});
  check_near(turned.left, {-1.0, 0.0, 0.0});
  check_near(turned.up, {0.0, 0.0, 1.0});
}

TEST_CASE("a front along the up, or of length 0, has no axes") {
  CHECK_FALSE(axes_of({0.0, 0.0, 2.0}, {0.0, 0.0, -1.0}));
  CHECK_FALSE(axes_of({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  CHECK_FALSE(axes_of({1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}));
}
