// A receiver of rays: a sphere that counts them.
#pragma once

#include "engine/facets/facet.hpp"  // Point

namespace fdtd {

struct RayReceiver {
  Point position{};          // m, in the air
  double radius = 0.0;       // m
  bool directions = false;   // energies by direction of arrival too
  double late_radius = 0.0;  // m, from RaySettings::late_from on; 0: the same
};

}  // namespace fdtd
