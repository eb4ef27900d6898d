// The energy of the image sources of a box, one by one.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace fdtd::test {

// The sum over images nearer than `farthest` (m), of at most `order` reflections (-1: all), of 1/r^2 times the squared
// reflection factors at the walls' real admittances (x_min, x_max, y_min, ...).
inline double image_energy(const std::array<double, 3>& sides, const std::array<double, 3>& source,
                           const std::array<double, 3>& receiver, const std::vector<double>& admittance,
                           double farthest, int order = -1) {
  std::array<int, 3> most{};
  for (std::size_t d = 0; d < 3; ++d) most[d] = static_cast<int>(farthest / sides[d]) + 2;
  double sum = 0.0;
  std::array<int, 3> n{};
  for (n[0] = -most[0]; n[0] <= most[0]; ++n[0])
    for (n[1] = -most[1]; n[1] <= most[1]; ++n[1])
      for (n[2] = -most[2]; n[2] <= most[2]; ++n[2]) {
        if (order >= 0 && std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]) > order) continue;
        std::array<double, 3> way{};
        double square = 0.0;
        for (std::size_t d = 0; d < 3; ++d) {
          const bool mirrored = n[d] % 2 != 0;
          way[d] = (mirrored ? (n[d] + 1) * sides[d] - source[d] : n[d] * sides[d] + source[d]) - receiver[d];
          square += way[d] * way[d];
        }
        if (square >= farthest * farthest) continue;
        double energy = 1.0 / square;
        for (std::size_t d = 0; d < 3; ++d) {
          const double cosine = std::abs(way[d]) / std::sqrt(square);
          const int all = std::abs(n[d]), high = n[d] > 0 ? (all + 1) / 2 : all / 2;
          for (const int wall : {0, 1}) {
            const double y = admittance[2 * d + static_cast<std::size_t>(wall)];
            if (y == 0.0) continue;
            const double factor = (cosine - y) / (cosine + y);
            energy *= std::pow(factor * factor, wall == 1 ? high : all - high);
          }
        }
        sum += energy;
      }
  return sum;
}

}  // namespace fdtd::test
