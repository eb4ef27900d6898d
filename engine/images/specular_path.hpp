// A path of sound from a source to a receiver by mirror reflections alone, an image source, or by one edge.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/images/edge_diffraction.hpp"

namespace fdtd {

struct SpecularPath {
  double length = 0.0;                // m
  std::array<double, 3> departure{};  // from the source, of unit length
  std::array<double, 3> arrival{};    // from the receiver towards the last image, of unit length
  std::vector<std::uint32_t> facets;  // that reflect it, the source's first
  std::vector<double> cosines;        // of the angles of incidence there
  std::optional<EdgeBend> edge;       // that it bends at, into its shadow; no facet then reflects it
};

}  // namespace fdtd
