// The decay of sound between smooth parallel walls, where directions do not mix: a sum over the modes of a box.
//
// Reflection at a wall of a box changes the sign of one component of the direction alone, so sound that runs along two
// pairs of walls never meets the third. Each mode has its own rate, and where absorption lies on one or two pairs, or in
// flat and long boxes, the slow ones decide T30, which no model of diffuse sound knows (D. Fitzroy, Reverberation formula
// which seems to be more accurate with nonuniform distribution of absorption, J. Acoust. Soc. Am. 31, 1959; H. Arau-Puchades,
// An improved reverberation formula, Acustica 65, 1988). With the normalised admittances Y of a pair of walls, L apart, and
// a = i (w / c) Y, a mode's wave number along that axis obeys
//   (k^2 - a_0 a_L) sin kL = k (a_0 + a_L) cos kL,
// and its energy decays at the rate c^2 Im(kx^2 + ky^2 + kz^2) / w (H. Kuttruff, Room Acoustics, chapter 3).
#pragma once

#include <array>
#include <complex>
#include <functional>

#include "engine/estimate/model.hpp"

namespace fdtd {

struct SmoothBox {
  std::array<double, 3> sides{};  // m
  // Of x_min, x_max, y_min, ... at a frequency (Hz): normalised.
  std::function<std::array<std::complex<double>, 6>(double)> admittance;
};

// The modes that pass an octave's filter, after a source of a flat spectrum is switched off, in energy, averaged over
// places: fractions sum to 1. Rates are gathered in steps of 3 %. `attenuation` of the air in 1/m, of energy. Empty
// where some mode has no losses.
ModalDecay smooth_decay(const SmoothBox& box, double sound_speed, double attenuation, double centre);

}  // namespace fdtd
