// The reverberation time that a room is expected to have, before anything is computed: Eyring's formula by octave, with
// the areas, volume and fitted materials of the grid, and the absorption of air. C. F. Eyring, "Reverberation time in
// 'dead' rooms", J. Acoust. Soc. Am. 1 (1930).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/planning/room_voxels.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Of a room on its grid.
struct RoomExtent {
  double volume = 0.0;                  // m3 of air
  std::map<std::string, double> areas;  // m2, by the scene's material
};
// A box needs no faces; those of a mesh are summed.
RoomExtent extent_of(const Scene& scene, const GridChoice& choice, const Voxels& voxels);

struct ReverberationBand {
  double centre = 0.0;   // Hz, of the octave
  double seconds = 0.0;  // for 60 dB; infinity where nothing absorbs
};
// In the octaves from 63 Hz whose upper edge max_frequency reaches (with 1 %, as in figures of merit); where none is
// reached, in the one that ends at max_frequency. `air`: scene.air, of which absorption counts where it is on.
std::vector<ReverberationBand> estimate_reverberation(const RoomExtent& room, const std::vector<MaterialFit>& materials,
                                                      const Air& air, double max_frequency);

// T30 is the time of a line from -5 to -35 dB, and needs 10 dB below it: 45 of 60 dB.
inline constexpr double duration_for_T30 = 0.75;
// duration = "auto" is this multiple of the longest estimate, rounded up to 10 ms: rooms whose absorption is uneven or
// whose walls are parallel decay more slowly than Eyring's formula says.
inline constexpr double duration_of_longest = 1.25;

// Throws Error (status scene) where nothing absorbs in some band, and where the result is longer than an hour.
double automatic_duration(const std::vector<ReverberationBand>& bands);

// What the plan should say: the duration is too short for T30 in some octaves, max_frequency leaves out octaves for
// which materials state absorption.
std::vector<std::string> reverberation_remarks(const std::vector<ReverberationBand>& bands,
                                               const std::vector<MaterialFit>& materials, const Simulation& simulation,
                                               double max_frequency);

}  // namespace fdtd
