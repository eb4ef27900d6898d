// The walls of a scene as geometry above the waves' band sees them: facets, wide-band laws, scattering and air.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/above/above_plan.hpp"
#include "engine/facets/facets.hpp"
#include "engine/images/path_spectrum.hpp"
#include "engine/rays/trace.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

class GeometricRoom {
 public:
  // `scene` and `plan` must live as long.
  GeometricRoom(const Scene& scene, const AbovePlan& plan);
  GeometricRoom(const GeometricRoom&) = delete;
  GeometricRoom& operator=(const GeometricRoom&) = delete;

  // Of the relief that the material states, and of the facet's free edges.
  double scattering(std::uint32_t facet, double frequency) const;
  double relief(std::uint32_t facet, double frequency) const;  // of the relief alone
  // The walls in an octave, for rays.
  RayOctave octave(double centre) const;

  FacetRoom facets;
  PathMedium medium;

 private:
  const AbovePlan& plan_;
  std::vector<const Material*> materials_;
};

}  // namespace fdtd
