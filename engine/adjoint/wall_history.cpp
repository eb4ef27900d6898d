#include "engine/adjoint/wall_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd {
namespace {

constexpr double largest_integer = 32766.0;  // one less: what was left of a sample comes on top
constexpr std::size_t with_one_scale = 16;   // steps

std::size_t scales_of(std::size_t steps) { return (steps + with_one_scale - 1) / with_one_scale; }

// One wall node's samples. The rest that rounding leaves of a sample is added to the next: the spectrum of the error then
// rises with frequency, as that of sound does not, and sums of samples, which move springs, stay right.
void to_integers(const double* samples, std::size_t steps, std::int16_t* integers, float* scales) {
  double left = 0.0;
  for (std::size_t first = 0; first < steps; first += with_one_scale) {
    const std::size_t end = std::min(steps, first + with_one_scale);
    double largest = std::abs(left);
    for (std::size_t n = first; n < end; ++n) largest = std::max(largest, std::abs(samples[n]));
    const auto unit = static_cast<float>(largest / largest_integer);
    *scales++ = unit;
    const double of_unit = static_cast<double>(unit), inverse = unit > 0.0F ? 1.0 / of_unit : 0.0;
    for (std::size_t n = first; n < end; ++n) {
      const double wanted = samples[n] + left;
      integers[n] = static_cast<std::int16_t>(std::clamp(std::round(wanted * inverse), -32767.0, 32767.0));
      left = wanted - of_unit * integers[n];
    }
  }
}

std::vector<float> rounded(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

std::int64_t history_bytes(HistoryFormat format, std::size_t reads, std::size_t states, std::int64_t steps) {
  const auto nodes = static_cast<std::int64_t>(reads), values = 2 * static_cast<std::int64_t>(states);
  constexpr auto single = static_cast<std::int64_t>(sizeof(float)), full = static_cast<std::int64_t>(sizeof(double));
  switch (format) {
    case HistoryFormat::f64:
      return full * (nodes * steps + values);
    case HistoryFormat::f32:
      return single * (nodes * steps + values);
    case HistoryFormat::i16:
      break;
  }
  return static_cast<std::int64_t>(sizeof(std::int16_t)) * nodes * steps +
         single * (nodes * static_cast<std::int64_t>(scales_of(static_cast<std::size_t>(steps))) + values);
}

void WallHistory::keep(std::size_t block, const std::vector<double>& deltas, std::int64_t steps,
                       const SiteFilters::States& before) {
  if (blocks_.size() <= block) blocks_.resize(block + 1);
  Block& kept = blocks_[block];
  kept = {};
  if (format_ == HistoryFormat::f64) {
    kept.f64 = deltas;
    kept.exact = before;
    return;
  }
  kept.rounded = {rounded(before.V), rounded(before.G)};
  if (format_ == HistoryFormat::f32) {
    kept.f32 = rounded(deltas);
    return;
  }
  const auto count = static_cast<std::size_t>(steps);
  const std::size_t scales = scales_of(count);
  kept.i16.resize(deltas.size()), kept.scale.resize(reads_ * scales);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < reads_; ++i)
    to_integers(deltas.data() + i * count, count, kept.i16.data() + i * count, kept.scale.data() + i * scales);
}

void WallHistory::take(std::size_t block, std::vector<double>& deltas, SiteFilters::States& before) {
  const Block kept = std::exchange(blocks_[block], {});
  if (format_ == HistoryFormat::f64) {
    deltas = kept.f64;
    before = kept.exact;
    return;
  }
  before.V.assign(kept.rounded.V.begin(), kept.rounded.V.end());
  before.G.assign(kept.rounded.G.begin(), kept.rounded.G.end());
  if (format_ == HistoryFormat::f32) {
    deltas.assign(kept.f32.begin(), kept.f32.end());
    return;
  }
  deltas.resize(kept.i16.size());
  const std::size_t count = reads_ > 0 ? kept.i16.size() / reads_ : 0, scales = scales_of(count);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < reads_; ++i)
    for (std::size_t n = 0; n < count; ++n)
      deltas[i * count + n] = static_cast<double>(kept.scale[i * scales + n / with_one_scale]) *
                              static_cast<double>(kept.i16[i * count + n]);
}

}  // namespace fdtd
