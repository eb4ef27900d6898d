// How far the energy of an octave in a short time depends on the draw of rays, before any of a run is traced.
//
// Rays that meet a receiver's sphere are a Poisson process, so that the variance of their sum is that of rays of equal
// energies (ray_count.hpp) times <e^2> / <e>^2 of their energies e. This ratio grows with time wherever walls absorb
// unlike, or rays differ in the number of their reflections; some rays, followed without receivers, have it.
#pragma once

#include <optional>

#include "engine/above/above_plan.hpp"
#include "engine/above/geometric_room.hpp"
#include "engine/above/places.hpp"

namespace fdtd {

// Of a source, at a receiver that no wall is near, with plan.rays, before spheres become larger: earlier
// where sound has fallen by 20 dB by then, later where image sources still have four fifths of it. Nothing where they
// have to the end, and of a box with smooth walls. The same for any number of threads.
std::optional<RayDeviation> ray_deviation(const GeometricRoom& room, const AbovePlan& plan, const AbovePlace& from);

}  // namespace fdtd
