// Absorption of sound by air: the attenuation of ISO 9613-1:1993, and its filter for a rendered response.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

struct AirState {
  double temperature = 20.0;        // degrees Celsius
  double relative_humidity = 50.0;  // %
  double pressure = 101.325;        // kPa
  double sound_speed = 343.2;       // m/s, for the distance that a sample has travelled
};

AirState air_state(const Air& air);

// Pure-tone attenuation in dB per metre at `frequency` Hz: equations 3 to 5 of the standard, with the molar
// concentration of water vapour of its annex B.
double air_attenuation(const AirState& air, double frequency);

// How the state or the frequency is outside the range of the standard, or "". The range for 10 % accuracy is -20..50
// degrees Celsius, 0.05..5 % of water vapour, less than 200 kPa, and 0.4 mHz to 10 Hz per pascal.
std::string outside_standard(const AirState& air, double frequency);

// Attenuates each sample of a response by exp(-alpha(f) c t) for the distance that it has travelled, sound_speed times
// its time (sample 0 is the emission). Air is homogeneous, so this is exact for any path; attenuate()
// applies it. No phase is added: that of a relaxing gas, some parts in 10^4 of the sound speed, is far below the
// dispersion of the grid.
void absorb_by_air(std::span<double> response, double rate, const AirState& air);
void absorb_by_air_transposed(std::span<double> by_response, double rate, const AirState& air);  // its transpose

}  // namespace fdtd
