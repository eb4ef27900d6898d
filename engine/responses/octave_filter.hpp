// Zero-phase octave-band filters for room-acoustic parameters, by Fourier transform.
//
// |H(f)| = 1 / sqrt(1 + (sqrt 2 (f/f_m - f_m/f))^6), the magnitude of a sixth-order Butterworth band-pass with edges at
// f_m / sqrt 2 and f_m sqrt 2: within the limits of class 1 of IEC 61260-1. Without phase there is no delay, so the
// limits of 50 and 80 ms need no correction; the filter rings equally before and after an arrival.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

// The octaves' exact midband frequencies are 1000 * 10^(3 i / 10) Hz; this is the nominal one's (63 gives 63.1).
double exact_midband(double nominal);
// 31.5, 63, ..., 16000 Hz: nominal midband frequencies.
const std::vector<double>& nominal_octaves();

double octave_magnitude(double midband, double frequency);

// Seconds in which the band's filter decays by 60 dB: 8.84 over its midband frequency.
double octave_ringing(double midband);

// Seconds on either side of a sample in which what OctaveBands::octave() makes of it has fallen by 200 dB.
double octave_reach(double midband, double rate);
// The rates of octaves are the signal's over 1, 2, 4, ... up to this.
inline constexpr int max_octave_decimation = 64;
int octave_decimation(double rate, double midband);
// Samples that OctaveBands::octave() gives before the signal's first one.
std::size_t octave_lead(double rate, double midband);

// One octave of a signal, at a lower rate where the octave is low: 32 samples a period of the midband frequency say
// all of it, and a low octave of a long signal costs little. Scaled so that the sum of squares is the energy at the
// signal's own rate.
struct OctaveSignal {
  std::vector<double> samples;
  double rate = 0.0;   // Hz
  int decimation = 1;  // the signal's rate over this one
  // The sample at which the signal's sample `aligned` lies, and the first one after the signal's end. Before and after
  // the signal there is the filter's ringing, down to double precision.
  std::size_t aligned = 0, end = 0;
  double flat_energy = 0.0;  // of a unit sample after this filter: the reference of a flat response
};

// One signal, whose spectrum all bands share. `rate` in Hz, above 0; the signal must not be empty. `lowest`: Hz, the
// lowest midband frequency that octave() is called with; lower ones need longer transforms.
class OctaveBands {
 public:
  OctaveBands(std::span<const double> signal, double rate, double lowest = exact_midband(31.5));
  // `aligned`: the sample of the signal that a sample of the octave is to lie on, before the signal's end.
  OctaveSignal octave(double midband, std::size_t aligned) const;
  // Mean power density |X(f)|^2 between two frequencies, on an arbitrary scale; 0 where there is no bin.
  double density(double low, double high) const;

 private:
  std::vector<double> decimated(double midband, int factor, std::size_t shift) const;
  double rate_ = 0.0;
  std::span<const double> signal_;
  std::int64_t length_ = 0;
  std::vector<std::complex<double>> spectrum_;
};

}  // namespace fdtd
