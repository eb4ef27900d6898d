// A measured directivity as spherical harmonics, by weighted least squares over its directions.
//
// Each direction stands for the part of the sphere about it: its weight is one over the number of directions within 1.5
// of their mean spacing, so that grids that crowd at poles count them once. The order is the highest that the directions
// hold: fewer unknowns than directions, and a matrix of weighted squares whose smallest eigenvalue is no less than
// least_eigenvalue of the mean; a ridge of 1e-6 that rises with n (n + 1) leaves open what no direction shows.
#pragma once

#include "base/point.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "scenes/balloon.hpp"

namespace fdtd {

inline constexpr int highest_wave_order = 3;    // of derivatives on the grid (engine/plan/field_operator.hpp)
inline constexpr int highest_energy_order = 9;  // of the balloon above the waves' band
inline constexpr double least_eigenvalue = 0.05;
inline constexpr double far_distance = 2.0;  // m, where the file states none

struct BalloonAim {
  Point direction{1.0, 0.0, 0.0}, up{0.0, 0.0, 1.0};  // of the source in the scene, any length, not parallel
  bool flat = true;  // the response on the axis is divided out, but for what lies 10 dB or more below the mean of all
                     // directions; else its magnitude stays, with minimum phase, 1 in the
                     // mean of its energy over the octaves 500 and 1000 Hz, or over all where the file has neither
  int order = -1;    // highest; -1: highest_wave_order
};

// Throws Error (status file), with `name` of the file, where no direction is within 10 degrees of the axis, where the
// pressure there is 40 dB or more below that of all directions, or where directions hold not even order 0 of it.
Balloon fit_balloon(const BalloonData& data, const BalloonAim& aim, const std::string& name);

}  // namespace fdtd
