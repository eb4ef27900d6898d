// The octaves whose means stand for a response: the mid-frequency ones, 500 and 1000 Hz, as ISO 3382-1 averages its single
// numbers (table A.1), and those from 125 to 4000 Hz, the range that it asks for. A figure of all frequencies together
// is no such number: in a room it is that of the lowest octave, which decays last.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fdtd {

struct OctaveRange {
  std::vector<std::size_t> bands;  // indices into the list of centres
  std::string name;                // "500-1000 Hz"
  bool mid = false;
};

// Of ascending centres in Hz (0 and NaN do not count); without bands where the two octaves are not both there.
OctaveRange mid_octaves(const std::vector<double>& centres);
// Those of 125 to 4000 Hz that are there.
OctaveRange room_octaves(const std::vector<double>& centres);
// The octaves of which a single number is the mean: mid_octaves, else room_octaves, else all that are there.
OctaveRange headline_octaves(const std::vector<double>& centres);
// "means of the octaves ...", for the head of a table.
std::string headline_text(const OctaveRange& range);

// The mean of value(band) over the range; NaN where one of them is, or there are none.
template <class Value>
double mean_over(const OctaveRange& range, const Value& value) {
  double sum = 0.0;
  for (const std::size_t band : range.bands) sum += value(band);
  return range.bands.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(range.bands.size());
}

}  // namespace fdtd
