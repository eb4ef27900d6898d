#include "engine/responses/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

constexpr double max_held = 256e6;  // bytes of a block of all outputs, and of the filters' spectra

// Transforms of one length for all filters: of at least four times the filter where many outputs leave room for it,
// else of at least twice.
struct SaveBlocks {
  std::int64_t length = 0;
  std::size_t block = 0;  // new samples in each transform
  bool keep = true;       // the filters' spectra

  SaveBlocks(std::size_t filters, std::size_t taps) {
    const double room = max_held / (8.0 * static_cast<double>(filters));
    const auto wanted = static_cast<double>(std::max<std::size_t>(3 * taps, std::size_t{1} << 14));
    const auto least = static_cast<double>(std::max<std::size_t>(taps, std::size_t{1} << 10));
    length = smooth_length(static_cast<std::int64_t>(taps) +
                           static_cast<std::int64_t>(std::max(std::min(wanted, room), std::min(least, wanted))));
    block = static_cast<std::size_t>(length) - taps + 1;
    keep = 8.0 * static_cast<double>(length) * static_cast<double>(filters) <= max_held;
  }
};

}  // namespace

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

void convolve_all(SampleStream& signal, const std::vector<std::span<const double>>& filters, const Hear& hear) {
  const std::size_t taps = filters.at(0).size();
  for (const auto& filter : filters)
    if (filter.size() != taps || taps == 0) throw std::invalid_argument("convolve_all: filters of one length, not 0");
  const SaveBlocks sizes(filters.size(), taps);
  std::vector<std::vector<std::complex<double>>> spectra(sizes.keep ? filters.size() : 0);
  std::vector<std::vector<double>> out(filters.size());
  std::vector<double> input(taps - 1 + sizes.block, 0.0);  // what the block before left, then new samples
  ParallelFailure failure;
  signal.restart();
  std::uint64_t unread = signal.samples();
  for (std::uint64_t left = unread == 0 ? 0 : unread + taps - 1; left > 0;) {
    std::copy(input.end() - static_cast<std::ptrdiff_t>(taps - 1), input.end(), input.begin());
    const std::span<double> fresh = std::span(input).subspan(taps - 1);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(fresh.size(), unread));
    read_fully(signal, fresh.first(count));
    std::ranges::fill(fresh.subspan(count), 0.0);
    unread -= count;
    const auto made = static_cast<std::size_t>(std::min<std::uint64_t>(sizes.block, left));
    const bool silent = std::ranges::all_of(input, [](double x) { return x == 0.0; });
    const auto spectrum = silent ? std::vector<std::complex<double>>{} : real_fft(input, sizes.length);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t f = 0; f < filters.size(); ++f)
      failure.guard([&] {
        if (silent) {
          out[f].assign(made, 0.0);
          return;
        }
        std::vector<std::complex<double>> product;
        if (sizes.keep) {
          if (spectra[f].empty()) spectra[f] = real_fft(filters[f], sizes.length);
          product = spectra[f];
        } else {
          product = real_fft(filters[f], sizes.length);
        }
        for (std::size_t k = 0; k < product.size(); ++k) product[k] *= spectrum[k];
        const std::vector<double> turned = inverse_real_fft(product, sizes.length);
        // The first samples are wrapped around.
        const auto begin = turned.begin() + static_cast<std::ptrdiff_t>(taps - 1);
        out[f].assign(begin, begin + static_cast<std::ptrdiff_t>(made));
      });
    failure.rethrow();
    hear({out.begin(), out.end()});
    left -= made;
  }
}

double bytes_to_convolve(std::size_t filters, std::size_t taps) {
  const SaveBlocks sizes(filters, taps);
  const auto count = static_cast<double>(filters), length = static_cast<double>(sizes.length);
  // Outputs, kept spectra, and, of all threads, a product and a transform at work.
  constexpr double at_work = 64.0;
  return 8.0 * count * static_cast<double>(sizes.block) + (sizes.keep ? 8.0 * count * length : 0.0) +
         std::min(count, at_work) * 32.0 * length + 24.0 * length;
}

}  // namespace fdtd
