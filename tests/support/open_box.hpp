// The bare scheme u0 <- S u1 - u0 in a box with zeros around it, on the host in double: the truth that GPU kernels, which
// know no walls, are held against. Written to be read, point by point from the stencil's own terms.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd::test {

struct OpenBox {
  std::array<int, 3> size{};
  std::array<std::vector<double>, 2> u;  // u[1]: now, u[0]: before; node x + nx (y + ny z)
};

// Uniform in [-1, 1), floats in double: the same start in both precisions.
inline OpenBox random_box(std::array<int, 3> size, unsigned seed) {
  std::mt19937 random(seed);
  OpenBox box{size, {}};
  for (auto& field : box.u) {
    field.resize(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                 static_cast<std::size_t>(size[2]));
    for (double& value : field) value = static_cast<double>(random() >> 8U) * 0x1p-23 - 1.0;
  }
  return box;
}

// u[1 - which] <- S u[which] - u[1 - which].
inline void step(OpenBox& box, const GridStencil& stencil, int which) {
  const auto [nx, ny, nz] = box.size;
  const auto& u1 = box.u[static_cast<std::size_t>(which)];
  auto& u0 = box.u[static_cast<std::size_t>(1 - which)];
  const auto node = [nx = nx, ny = ny](int x, int y, int z) {
    return static_cast<std::size_t>(x + std::int64_t{nx} * (y + std::int64_t{ny} * z));
  };
  for (std::size_t i = 0; i < u0.size(); ++i) u0[i] = stencil.centre * u1[i] - u0[i];
  for (const Term& term : stencil.terms) {
    const auto [a, b, c] = term.offset;
    for (int dz = -c; dz <= c; dz += c > 0 ? 2 * c : 1)
      for (int dy = -b; dy <= b; dy += b > 0 ? 2 * b : 1)
        for (int dx = -a; dx <= a; dx += a > 0 ? 2 * a : 1)
          for (int z = std::max(0, -dz); z < std::min(nz, nz - dz); ++z)
            for (int y = std::max(0, -dy); y < std::min(ny, ny - dy); ++y)
              for (int x = std::max(0, -dx); x < std::min(nx, nx - dx); ++x)
                u0[node(x, y, z)] += term.weight * u1[node(x + dx, y + dy, z + dz)];
  }
}

}  // namespace fdtd::test
