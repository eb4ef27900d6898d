#include "engine/rays/ray_count.hpp"

#include "tests/support/catch.hpp"

namespace fdtd {

TEST_CASE("spheres grow with the room, and end at the nearest wall above 0.1 m") {
  CHECK(radius_of(38.0, 5.0) == Approx(0.09 * 3.3620).epsilon(1e-4));
  CHECK(radius_of(1.0, 5.0) == 0.15);
  CHECK(radius_of(1e6, 5.0) == 1.0);
  CHECK(radius_of(38.0, 0.2) == 0.2);
  CHECK(radius_of(38.0, 0.05) == 0.1);
}

TEST_CASE("the deviation of bins, and the rays that a deviation needs") {
  CHECK(deviation(20000, 38.0, 0.3, 343.2, 0.01) == Approx(0.0469).epsilon(0.002));
  CHECK(deviation(100000, 10000.0, 1.0, 343.2, 0.01) == Approx(0.1022).epsilon(0.002));
  const std::int64_t rays = rays_for(0.02, 38.0, 0.3, 343.2, 0.01);
  CHECK(deviation(rays, 38.0, 0.3, 343.2, 0.01) <= 0.02);
  CHECK(deviation(rays - 1, 38.0, 0.3, 343.2, 0.01) > 0.02);
  CHECK(rays_for(0.05, 38.0, 0.3, 343.2, 0.01) == fewest_rays);
  CHECK(rays_for(0.001, 38.0, 0.3, 343.2, 0.01) == most_rays);
}

}  // namespace fdtd
