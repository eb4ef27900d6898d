#include "engine/rays/snub_cube.hpp"

#include <cmath>

namespace fdtd {
namespace {

// Even permutations of (1, 1/t, t) with an even number of positive signs, odd ones with an odd number.
std::array<Point, arrival_directions> vertices() {
  constexpr double t = 1.8392867552141612;  // t3 = t2 + t + 1
  const double length = std::sqrt(1.0 + 1.0 / (t * t) + t * t);
  const Point value = {1.0 / length, 1.0 / (t * length), t / length};
  constexpr std::array<std::array<std::size_t, 3>, 6> order = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  std::array<Point, arrival_directions> found{};
  std::size_t count = 0;
  for (std::size_t p = 0; p < 6; ++p) {
    for (unsigned positive = 0; positive < 8; ++positive) {
      const unsigned ones = (positive & 1U) + (positive >> 1U & 1U) + (positive >> 2U);
      if (ones % 2 != (p < 3 ? 0U : 1U)) continue;
      for (std::size_t d = 0; d < 3; ++d)
        found[count][d] = (positive >> d & 1U) != 0 ? value[order[p][d]] : -value[order[p][d]];
      ++count;
    }
  }
  return found;
}

}  // namespace

const std::array<Point, arrival_directions>& snub_cube() {
  static const std::array<Point, arrival_directions> all = vertices();
  return all;
}

std::size_t nearest_vertex(const Point& direction) {
  const auto& all = snub_cube();
  std::size_t nearest = 0;
  double most = -2.0;
  for (std::size_t v = 0; v < all.size(); ++v) {
    const double cosine = all[v][0] * direction[0] + all[v][1] * direction[1] + all[v][2] * direction[2];
    if (cosine > most) {
      most = cosine;
      nearest = v;
    }
  }
  return nearest;
}

}  // namespace fdtd
