#include "engine/images/lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

const BoxPair box = {{4.2, 3.3, 2.6}, {1.13, 0.71, 1.19}, {3.07, 2.81, 0.43}};
using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<Key> keys(double from, double to) {
  std::vector<Key> found;
  visit_images(box, from, to,
               [&](const LatticeImage& image) { found.emplace_back(image.index[0], image.index[1], image.index[2]); });
  return found;
}

// A ray in the box, reflected as a mirror does: the walls that it meets, and where it is after `length`.
struct Walk {
  std::vector<std::uint32_t> walls;
  std::array<double, 3> end{};
};
Walk walk(std::array<double, 3> direction, double length) {
  Walk result;
  result.end = box.source;
  while (true) {
    double nearest = length;
    std::size_t axis = 3;
    for (std::size_t a = 0; a < 3; ++a) {
      const double wall = direction[a] > 0.0 ? box.sides[a] : 0.0;
      const double distance = direction[a] == 0.0 ? 1e9 : (wall - result.end[a]) / direction[a];
      if (distance < nearest) std::tie(nearest, axis) = std::tuple(distance, a);
    }
    for (std::size_t a = 0; a < 3; ++a) result.end[a] += nearest * direction[a];
    if (axis == 3) return result;
    length -= nearest;
    result.walls.push_back(static_cast<std::uint32_t>(2 * axis + (direction[axis] > 0.0 ? 1 : 0)));
    result.end[axis] = direction[axis] > 0.0 ? box.sides[axis] : 0.0;
    direction[axis] = -direction[axis];
  }
}

}  // namespace

TEST_CASE("lattice: each image is the path of a ray that leaves the source and ends at the receiver") {
  int images = 0;
  visit_images(box, 0.0, 17.0, [&](const LatticeImage& image) {
    ++images;
    const SpecularPath path = path_of_image(box, image);
    const Walk ray = walk(path.departure, path.length);
    CHECK(ray.walls == path.facets);
    CHECK(static_cast<std::int64_t>(path.facets.size()) == image.order());
    for (std::size_t a = 0; a < 3; ++a) CHECK(ray.end[a] == Approx(box.receiver[a]).margin(1e-9));
    // The way back leads from the receiver to the source by the same walls.
    const std::array<std::int64_t, 6> count = reflections(image);
    for (std::uint32_t w = 0; w < 6; ++w) CHECK(count[w] == std::ranges::count(path.facets, w));
    for (std::size_t hit = 0; hit < path.facets.size(); ++hit)
      CHECK(path.cosines[hit] == Approx(std::abs(path.arrival[path.facets[hit] / 2])));
    double square = 0.0;
    for (const double one : path.arrival) square += one * one;
    CHECK(square == Approx(1.0));
  });
  CHECK(images > 400);
}

TEST_CASE("lattice: shells hold every image once") {
  std::vector<Key> all;
  for (std::int64_t i = -12; i <= 12; ++i)
    for (std::int64_t j = -14; j <= 14; ++j)
      for (std::int64_t k = -17; k <= 17; ++k) {
        const double x = image_offset(box, 0, i), y = image_offset(box, 1, j), z = image_offset(box, 2, k);
        if (std::sqrt(x * x + y * y + z * z) < 38.0) all.emplace_back(i, j, k);
      }
  CHECK(keys(0.0, 38.0) == all);
  std::vector<Key> parts;
  for (double from = 0.0; from < 38.0; from += 0.5) {
    const std::vector<Key> shell = keys(from, from + 0.5);
    parts.insert(parts.end(), shell.begin(), shell.end());
  }
  std::ranges::sort(parts);
  CHECK(parts == all);
  CHECK(keys(5.0, 5.0).empty());
  CHECK(keys(0.0, 0.0).empty());
}

TEST_CASE("lattice: the reach holds the number of images that is asked for") {
  const double reach = lattice_reach(box.sides, 1e9, 20000.0);
  CHECK(static_cast<double>(keys(0.0, reach).size()) == Approx(20000.0).epsilon(0.02));
  CHECK(lattice_reach(box.sides, 12.0, 20000.0) == 12.0);
}
