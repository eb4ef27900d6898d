#include "engine/responses/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "engine/responses/render.hpp"
#include "engine/responses/resampler.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

std::vector<double> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(random);
  return x;
}

}  // namespace

TEST_CASE("convolution: filters share the spectra of blocks") {
  const auto signal = noise(60'000, 1);
  const std::vector<std::vector<double>> filters = {noise(5000, 2), noise(5000, 3)};
  const ConvolutionBlocks blocks(5000);
  REQUIRE(blocks.block() >= 5000);
  std::vector<Convolution> at_work;
  for (const auto& filter : filters) at_work.emplace_back(blocks, filter);
  std::vector<std::vector<double>> out(2);
  for (std::size_t begin = 0; begin < signal.size(); begin += blocks.block()) {
    const std::size_t count = std::min(blocks.block(), signal.size() - begin);
    const auto spectrum = blocks.spectrum(std::span(signal).subspan(begin, count));
    for (std::size_t i = 0; i < 2; ++i) {
      const auto piece = at_work[i](spectrum, count);
      CHECK(piece.size() == count);
      out[i].insert(out[i].end(), piece.begin(), piece.end());
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    out[i].insert(out[i].end(), at_work[i].tail().begin(), at_work[i].tail().end());
    REQUIRE(out[i].size() == 64'999);
    for (const std::size_t n : {std::size_t{0}, std::size_t{30'000}, std::size_t{64'998}}) {
      double direct = 0.0;
      for (std::size_t j = 0; j < 5000 && j <= n; ++j)
        if (n - j < signal.size()) direct += filters[i][j] * signal[n - j];
      CHECK(out[i][n] == Approx(direct).margin(1e-10));
    }
  }
}

TEST_CASE("convolution: all filters at once give the whole convolution, however it is cut into blocks") {
  // Filters whose spectra are kept, and so many that they are not, in blocks shorter than the filters.
  struct Case {
    std::size_t taps, length, count;
  };
  for (const Case& one :
       {Case{1, 1, 1}, {700, 50, 2}, {37, 40000, 1}, {1, 70000, 3}, {5000, 20000, 2}, {5000, 20000, 1024}}) {
    const std::size_t taps = one.taps, length = one.length, count = one.count;
    const auto signal = noise(length, 5);
    std::vector<std::vector<double>> filters;
    for (std::size_t f = 0; f < count; ++f)
      filters.push_back(f < 3 ? noise(taps, 6 + static_cast<unsigned>(f)) : filters[0]);
    std::vector<std::vector<double>> out(count);
    SamplesInMemory stream(signal);
    std::vector<double> spoilt(10);
    stream.read(spoilt);  // it begins anew
    std::size_t longest = 0;
    convolve_all(stream, {filters.begin(), filters.end()}, [&](const auto& block) {
      REQUIRE(block.size() == count);
      for (std::size_t f = 0; f < count; ++f) {
        REQUIRE(block[f].size() == block[0].size());
        if (f < 4) out[f].insert(out[f].end(), block[f].begin(), block[f].end());
      }
      longest = std::max(longest, block[0].size());
    });
    if (count == 1024) {
      CHECK(longest < 20000);
      CHECK(out[3] == out[0]);
      CHECK(bytes_to_convolve(count, taps) < 800e6);
    }
    for (std::size_t f = 0; f < std::min<std::size_t>(count, 3); ++f) {
      REQUIRE(out[f].size() == taps + length - 1);
      double worst = 0.0;
      for (std::size_t j = 0; j < out[f].size(); j += 1 + out[f].size() / 300) {
        double direct = 0.0;
        for (std::size_t i = 0; i < taps && i <= j; ++i)
          if (j - i < length) direct += filters[f][i] * signal[j - i];
        worst = std::max(worst, std::abs(out[f][j] - direct));
      }
      CHECK(worst < 1e-10);
    }
  }
}

TEST_CASE("resampler: any parts give the bytes of the whole") {
  const auto signal = noise(50'000, 4);
  const auto whole = resample(signal, 44100.0, 48000.0);
  REQUIRE(whole.size() == resampled_length(50'000, 44100.0, 48000.0));
  for (const std::size_t part : {1u, 97u, 20'000u}) {
    Resampler resampler(44100.0, 48000.0);
    std::vector<double> out;
    for (std::size_t begin = 0; begin < signal.size(); begin += part)
      resampler.put(std::span(signal).subspan(begin, std::min(part, signal.size() - begin)), out);
    resampler.end(out);
    out.resize(whole.size(), 0.0);
    CHECK(out == whole);
  }
  CHECK_THROWS_AS(resampled_length(1, 0.0, 48000.0), Error);
}
