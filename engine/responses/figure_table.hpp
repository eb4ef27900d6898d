// Room-acoustic parameters of many responses as arrays: 300 bytes a response where Metrics, with its reasons, take ten
// thousand.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <mutex>
#include <vector>

#include "engine/responses/metrics.hpp"

namespace fdtd {

inline constexpr std::size_t figure_count = std::size(named_figures);

struct FigureTable {
  std::vector<double> centres;  // Hz, nominal, of the bands; the last is 0: all frequencies
  std::size_t channels = 0;
  // In the order of named_figures and their units: [channel * bands + band]; NaN where the response has no such band,
  // the decay cannot support the figure, or the channel is not an output by itself. From figures_of_decay on: empty where
  // no channel has the figure.
  std::array<std::vector<double>, figure_count> values;
  std::vector<double> onset;  // s, by channel; NaN likewise

  double value(std::size_t figure, std::size_t channel, std::size_t band) const {
    const std::vector<double>& all = values[figure];
    return all.empty() ? std::numeric_limits<double>::quiet_NaN() : all[channel * centres.size() + band];
  }
};

// For `channels` channels, which are put one by one, in any threads, and closed by finish().
class FigureTableMaker {
 public:
  explicit FigureTableMaker(std::size_t channels);
  void put(std::size_t channel, const Metrics& metrics);
  FigureTable finish();  // with the bands that any channel has

 private:
  FigureTable all_;     // of all octaves
  std::mutex growing_;  // of figures that few channels have
};

}  // namespace fdtd
