// The bare scheme u0 <- S u1 - u0 in a box with zeros around it, or with its mirror image behind some of its sides, on
// the host in double: the truth that GPU kernels are held against. Written to be read, point by point from the
// stencil's own terms.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "engine/walls/near_wall_operator.hpp"
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

// Where the box's mirror image lies: behind its sides across x and y, below it, above it. Zeros elsewhere.
struct Images {
  bool sides = false, below = false, above = false;
};

// u[1 - which] <- S u[which] - u[1 - which].
inline void step(OpenBox& box, const GridStencil& stencil, int which, const Images& images = {}) {
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
          for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
              for (int x = 0; x < nx; ++x) {
                const int px = x + dx, py = y + dy, pz = z + dz;
                const bool beside = px < 0 || py < 0 || px >= nx || py >= ny;
                if ((beside && !images.sides) || (pz < 0 && !images.below) || (pz >= nz && !images.above)) continue;
                u0[node(x, y, z)] += term.weight * u1[node(fold(px, nx), fold(py, ny), fold(pz, nz))];
              }
  }
}

}  // namespace fdtd::test
