// Horizontal planes of a lattice of points as pictures.
#pragma once

#include <cstdint>

#include "engine/pictures/map_picture.hpp"
#include "engine/small_rooms/room_points.hpp"

namespace fdtd::cli {

// A picture of any plane, whose cells are walls until a point of that plane gives them a value.
MapPicture map_of_points(const RoomPoints& points);
std::int64_t plane_of(const RoomPoints& points, std::size_t point);  // of the lattice, from below
std::size_t cell_of(const RoomPoints& points, std::size_t point);    // in its plane

}  // namespace fdtd::cli
