// The energy of parts of a response by octave: cut out first and filtered then, so that a filter that rings for longer
// than a part lasts does not carry the energy of one into the other.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

// The spectrum of samples [begin, end) of a signal, with the others zero, for octaves from 125 Hz on; samples beyond the
// signal are zero, too. Parts are compared where `origin` and `length` (samples of the transform) are the same.
struct SignalPart {
  SignalPart(std::span<const double> signal, double rate, std::int64_t begin, std::int64_t end, std::int64_t origin,
             std::int64_t length);
  double rate = 0.0;
  std::int64_t length = 0;
  std::vector<std::complex<double>> spectrum;
};

// Samples in which the filters of octaves from 125 Hz on have rung out, to 1e-8 of their energy.
std::int64_t filter_reach(double rate);

// The sum of products of both parts after the filter of an octave (octave_filter.hpp; Hz, exact; 0: without a filter);
// of a part with itself its energy.
double filtered_product(const SignalPart& a, const SignalPart& b, double midband);

}  // namespace fdtd
