// Places on walls, as of a loudspeaker on the floor or a boundary microphone, in the air beside them.
#pragma once

#include "base/point.hpp"
#include "engine/facets/facets.hpp"

namespace fdtd {

inline constexpr double facet_distance = 1e-3;  // m

// `place`, or, where it is nearer than facet_distance to facets, the place at that distance from them: a ray that began on
// a facet would meet it at once. Of a place in the very plane the side that is enclosed better counts, by rays.
Point off_facets(const FacetRoom& room, const Point& place);

}  // namespace fdtd
