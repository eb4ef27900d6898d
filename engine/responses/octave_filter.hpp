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

// One signal, whose spectrum all bands share. `rate` in Hz, above 0; the signal must not be empty.
class OctaveBands {
 public:
  OctaveBands(std::span<const double> signal, double rate, double lowest_midband);
  // The filtered signal, from `lead()` samples before the signal to as many after it, to include the ringing.
  std::vector<double> band(double midband) const;
  std::int64_t lead() const { return lead_; }
  // Mean power density |X(f)|^2 between two frequencies, on an arbitrary scale; 0 where there is no bin.
  double density(double low, double high) const;
  // Energy of a unit sample after the band's filter: the reference of a flat response.
  double flat_energy(double midband) const;

 private:
  double rate_ = 0.0;
  std::int64_t samples_ = 0, lead_ = 0, length_ = 0;
  std::vector<std::complex<double>> spectrum_;
};

}  // namespace fdtd
