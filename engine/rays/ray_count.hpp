// How large the spheres of receivers are, and how many rays a histogram needs.
#pragma once

#include <cstdint>

namespace fdtd {

inline constexpr std::int64_t fewest_rays = 20000, most_rays = 2000000;  // that rays_for() asks for

// Spheres are this much larger from RaySettings::late_from on: with half the rays T20 then has half the spread, and is that
// of small spheres within 2 % in the mean (docs/how-to/whole-band.md).
inline constexpr double late_growth = 2.0;

// The radius (m) of a receiver's sphere in a room of `volume` m3, at `to_wall` m from the nearest wall: at least 0.1 m,
// walls that are nearer cut the sphere.
double radius_of(double volume, double to_wall);

// The relative standard deviation of the energy in a bin of `bin` seconds by `rays` rays of equal energies.
double deviation(std::int64_t rays, double volume, double radius, double sound_speed, double bin);

// The number of rays for a relative deviation within fewest_rays and most_rays.
std::int64_t rays_for(double relative_deviation, double volume, double radius, double sound_speed, double bin);

}  // namespace fdtd
