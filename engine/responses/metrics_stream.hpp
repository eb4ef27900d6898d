// The figures of metrics.hpp for a response that is longer than memory should hold, from up to four rounds through it.
//
// Octaves are filtered block by block, with neighbours wide enough for the filter to ring out by 200 dB. Energies are
// kept one by one for some time after the onset, and in sums over bins after it. A decay that ends within that time has
// the figures of measure() but for rounding (1e-9 in the tests); one that does not is evaluated in bins, whose length
// is a small part of it. Without a given bandwidth, it is found from the mean of spectra of a second or more, where
// measure() takes one spectrum of the whole: at the threshold it may be the next third octave.
#pragma once

#include <cstddef>

#include "engine/responses/metrics.hpp"
#include "engine/responses/sample_stream.hpp"

namespace fdtd {

struct StreamSizes {
  std::size_t block = 983'040;  // samples at a time; transforms of up to 2^20 keep their factors
  std::size_t kept = 1 << 20;   // samples after the onset whose energy is kept one by one, at the least
  std::size_t bins = 1 << 20;   // at the most, of the rest
};

// As measure(). `stream` may throw.
Metrics measure_stream(SampleStream& stream, double rate, const MetricsOptions& options = {},
                       const StreamSizes& sizes = {});

// Bytes that measure_stream(), and that measure() takes for so many samples, about.
double bytes_to_stream(std::uint64_t samples, double rate, const StreamSizes& sizes = {});
double bytes_to_measure(std::uint64_t samples);

}  // namespace fdtd
