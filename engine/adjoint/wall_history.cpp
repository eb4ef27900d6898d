#include "engine/adjoint/wall_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd {
namespace {

constexpr double largest_integer = 32767.0;

// One wall node's samples of a block; returns what an integer stands for.
float to_integers(const double* samples, std::size_t count, std::int16_t* integers) {
  double largest = 0.0;
  for (std::size_t n = 0; n < count; ++n) largest = std::max(largest, std::abs(samples[n]));
  const auto unit = static_cast<float>(largest / largest_integer);
  const double inverse = unit > 0.0F ? 1.0 / static_cast<double>(unit) : 0.0;
  for (std::size_t n = 0; n < count; ++n)
    integers[n] =
        static_cast<std::int16_t>(std::clamp(std::round(samples[n] * inverse), -largest_integer, largest_integer));
  return unit;
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
  return static_cast<std::int64_t>(sizeof(std::int16_t)) * nodes * steps + single * (nodes + values);
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
  kept.i16.resize(deltas.size()), kept.scale.resize(reads_);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < reads_; ++i)
    kept.scale[i] = to_integers(deltas.data() + i * count, count, kept.i16.data() + i * count);
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
  const std::size_t count = reads_ > 0 ? kept.i16.size() / reads_ : 0;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < reads_; ++i)
    for (std::size_t n = 0; n < count; ++n)
      deltas[i * count + n] = static_cast<double>(kept.scale[i]) * static_cast<double>(kept.i16[i * count + n]);
}

}  // namespace fdtd
