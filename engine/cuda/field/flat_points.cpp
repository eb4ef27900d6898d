#include "engine/cuda/field/flat_points.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd::cuda {

std::vector<FlatPoint> flat_points(const GridStencil& stencil, const Layout& layout) {
  std::vector<FlatPoint> all{{0, stencil.centre}};
  for (const Term& term : stencil.terms) {
    const auto [a, b, c] = term.offset;
    for (int z = -c; z <= c; z += c > 0 ? 2 * c : 1)
      for (int y = -b; y <= b; y += b > 0 ? 2 * b : 1)
        for (int x = -a; x <= a; x += a > 0 ? 2 * a : 1)
          all.push_back({x + y * layout.row + z * layout.plane, term.weight});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FlatPoint& a, const FlatPoint& b) { return std::abs(a.weight) < std::abs(b.weight); });
  return all;
}

}  // namespace fdtd::cuda
