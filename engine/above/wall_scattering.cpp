#include "engine/above/wall_scattering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fdtd {

std::vector<WallScattering> wall_scattering(const Scene& scene, const AbovePlan& plan, const GeometricRoom& room) {
  std::vector<WallScattering> walls;
  for (const std::string& name : scene.room.materials().names)
    walls.push_back({name, 0.0, 0.0, std::vector<double>(plan.octaves.size(), 0.0)});
  const std::vector<Facet>& facets = room.facets.facets;
  for (std::uint32_t f = 0; f < facets.size(); ++f) {
    WallScattering& wall = walls[facets[f].material];
    wall.area += facets[f].area;
    wall.free_edges += facets[f].free_edges;
    for (std::size_t octave = 0; octave < plan.octaves.size(); ++octave)
      wall.scattered[octave] += facets[f].area * room.scattering(f, plan.octaves[octave]);
  }
  for (WallScattering& wall : walls)
    for (double& share : wall.scattered) share = wall.area > 0.0 ? share / wall.area : 0.0;
  return walls;
}

std::string scattering_text(const std::vector<WallScattering>& walls, const std::vector<double>& octaves) {
  constexpr double shown_at = 1000.0, least = 0.005;  // Hz; 0.5 %
  constexpr std::size_t most_named = 4;
  double free_edges = 0.0;
  for (const WallScattering& wall : walls) free_edges += wall.free_edges;
  std::string text = fmt::format("free edges {:.3g} m", free_edges);
  const auto nearest =
      std::ranges::min_element(octaves, {}, [](double centre) { return std::abs(std::log(centre / shown_at)); });
  if (nearest == octaves.end()) return text;
  const auto octave = static_cast<std::size_t>(nearest - octaves.begin());
  std::vector<const WallScattering*> some;
  for (const WallScattering& wall : walls)
    if (wall.scattered[octave] >= least) some.push_back(&wall);
  std::ranges::stable_sort(some, std::ranges::greater(),
                           [&](const WallScattering* wall) { return wall->scattered[octave]; });
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < std::min(some.size(), most_named); ++i)
    shares.push_back(fmt::format("{} {:.0f} %", some[i]->material, 100.0 * some[i]->scattered[octave]));
  if (some.size() > most_named)
    shares.push_back(
        fmt::format("{} more up to {:.0f} %", some.size() - most_named, 100.0 * some[most_named]->scattered[octave]));
  else if (some.size() < walls.size())
    shares.emplace_back(some.empty() ? "none" : "others none");
  return text + fmt::format("; scattered at {:.0f} Hz: {}", *nearest, fmt::join(shares, ", "));
}

}  // namespace fdtd
