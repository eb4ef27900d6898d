// The reverberation time that a room is expected to have, before anything is computed, with its fitted materials and the
// absorption of air: Eyring's formula by octave, with the areas and volume of the grid (C. F. Eyring, "Reverberation time
// in 'dead' rooms", J. Acoust. Soc. Am. 1, 1930), and T30 of diffuse sound where the diffusion equation holds.
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
  double edges = 0.0;                   // m, of a box
};
// A box needs no voxels; those of a mesh are summed.
RoomExtent extent_of(const Scene& scene, const GridChoice& choice, const RoomVoxels& room);

struct ReverberationBand {
  double centre = 0.0;   // Hz, of the octave
  double seconds = 0.0;  // for 60 dB; infinity where nothing absorbs
  double eyring = 0.0;   // s, by Eyring's formula
  bool diffuse = false;  // `seconds` is of the diffusion equation; false: of Eyring's formula
  double modes = 0.0;    // of the room, in the octave (mode_count.hpp)
};
// In the octaves from 63 Hz whose upper edge max_frequency reaches (with 1 %, as in figures of merit); where none is
// reached, in the one that ends at max_frequency. `air`: scene.air, of which absorption counts where it is on.
std::vector<ReverberationBand> estimate_reverberation(const RoomExtent& room, const std::vector<MaterialFit>& materials,
                                                      const Air& air, double max_frequency);

// Replaces `seconds` by the longest T30 of the receivers by the diffusion equation (estimate.hpp), on a few thousand cells:
// coupled rooms and uneven absorption decay more slowly than Eyring's formula says. Where the model does not hold (a slender
// room, a mean absorption above 0.6) or the room cannot be made so coarse, Eyring's formula stays.
void expect_diffuse_decay(std::vector<ReverberationBand>& bands, const Scene& scene,
                          const std::vector<MaterialFit>& materials);

// T30 is the time of a line from -5 to -35 dB, and needs 10 dB below it: 45 of 60 dB.
inline constexpr double duration_for_T30 = 0.75;
// duration = "auto" is this multiple of the longest estimate, rounded up to 10 ms: rooms whose walls are parallel decay
// more slowly than diffuse sound.
inline constexpr double duration_of_longest = 1.25;

// Throws Error (status scene) where nothing absorbs in some band, and where the result is longer than an hour.
double automatic_duration(const std::vector<ReverberationBand>& bands);

// What the plan should say: the duration is too short for T30 in some octaves, max_frequency leaves out octaves for
// which materials state absorption.
std::vector<std::string> reverberation_remarks(const std::vector<ReverberationBand>& bands,
                                               const std::vector<MaterialFit>& materials, const Simulation& simulation,
                                               double max_frequency);

}  // namespace fdtd
