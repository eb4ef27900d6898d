#include "engine/estimate/mode_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fdtd {
namespace {

// By the reverberation time of one octave.
double overlap_from(const ReverberationBand& band, double volume) {
  return volume > 0.0 ? 2000.0 * std::sqrt(band.seconds / volume) : std::numeric_limits<double>::infinity();
}

}  // namespace

double modes_of_octave(const RoomExtent& room, double centre, double sound_speed) {
  double surface = 0.0;
  for (const auto& [material, area] : room.areas) surface += area;
  const auto below = [&](double frequency) {
    const double k = frequency / sound_speed;  // 1/m
    return k * (4.0 * std::numbers::pi * room.volume * k * k / 3.0 + std::numbers::pi * surface * k / 4.0 +
                room.edges / 8.0);
  };
  return below(centre * std::numbers::sqrt2) - below(centre / std::numbers::sqrt2);
}

double schroeder_frequency(const std::vector<ReverberationBand>& bands, double volume) {
  double frequency = std::numeric_limits<double>::infinity();
  for (const ReverberationBand& band : bands) {
    frequency = overlap_from(band, volume);
    if (frequency <= band.centre * std::numbers::sqrt2) break;
  }
  return frequency;
}

std::string few_modes_remark(const std::vector<ReverberationBand>& bands, double volume) {
  const double frequency = schroeder_frequency(bands, volume);
  if (!std::isfinite(frequency)) return {};
  std::string octaves, counts;
  for (const ReverberationBand& band : bands) {
    if (band.centre * std::numbers::sqrt2 > frequency) continue;
    octaves += fmt::format("{}{:.6g}", octaves.empty() ? "" : ", ", band.centre);
    counts += fmt::format("{}{:.0f}", counts.empty() ? "" : ", ", band.modes);
  }
  if (octaves.empty()) return {};
  return fmt::format(
      "modes do not overlap below the Schroeder frequency, {:.0f} Hz: in the octaves of {} Hz, which hold {} of them, "
      "T20 and T30 are those of single modes and differ from place to place, and from grid to grid by some per cent; "
      "average them over several sources and receivers",
      frequency, octaves, counts);
}

}  // namespace fdtd
