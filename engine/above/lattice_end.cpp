#include "engine/above/lattice_end.hpp"

#include <algorithm>

#include "engine/rays/snub_cube.hpp"

namespace fdtd {
namespace {

void scale_from(std::span<double> energies, std::size_t cells, const LatticeEnd& end, double factor) {
  const std::size_t start = std::min(end.to * cells, energies.size());
  std::ranges::fill(energies.first(start), 0.0);
  for (double& one : energies.subspan(start)) one *= factor;
}

}  // namespace

void continue_images(RayEnergies& rays, const RayPlace& place, std::span<const double> images, const LatticeEnd& end,
                     double unit) {
  const auto half = [&](std::size_t number) {
    const std::size_t row = (number * place.receivers + place.receiver) * place.octaves + place.octave;
    return std::span(rays.energy).subspan(row * rays.bins, rays.bins);
  };
  double of_rays = 0.0, of_images = 0.0;
  for (std::size_t i = end.from; i < std::min({end.to, rays.bins, images.size()}); ++i) {
    of_images += unit * images[i];
    of_rays += half(0)[i] + half(1)[i];
  }
  const double factor = of_rays > 0.0 ? of_images / of_rays : 1.0;
  for (const std::size_t number : {0, 1}) scale_from(half(number), 1, end, factor);
  if (!place.directional) return;
  const std::size_t row = (*place.directional * place.octaves + place.octave) * rays.bins * arrival_directions;
  scale_from(std::span(rays.directions).subspan(row, rays.bins * arrival_directions), arrival_directions, end, factor);
}

}  // namespace fdtd
