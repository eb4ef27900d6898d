// How many modes of a room an octave holds, and from which frequency on they overlap.
//
// Below the frequency f a room has about N modes (H. Kuttruff, "Room Acoustics", chapter 3):
//   N(f) = 4 pi V f^3 / (3 c^3) + pi S f^2 / (4 c^2) + l f / (8 c),
// V the volume, S the surface, l the length of all edges of a box. Above the Schroeder frequency, 2000 sqrt(T / V) in Hz, s
// and m3, three modes and more lie within the width of one (M. R. Schroeder, J. Acoust. Soc. Am. 99, 1996). Below, a decay
// is that of the few modes that source and receiver reach, and T20 and T30 differ from place to place, and from grid to
// grid, since a grid shifts the frequencies of modes (tests/physics/test_hard_walls.cpp).
#pragma once

#include <string>
#include <vector>

#include "engine/estimate/reverberation_band.hpp"
#include "engine/planning/build/room_extent.hpp"

namespace fdtd {

// Modes in the octave around `centre` (Hz); `sound_speed` in m/s.
double modes_of_octave(const RoomExtent& room, double centre, double sound_speed);

// Hz, with the reverberation time of the octave that it lies in; infinite where nothing absorbs.
double schroeder_frequency(const std::vector<ReverberationBand>& bands, double volume);

// Which octaves lie below it as a whole, with their modes; empty where none does.
std::string few_modes_remark(const std::vector<ReverberationBand>& bands, double volume);

}  // namespace fdtd
