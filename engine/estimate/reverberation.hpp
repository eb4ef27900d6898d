// The reverberation time that a room is expected to have, before anything is computed, with the absorption that the scene
// states and that of air: Eyring's formula by octave, with the areas and volume of the grid (C. F. Eyring, "Reverberation
// time in 'dead' rooms", J. Acoust. Soc. Am. 1, 1930), and T30 as `fdtd estimate` has it.
#pragma once

#include <string>
#include <vector>

#include "engine/estimate/estimate.hpp"
#include "engine/estimate/reverberation_band.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/planning/build/room_extent.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

const char* name_of(ReverberationBand::Model model);  // a word or two
const char* about_model(ReverberationBand::Model model);

// In the octaves from 63 Hz whose upper edge max_frequency reaches (with 1 %, as in figures of merit); where none is
// reached, in the one that ends at max_frequency. `air`: scene.air, of which absorption counts where it is on.
std::vector<ReverberationBand> estimate_reverberation(const RoomExtent& room, const OctaveAbsorption& absorption,
                                                      const Air& air, double max_frequency);

// Replaces `seconds` by the longest T30 of the receivers as `fdtd estimate` has it (estimate.hpp), on a few thousand cells:
// coupled rooms, boxes and uneven absorption decay more slowly than Eyring's formula says. Where diffusion does not hold (a
// mean absorption above 0.6) or the room cannot be made so coarse, Eyring's formula stays.
void expect_decay(std::vector<ReverberationBand>& bands, const Scene& scene, const OctaveAbsorption& absorption);

// The reverberation times that the room of a plan is expected to have.
struct ExpectedDecay {
  std::vector<ReverberationBand> bands;
  double schroeder_frequency = 0.0;  // Hz (mode_count.hpp); infinite where nothing absorbs
};
// `extent`: of the room on its grid.
ExpectedDecay expected_decay(const Scene& scene, const RoomExtent& extent, double max_frequency);

// T30 is the time of a line from -5 to -35 dB, and needs 10 dB below it: 45 of 60 dB.
inline constexpr double duration_for_T30 = 0.75;
// duration = "auto" is this multiple of the longest `slowest`, rounded up to 10 ms: decays differ from place to place, most
// where single modes decide.
inline constexpr double duration_of_longest = 1.25;

// Throws Error (status scene) where nothing absorbs in some band, and where the result is longer than an hour.
double automatic_duration(const std::vector<ReverberationBand>& bands);

// Remarks for the plan: the duration is too short for T30 in some octaves, max_frequency leaves out octaves for
// which materials state absorption.
std::vector<std::string> reverberation_remarks(const std::vector<ReverberationBand>& bands,
                                               const std::vector<MaterialFit>& materials, const Simulation& simulation,
                                               double max_frequency);

}  // namespace fdtd
