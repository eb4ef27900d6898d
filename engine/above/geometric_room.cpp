#include "engine/above/geometric_room.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/responses/air_absorption.hpp"

namespace fdtd {
namespace {

constexpr double edge_wavelengths = 1.0;  // kappa: of a free edge's strip that does not reflect as a mirror
constexpr double most_edge_scattering = 0.9;

// The material's coefficient at a frequency; between its bands by the logarithm of frequency.
double material_scattering(const Material& material, double frequency) {
  const std::vector<double>&bands = material.scattering_bands, &s = material.scattering;
  if (s.empty()) return 0.0;
  if (bands.empty() || frequency <= bands.front()) return s.front();
  if (frequency >= bands.back()) return s.back();
  const auto above = std::ranges::upper_bound(bands, frequency) - bands.begin();
  const auto i = static_cast<std::size_t>(above);
  const double x = std::log(frequency / bands[i - 1]) / std::log(bands[i] / bands[i - 1]);
  return (1.0 - x) * s[i - 1] + x * s[i];
}

}  // namespace

GeometricRoom::GeometricRoom(const Scene& scene, const AbovePlan& plan) : plan_(plan) {
  const Distinct materials = scene.room.materials();
  for (const std::string& name : materials.names) {
    materials_.push_back(&scene.materials.at(name));
    medium.laws.emplace_back(*materials_.back(), plan.sound_speed);
  }
  if (scene.room.mesh) {
    facets = facets_of_mesh(*scene.room.mesh, materials.numbers, plan.volume);
  } else {
    std::array<std::uint16_t, 6> walls{};
    std::ranges::copy(materials.numbers, walls.begin());
    facets = facets_of_box(scene.room.box, walls);
  }
  medium.sound_speed = plan.sound_speed;
  for (const Facet& facet : facets.facets) medium.materials.push_back(facet.material);
  medium.scattering = [this](std::uint32_t facet, double frequency) { return scattering(facet, frequency); };
  if (scene.air.absorption)
    medium.air = [air = air_state(scene.air)](double frequency) {
      return air_attenuation(air, frequency) * std::numbers::ln10 / 10.0;
    };
}

double GeometricRoom::relief(std::uint32_t facet, double frequency) const {
  return material_scattering(*materials_[facets.facets[facet].material], frequency);
}

double GeometricRoom::scattering(std::uint32_t facet, double frequency) const {
  const Facet& one = facets.facets[facet];
  const double wavelength = plan_.sound_speed / frequency;
  const double edges =
      one.area > 0.0 ? std::min(most_edge_scattering, edge_wavelengths * wavelength * one.free_edges / one.area) : 0.0;
  return 1.0 - (1.0 - relief(facet, frequency)) * (1.0 - edges);
}

RayOctave GeometricRoom::octave(double centre) const {
  RayOctave walls;
  walls.centre = centre;
  for (const WideLaw& law : medium.laws) walls.walls.push_back(wall_octave(law, centre));
  for (std::uint32_t facet = 0; facet < facets.facets.size(); ++facet)
    walls.scattering.push_back(scattering(facet, centre));
  for (int point = 0; point < octave_points; ++point)
    walls.air[static_cast<std::size_t>(point)] = medium.air ? medium.air(octave_point(centre, point)) : 0.0;
  return walls;
}

}  // namespace fdtd
