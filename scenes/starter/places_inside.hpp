// Two places in the air of a room for a source and a receiver, found in its mesh alone.
//
// Along verticals over a raster of the floor plan the triangles bound stretches of air. A stretch that is as high as a
// person, from whose middle hardly any direction leaves the mesh, holds a place at the height of a mouth or of an ear
// over its floor. Of the places that keep a distance from all surfaces the pair in sight of each other that is farthest
// apart is taken, among those that the place with most others in sight sees: furniture and columns that are drawn as
// closed bodies hold few places, which see few others.
#pragma once

#include <optional>
#include <utility>

#include "base/point.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct StarterPlaces {
  Point source{}, receiver{};  // m, in centimetres
};

// `mesh` in metres with z up. Nothing where no two places are inside: the mesh encloses no space.
std::optional<StarterPlaces> places_inside(const Mesh& mesh);

}  // namespace fdtd
