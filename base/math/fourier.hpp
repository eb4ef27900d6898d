// Fourier transforms for rendering: real FFTs of any smooth length, and the spectrum of a record at any frequencies.
//
// Everything is in double and depends only on its arguments (no planning, no threads).
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

// The smallest n >= minimum that is a multiple of 4 with no prime factor above 5: a length at which the FFT is fast.
// Throws Error (status resource) above 2^27, the longest transform.
std::int64_t smooth_length(std::int64_t minimum);

// Forward: spectrum[k] = sum_n signal[n] exp(-2 pi i k n / N), k = 0..N/2, with `signal` padded by zeros to N =
// `length`.
std::vector<std::complex<double>> real_fft(std::span<const double> signal, std::int64_t length);
// Inverse, divided by N: spectrum has N/2 + 1 bins.
std::vector<double> inverse_real_fft(std::span<const std::complex<double>> spectrum, std::int64_t length);
// The transpose of inverse_real_fft: of dJ / d signal the G with dJ = Re sum_k conj(G_k) dspectrum_k.
std::vector<std::complex<double>> transposed_inverse_real_fft(std::span<const double> by_signal, std::int64_t length);

// The spectrum sum_n x[n] exp(-i w n), n = 0..samples-1, of real records at given frequencies 0 <= w <= pi (radians per
// sample), which need not be equally spaced: one FFT, oversampled twice, and a Kaiser-Bessel kernel 16 bins wide
// between its bins. The error is below 1e-13 of sum |x|. Method: A. Dutt, V. Rokhlin, "Fast Fourier transforms for
// nonequispaced data", SIAM J. Sci. Comput. 14 (1993); kernel: J. A. Fessler, B. P. Sutton, IEEE Trans. Signal Process.
// 51 (2003).
class SpectrumSampler {
 public:
  SpectrumSampler(std::int64_t samples, std::vector<double> frequencies);
  std::vector<std::complex<double>> operator()(std::span<const double> record) const;  // one value for each frequency
  // The transpose: of G, one for each frequency, x[n] = Re sum_j conj(G_j) exp(-i w_j n).
  std::vector<double> transposed(std::span<const std::complex<double>> by_value) const;

 private:
  std::int64_t samples_ = 0, length_ = 0;
  std::vector<double> frequencies_;
  std::vector<double> compensation_;  // by sample: 1 / the kernel's transform
};

}  // namespace fdtd
