#include "scenes/mesh/tree/ray_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fdtd {

TreeRay::TreeRay(const Point& start, const Point& direction, const Point& middle, double most, std::uint32_t first,
                 std::uint32_t second)
    : farthest(most), skip_first(first), skip_second(second) {
  const double along_x = std::abs(direction[0]), along_y = std::abs(direction[1]), along_z = std::abs(direction[2]);
  const bool more_y = along_y > along_x, most_z = along_z > (more_y ? along_y : along_x);
  z = most_z ? 2 : (more_y ? 1 : 0);
  // The two others, exchanged where the direction is negative: triangles keep their orientation.
  constexpr std::array<std::uint8_t, 6> others = {1, 2, 2, 0, 0, 1};
  const std::size_t negative = direction[z] < 0.0 ? 1 : 0;
  x = others[2 * z + negative];
  y = others[2 * z + 1 - negative];
  rate = 1.0 / direction[z];
  shear_x = direction[x] * rate;
  shear_y = direction[y] * rate;
  for (std::size_t d = 0; d < 3; ++d) {
    from[d] = start[d];
    auto way = static_cast<float>(direction[d]);
    if (std::abs(way) < 1e-30F) way = std::copysign(1e-30F, way);  // its inverse is finite
    inverse[d] = 1.0F / way;
    const auto at = static_cast<float>(start[d] - middle[d]);
    const float rounding = std::copysign(std::abs(at) * 0x1p-23F, way);  // above that of `at`
    near_from[d] = at + rounding;
    far_from[d] = at - rounding;
    const std::size_t backwards = std::signbit(way) ? 3 : 0;
    near[d] = d + backwards;
    far[d] = d + 3 - backwards;
  }
}

const std::vector<RaySearch>& ray_searches() {
  static const std::vector<RaySearch> all = {
#ifdef FDTD_HAS_avx2
      {"AVX2", [] { return __builtin_cpu_supports("avx2") != 0; }, avx2::nearest_hit, avx2::any_hit},
#endif
      {"baseline", [] { return true; }, baseline::nearest_hit, baseline::any_hit}};
  return all;
}

const RaySearch& ray_search() {
  static const RaySearch& best =
      *std::find_if(ray_searches().begin(), ray_searches().end(), [](const RaySearch& one) { return one.runs_here(); });
  return best;
}

}  // namespace fdtd
