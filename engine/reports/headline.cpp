#include "engine/reports/headline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fdtd {
namespace {

constexpr double lowest_mid = 500.0, highest_mid = 1000.0, lowest_usual = 125.0, highest_usual = 4000.0;  // Hz

OctaveRange octaves_between(const std::vector<double>& centres, double low, double high) {
  OctaveRange range;
  for (std::size_t b = 0; b < centres.size(); ++b)
    if (centres[b] > 0.0 && centres[b] >= low && centres[b] <= high) range.bands.push_back(b);
  if (range.bands.empty()) return range;
  const double first = centres[range.bands.front()], last = centres[range.bands.back()];
  range.name = first == last ? fmt::format("{:.6g} Hz", first) : fmt::format("{:.6g}-{:.6g} Hz", first, last);
  return range;
}

}  // namespace

OctaveRange mid_octaves(const std::vector<double>& centres) {
  OctaveRange range = octaves_between(centres, lowest_mid, highest_mid);
  if (range.bands.size() < 2) return {};
  range.mid = true;
  return range;
}

OctaveRange room_octaves(const std::vector<double>& centres) {
  return octaves_between(centres, lowest_usual, highest_usual);
}

OctaveRange headline_octaves(const std::vector<double>& centres) {
  OctaveRange range = mid_octaves(centres);
  if (range.bands.empty()) range = room_octaves(centres);
  if (range.bands.empty()) range = octaves_between(centres, 0.0, HUGE_VAL);
  return range;
}

std::string headline_text(const OctaveRange& range) {
  if (range.bands.empty()) return "no octave lies in the valid band";
  if (range.mid) return "mid-frequency: means of the octaves of 500 and 1000 Hz";
  const std::string below = "; the valid band ends below the mid-frequency octaves, 500 and 1000 Hz";
  return (range.bands.size() == 1 ? "the octave of " : "means of the octaves of ") + range.name + below;
}

}  // namespace fdtd
