// Weights over frequency: the octave bank of late sound, and the crossover of a wave response and geometry above it. All
// are real, so that filters made of them have zero phase.
#pragma once

#include <span>
#include <vector>

namespace fdtd {

// Amplitudes of octave filters at `frequency` (Hz), one for each of `centres` (Hz, increasing), which add to 1: octaves of
// one sound, weighted by one number, are that sound. (Amplitudes whose squares add to 1 keep the energy of octaves that
// are incoherent; of coherent ones they would make 3 dB more where two octaves meet.) Two octaves meet at sqrt 2 times
// the lower centre: the amplitude passes from one to the other as sin^2 over a quarter octave on either side, on a
// logarithmic scale. The lowest octave is open towards 0 Hz, the highest towards all above.
std::vector<double> bank_amplitudes(std::span<const double> centres, double frequency);

// The amplitudes on bins k / length * rate of a Fourier transform, k = 0..length / 2: where an octave has any, from its
// first bin on.
struct BankOctave {
  std::size_t first = 0;
  std::vector<double> amplitudes;
};
std::vector<BankOctave> bank_on_bins(std::span<const double> centres, double rate, std::size_t length);

// Hz: below `from` the wave response alone, above `to` geometry alone. 0 < from <= to.
struct Crossover {
  double from = 0.0, to = 0.0;
};
// Between, with x = pi/2 log(f / from) / log(to / from): L = cos^2 x for the wave response; 1 - L for geometry whose
// phase agrees with it, so that equal signals add up to the signal; sqrt(1 - L^2) for geometry that is incoherent with
// it, so that equal powers add up to the power.
double wave_weight(Crossover crossover, double frequency);
double coherent_weight(Crossover crossover, double frequency);
double incoherent_weight(Crossover crossover, double frequency);

}  // namespace fdtd
