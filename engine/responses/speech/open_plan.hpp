// Single numbers of an open-plan office from places along a line away from a source that speaks: ISO 3382-3:2022.
//
// Speech has the level and spectrum of normal effort in all directions, 57.4 dB(A) at 1 m. D_2,S is the decay of its
// A-weighted level by doubled distance and L_p,A,S,4m its level at 4 m, both of the line through level over lg r of the
// places from 2 to 16 m, r_C the distance at which that falls to 45 dB. With the noise of the room, r_D and r_P are the
// distances at which the line through STI over r falls to .50 and .20 (r_P: edition 2012).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/responses/speech/speech_transmission.hpp"

namespace fdtd {

// dB at 1 m in free field by octave.
extern const SpeechOctaves open_plan_speech;

inline constexpr double open_plan_nearest = 2.0, open_plan_farthest = 16.0;  // m
inline constexpr std::size_t open_plan_places = 4;                           // at the least, within these

struct OpenPlanPlace {
  double distance = 0.0;     // m, from the source
  SpeechOctaves strength{};  // G, dB
  std::array<Modulation, speech_octave_count> modulation{};
};

struct OpenPlanValue {
  std::optional<double> value;
  std::string reason;  // why there is none
};

struct OpenPlan {
  std::vector<double> level;  // L_p,A,S of each place, dB(A)
  std::vector<double> STI;    // of each place; empty without noise
  OpenPlanValue D2S, level_4m, rC, rD, rP;
  std::optional<double> noise;  // L_p,A,B, dB(A)
};

// Places at different distances (std::invalid_argument where fewer than two are).
OpenPlan open_plan(const std::vector<OpenPlanPlace>& places, const std::optional<SpeechOctaves>& noise);

}  // namespace fdtd
