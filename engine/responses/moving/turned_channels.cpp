#include "engine/responses/moving/turned_channels.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace fdtd {

void turn_channels(std::vector<std::vector<double>>& channels, const Path& path, double rate, std::uint64_t first) {
  if (!path.turns() || channels.empty()) return;
  const auto order = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(channels.size())))) - 1;
  for (std::size_t n = 0; n < channels.front().size(); ++n) {
    const double angle = path.yaw(static_cast<double>(first + n) / rate) * std::numbers::pi / 180.0;
    for (std::size_t m = 1; m <= order; ++m) {
      const double cosine = std::cos(static_cast<double>(m) * angle), sine = std::sin(static_cast<double>(m) * angle);
      for (std::size_t degree = m; degree <= order; ++degree) {
        double& with_cosine = channels[degree * (degree + 1) + m][n];
        double& with_sine = channels[degree * (degree + 1) - m][n];
        const double before = with_cosine;
        with_cosine = cosine * before + sine * with_sine;
        with_sine = cosine * with_sine - sine * before;
      }
    }
  }
}

void turn_pattern(std::vector<std::vector<double>>& channels, const Path& path, double rate, std::uint64_t first) {
  if (channels.size() != 3) throw std::invalid_argument("turn_pattern: a pattern and two figure-eights");
  for (std::size_t n = 0; n < channels[0].size(); ++n) {
    const double angle = path.yaw(static_cast<double>(first + n) / rate) * std::numbers::pi / 180.0;
    channels[0][n] += (std::cos(angle) - 1.0) * channels[1][n] + std::sin(angle) * channels[2][n];
  }
  channels.resize(1);
}

}  // namespace fdtd
