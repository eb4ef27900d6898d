// Absorption coefficients of locally reacting walls, and of passive branches.
#pragma once

#include <complex>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// Normalised admittance of parallel branches at frequency f > 0 (Hz): sum 1/(D s + E + F/s), s = 2 pi i f. D in s,
// F in 1/s, E without unit.
std::complex<double> admittance(const std::vector<Branch>& branches, double frequency);

// Random-incidence absorption coefficient of a locally reacting wall of normalised admittance y: the integral of
// alpha(theta) sin 2 theta over 0..pi/2 (Paris), in closed form. In [0, 0.9512]; 0 where Re y <= 0.
double random_incidence_absorption(std::complex<double> y);
// The same with its derivatives by the real and the imaginary part of y, Re y > 0.
struct AbsorptionSlope {
  double value = 0.0, by_real = 0.0, by_imaginary = 0.0;
};
AbsorptionSlope slope_of_absorption(std::complex<double> y);
// Normal incidence: 1 - |(1 - y)/(1 + y)|^2.
double normal_incidence_absorption(std::complex<double> y);
// The real admittance, at most that of the maximum, whose random-incidence coefficient is alpha; that of the maximum if
// alpha is above it.
double admittance_of_absorption(double alpha);
// The largest random-incidence coefficient that a locally reacting wall can have: 0.9512, at y = 0.638.
double largest_random_incidence_absorption();

// Random-incidence coefficient of the branches averaged over the octave around `centre` (Hz), evenly in log frequency.
double octave_band_absorption(const std::vector<Branch>& branches, double centre);

}  // namespace fdtd
