// The edges of a room's surface that show its shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/results/room_surface.hpp"

namespace fdtd {

struct SurfaceEdge {
  std::uint32_t a = 0, b = 0;  // vertices
  int material = -1;           // -1: between two materials
  double length = 0.0;         // m
};

// Edges where the surface bends, ends, or changes its material; of more than `most` the longest.
std::vector<SurfaceEdge> surface_edges(const RoomSurface& surface, std::size_t most);

// By triangle, as long as twice its area.
std::vector<std::array<double, 3>> facet_normals(const RoomSurface& surface);

}  // namespace fdtd
