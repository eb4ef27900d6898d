#pragma once

#include <complex>
#include <vector>

namespace fdtd {

// Values of these magnitudes (above 0) at frequencies (Hz, increasing, up to 26 kHz) with the phase of the minimum-phase
// filter: the Hilbert transform of the logarithm, by the folded cepstrum (A. V. Oppenheim & R. W. Schafer, Discrete-Time
// Signal Processing, chapter 13). Between frequencies the logarithm is linear over that of frequency, beyond it stays.
std::vector<std::complex<double>> minimum_phase(const std::vector<double>& frequencies,
                                                const std::vector<double>& magnitude);

// Where `x` lies in a list that increases: the index before and the fraction of the way to the next over the logarithm;
// at the ends 0, 0 or the last, 0.
struct LogPlace {
  std::size_t before = 0;
  double part = 0.0;
};
LogPlace log_place(const std::vector<double>& list, double x);

}  // namespace fdtd
