#include "engine/responses/figure_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/responses/octave_filter.hpp"

namespace fdtd {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double no_band = std::numeric_limits<double>::infinity();  // until finish()

FigureTableMaker::FigureTableMaker(std::size_t channels) {
  all_.centres = nominal_octaves();
  all_.centres.push_back(0.0);
  all_.channels = channels;
  all_.onset.assign(channels, none);
  for (std::size_t f = 0; f < figures_of_decay; ++f) all_.values[f].assign(channels * all_.centres.size(), no_band);
}

void FigureTableMaker::put(std::size_t channel, const Metrics& metrics) {
  const auto put_band = [&](const BandMetrics& band) {
    const auto found = std::ranges::find(all_.centres, band.centre);
    if (found == all_.centres.end()) return;
    const auto at = static_cast<std::size_t>(found - all_.centres.begin());
    const std::size_t place = channel * all_.centres.size() + at;
    for (std::size_t f = 0; f < figures_of_decay; ++f)
      all_.values[f][place] = (band.*named_figures[f].figure).value.value_or(none);
    for (std::size_t f = figures_of_decay; f < figure_count; ++f) {
      const Figure& figure = band.*named_figures[f].figure;
      if (!figure.value) continue;
      const std::scoped_lock lock(growing_);
      if (all_.values[f].empty()) all_.values[f].assign(all_.channels * all_.centres.size(), none);
      all_.values[f][place] = *figure.value;
    }
  };
  for (const BandMetrics& band : metrics.bands) put_band(band);
  put_band(metrics.broadband);
  all_.onset[channel] = metrics.onset;
}

FigureTable FigureTableMaker::finish() {
  const std::size_t bands = all_.centres.size();
  std::vector<std::size_t> kept;
  for (std::size_t b = 0; b < bands; ++b) {
    bool any = b + 1 == bands;
    for (std::size_t c = 0; c < all_.channels && !any; ++c) any = all_.values[0][c * bands + b] != no_band;
    if (any) kept.push_back(b);
  }
  FigureTable table;
  for (const std::size_t b : kept) table.centres.push_back(all_.centres[b]);
  table.channels = all_.channels;
  table.onset = std::move(all_.onset);
  for (std::size_t f = 0; f < figure_count; ++f) {
    if (all_.values[f].empty()) continue;
    table.values[f].reserve(all_.channels * kept.size());
    for (std::size_t c = 0; c < all_.channels; ++c)
      for (const std::size_t b : kept) {
        const double value = all_.values[f][c * bands + b];
        table.values[f].push_back(value == no_band ? none : value);
      }
    all_.values[f] = {};
  }
  return table;
}

}  // namespace fdtd
