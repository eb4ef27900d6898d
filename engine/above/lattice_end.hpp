// Rays where the image sources of a box end.
//
// Energies of rays know no interference. Images that graze absorbing walls cancel, so that late rays in an uneven box are
// up to 20 dB above the images, with the same slope (4.7 x 5.9 x 2.7 m, coefficients of 0.03, 0.04 and 0.45 along x, y and
// z, 500 Hz, after 1.3 s). Later energies are therefore scaled, octave by octave, to those of the images in the last
// quarter of their time. Smooth walls alone: sound that scatters belongs to rays at all times.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/rays/trace.hpp"

namespace fdtd {

inline constexpr double compared_from = 0.75;  // of the images' time

// Bins: images and rays are compared in [from, to), rays count from `to` on.
struct LatticeEnd {
  std::size_t from = 0, to = 0;
};

// Numbers of RayEnergies' arrays.
struct RayPlace {
  std::size_t receiver = 0, receivers = 1, octave = 0, octaves = 1;
  std::optional<std::size_t> directional;  // among receivers with directions
};

// `images`: their energies by bin, of which those of `rays` are `unit` times as many. Where no ray was met in [from, to)
// later energies stay.
void continue_images(RayEnergies& rays, const RayPlace& place, std::span<const double> images, const LatticeEnd& end,
                     double unit = 1.0);

}  // namespace fdtd
