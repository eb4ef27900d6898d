#include "engine/responses/convolution.hpp"

#include <algorithm>

#include "engine/math/fourier.hpp"

namespace fdtd {

ConvolutionBlocks::ConvolutionBlocks(std::size_t taps) : taps_(taps) {
  const auto count = static_cast<std::int64_t>(taps);
  length_ = smooth_length(std::max<std::int64_t>(4 * count, 1 << 14));
  block_ = static_cast<std::size_t>(length_ - count + 1);
}

std::vector<std::complex<double>> ConvolutionBlocks::spectrum(std::span<const double> samples) const {
  return real_fft(samples, length_);
}

Convolution::Convolution(const ConvolutionBlocks& blocks, std::span<const double> filter)
    : length_(blocks.length()), response_(real_fft(filter, blocks.length())), carry_(blocks.taps() - 1, 0.0) {}

std::vector<double> Convolution::operator()(std::span<const std::complex<double>> spectrum, std::size_t samples) {
  std::vector<std::complex<double>> product(response_.size());
  for (std::size_t k = 0; k < product.size(); ++k) product[k] = spectrum[k] * response_[k];
  std::vector<double> piece = inverse_real_fft(product, length_);
  piece.resize(samples + carry_.size());
  for (std::size_t j = 0; j < piece.size(); ++j) piece[j] = (j < carry_.size() ? carry_[j] : 0.0) + piece[j];
  std::copy(piece.begin() + static_cast<std::ptrdiff_t>(samples), piece.end(), carry_.begin());
  piece.resize(samples);
  return piece;
}

}  // namespace fdtd
