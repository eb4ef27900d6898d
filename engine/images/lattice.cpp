#include "engine/images/lattice.hpp"

#include <numbers>

namespace fdtd {
namespace {

struct WallHit {
  double at = 0.0;  // fraction of the path from the source
  std::uint32_t wall = 0;
  double cosine = 0.0;
};

}  // namespace

SpecularPath path_of_image(const BoxPair& box, const LatticeImage& image) {
  SpecularPath path;
  path.length = image.length;
  path.departure = departure(image);
  std::vector<WallHit> hits;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    path.arrival[axis] = image.towards[axis] / image.length;
    // Unfolded from the receiver, the path crosses the planes n L of the axis: even n are images of the low wall.
    const std::int64_t crossings = std::abs(image.index[axis]);
    for (std::int64_t m = 0; m < crossings; ++m) {
      const std::int64_t n = image.index[axis] > 0 ? m + 1 : -m;
      const double from_receiver =
          (static_cast<double>(n) * box.sides[axis] - box.receiver[axis]) / image.towards[axis];
      hits.push_back({1.0 - from_receiver, static_cast<std::uint32_t>(2 * axis + (n % 2 == 0 ? 0 : 1)),
                      std::abs(path.arrival[axis])});
    }
  }
  std::ranges::sort(hits, [](const WallHit& a, const WallHit& b) {
    return a.at != b.at ? a.at < b.at : a.wall < b.wall;  // through an edge: in the order of the walls
  });
  for (const WallHit& hit : hits) {
    path.facets.push_back(hit.wall);
    path.cosines.push_back(hit.cosine);
  }
  return path;
}

double lattice_reach(const std::array<double, 3>& sides, double wanted, double most) {
  const double volume = sides[0] * sides[1] * sides[2];
  return std::min(wanted, std::cbrt(most * volume * 0.75 / std::numbers::pi));
}

}  // namespace fdtd
