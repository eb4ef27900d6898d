// What air takes from sound on its way: ISO 9613-1:1993, and as a filter of a finished response.
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
  double sound_speed = 343.2;       // m/s: how far a sample has travelled
};

AirState air_state(const Air& air);

// Pure-tone attenuation in dB a metre at `frequency` Hz: equations 3 to 5 of the standard, with the molar concentration of
// water vapour of its annex B.
double air_attenuation(const AirState& air, double frequency);

// "" or in which respect the state or the frequency is outside what the standard vouches for: 10 % accuracy within
// -20..50 degrees Celsius, 0.05..5 % of water vapour, less than 200 kPa, and 0.4 mHz to 10 Hz a pascal.
std::string outside_standard(const AirState& air, double frequency);

// Takes from each sample of a response what air does on the way it has travelled, sound_speed times its time (sample 0 is the
// emission): exp(-alpha(f) c t) in amplitude. Air is homogeneous, so this is exact whatever the path. Windows that add to one
// each take the filter of the time at their middle; they are as short as keeps the filter within 0.1 % between them.
// No phase is added: that of a relaxing gas, some parts in 10^4 of the sound speed, is far below the grid's dispersion.
void absorb_by_air(std::span<double> response, double rate, const AirState& air);

}  // namespace fdtd
