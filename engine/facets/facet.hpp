// A facet: a plane piece of a wall of one material.
#pragma once

#include <cstdint>

#include "scenes/mesh/tree/triangle_tree.hpp"  // Point, no_facet

namespace fdtd {

struct Facet {
  Point normal{};              // a unit vector, of either orientation
  double offset = 0.0;         // m: normal . x = offset
  double area = 0.0;           // m2, of one side
  double free_edges = 0.0;     // m: free_edges.hpp
  std::uint16_t material = 0;  // among the materials that the caller numbers
};

}  // namespace fdtd
