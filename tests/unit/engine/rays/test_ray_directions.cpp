#include "engine/rays/ray_directions.hpp"

#include "tests/support/catch.hpp"

namespace fdtd {

TEST_CASE("each beginning of the directions of rays covers the sphere evenly") {
  const std::int64_t most = 20000;
  std::vector<Point> all;
  for (std::int64_t j = 0; j < most; ++j) all.push_back(ray_direction(j, 0.3));
  for (const std::int64_t count : {most / 8, most / 3, most}) {
    const double expected = 50.0, height = 1.0 - 2.0 * expected / static_cast<double>(count);
    double square = 0.0;  // random directions: 1 / expected
    const int caps = 100;
    for (int i = 0; i < caps; ++i) {
      const Point cap = ray_direction(7919 * i + 13, 0.77);
      int found = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        const Point& one = all[static_cast<std::size_t>(j)];
        found += one[0] * cap[0] + one[1] * cap[1] + one[2] * cap[2] > height ? 1 : 0;
      }
      square += std::pow(found / expected - 1.0, 2.0) / caps;
    }
    CHECK(std::sqrt(square) < 0.05);
  }
  const Point first = ray_direction(0, 0.0);
  CHECK(first[2] == 0.0);
  CHECK(first[0] == -1.0);
  // Far on the sequence is as exact: directions 2^40 apart differ by the whole numbers' products alone.
  const std::int64_t far = std::int64_t{1} << 40U;
  const double step = 0.5 * (ray_direction(far, 0.0)[2] - ray_direction(0, 0.0)[2]),
               again = 0.5 * (ray_direction(2 * far, 0.0)[2] - ray_direction(far, 0.0)[2]);
  CHECK(std::abs(step - again - std::round(step - again)) < 1e-15);
}

}  // namespace fdtd
