#include "engine/above/lattice_end.hpp"

#include <algorithm>
#include <vector>

#include "engine/rays/snub_cube.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("rays go on from the images' energy, each octave by itself, with the slope of their own", "[above]") {
  // Two receivers, two octaves, eight bins; images to bin 4, compared from bin 2 on.
  RayEnergies rays;
  rays.bins = 8;
  rays.energy.assign(2 * 2 * 2 * 8, 1.0);
  const auto row = [&](std::size_t half, std::size_t receiver, std::size_t octave) {
    return rays.energy.begin() + static_cast<std::ptrdiff_t>(((half * 2 + receiver) * 2 + octave) * 8);
  };
  row(0, 1, 1)[6] = 5.0;
  rays.directions.assign(2 * 8 * arrival_directions, 1.0);  // of the second receiver
  const std::vector<double> images = {9.0, 9.0, 0.4, 0.2, 7.0, 0.0, 0.0, 0.0};
  continue_images(rays, {1, 2, 1, 2, 0}, images, {2, 4});
  const double factor = 0.6 / 4.0;
  for (const std::size_t half : {0, 1})
    for (std::size_t i = 0; i < 8; ++i)
      CHECK(row(half, 1, 1)[static_cast<std::ptrdiff_t>(i)] ==
            Approx(i < 4 ? 0.0 : (half == 0 && i == 6 ? 5.0 : 1.0) * factor));
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(row(0, 0, 1)[static_cast<std::ptrdiff_t>(i)] == 1.0);  // another receiver, another octave
    CHECK(row(0, 1, 0)[static_cast<std::ptrdiff_t>(i)] == 1.0);
    CHECK(rays.directions[(8 + i) * arrival_directions + 5] == Approx(i < 4 ? 0.0 : factor));
    CHECK(rays.directions[i * arrival_directions + 5] == 1.0);
  }
}

TEST_CASE("rays without any beside the images go on as they are", "[above]") {
  RayEnergies rays;
  rays.bins = 4;
  rays.energy = {0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0};
  continue_images(rays, {}, std::vector{1.0, 1.0, 0.0, 0.0}, {1, 2});
  CHECK(rays.energy == std::vector{0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0});
}
