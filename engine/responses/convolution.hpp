// Convolution of a signal that comes in blocks with filters that are held as a whole: overlap-add where the caller has
// the blocks, overlap-save where this reads them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/responses/sample_stream.hpp"

namespace fdtd {

// The blocks of all convolutions with filters of up to `taps` samples: their transforms have one length, so that one
// spectrum of a block serves several filters. Throws Error (resource) for filters beyond the longest transform.
class ConvolutionBlocks {
 public:
  explicit ConvolutionBlocks(std::size_t taps);
  std::size_t block() const { return block_; }  // samples of the signal at a time, the last ones excepted; >= taps
  std::int64_t length() const { return length_; }
  std::size_t taps() const { return taps_; }
  // Of at most block() samples.
  std::vector<std::complex<double>> spectrum(std::span<const double> samples) const;

 private:
  std::size_t taps_ = 0, block_ = 0;
  std::int64_t length_ = 0;
};

// One filter at work. Output sample i is the sum over j of filter[j] signal[i - j]; the bytes do not depend on who
// reads the signal.
class Convolution {
 public:
  // `filter`: blocks.taps() samples.
  Convolution(const ConvolutionBlocks& blocks, std::span<const double> filter);
  // The next block's spectrum and its number of samples, blocks.block() but for the last one: as many samples of the
  // output.
  std::vector<double> operator()(std::span<const std::complex<double>> spectrum, std::size_t samples);
  // After the last block: the taps - 1 samples that ring on.
  const std::vector<double>& tail() const { return carry_; }

 private:
  std::int64_t length_ = 0;
  std::vector<std::complex<double>> response_;
  std::vector<double> carry_;  // what the blocks before add to the next samples
};

// The whole convolution of a signal, from its beginning, with each of `filters`, which have one length of at least 1:
// signal.samples() + taps - 1 samples each, which `hear` gets in order, one span a filter, in blocks of equal lengths.
// The memory held at a time is bytes_to_convolve(), whatever the signal's length. The filters are applied in parallel;
// the result does not depend on the number of threads.
using Hear = std::function<void(const std::vector<std::span<const double>>&)>;
void convolve_all(SampleStream& signal, const std::vector<std::span<const double>>& filters, const Hear& hear);
double bytes_to_convolve(std::size_t filters, std::size_t taps);

}  // namespace fdtd
