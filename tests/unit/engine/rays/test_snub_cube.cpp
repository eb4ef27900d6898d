#include "engine/rays/snub_cube.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd {

TEST_CASE("the directions of arrival are 24 alike, each nearest to itself") {
  const auto& all = snub_cube();
  std::array<std::array<double, 3>, 3> moment{};
  for (std::size_t v = 0; v < all.size(); ++v) {
    CHECK(nearest_vertex(all[v]) == v);
    int neighbours = 0;
    double nearest = -1.0;
    for (std::size_t w = 0; w < all.size(); ++w) {
      const double cosine = all[v][0] * all[w][0] + all[v][1] * all[w][1] + all[v][2] * all[w][2];
      if (v == w)
        CHECK(cosine == Approx(1.0));
      else
        nearest = std::max(nearest, cosine);
      if (v != w && std::acos(cosine) < 0.7627) ++neighbours;  // 43.69 degrees apart
    }
    CHECK(std::acos(nearest) == Approx(0.76249).epsilon(1e-4));
    CHECK(neighbours == 5);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) moment[i][j] += all[v][i] * all[v][j] / 24.0;
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(moment[i][j] == Approx(i == j ? 1.0 / 3.0 : 0.0).margin(1e-12));
}

}  // namespace fdtd
