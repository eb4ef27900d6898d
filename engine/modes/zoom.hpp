// A narrow band of real records as complex records at a low rate, for which the exponentials of the record stay exact
// exponentials: a linear-phase low-pass of finite length (Kaiser's window, J. F. Kaiser, ISCAS 1974) around the band's
// centre, decimation, and a shift of the centre to zero. The output begins where the filter lies on the record as a whole,
// so it holds no transient of its own.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

struct ZoomBand {
  double centre = 0.0;      // Hz
  double half = 0.0;        // Hz: from the centre to either end of the pass band
  double transition = 0.0;  // Hz, from there to the stop band
};

class Zoom {
 public:
  // `rate`: of the records, Hz. Throws std::invalid_argument unless half and transition are above 0 and the stop band
  // begins below half the rate.
  Zoom(const ZoomBand& band, double rate);

  std::int64_t length() const { return static_cast<std::int64_t>(taps_.size()); }  // samples, of the filter
  std::int64_t decimation() const { return decimation_; }
  // Samples that a record from `begin` to `end` gives; the first belongs to the sample begin + length() - 1.
  std::int64_t count(std::int64_t begin, std::int64_t end) const;
  // `count(begin, end)` samples; `stride` complex values lie between two of them.
  void apply(std::span<const double> record, std::int64_t begin, std::int64_t end, std::complex<double>* out,
             std::int64_t stride) const;
  // The factor of an exponential z^n: of its amplitude, for the complex value z of a step of the record.
  std::complex<double> gain(std::complex<double> z) const;
  // Of a step of the output, which is z^decimation around the centre: the z nearest to it.
  std::complex<double> per_sample(std::complex<double> output_step) const;
  std::complex<double> per_output(std::complex<double> z) const;

 private:
  double turn_ = 0.0;  // radians of the centre a sample of the record
  std::int64_t decimation_ = 1;
  std::vector<std::complex<double>> taps_;
};

// Seconds of a record that the filter of a transition (Hz) takes at its beginning.
double zoom_seconds(double transition);

}  // namespace fdtd
