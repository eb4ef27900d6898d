// The part of a response that makes an octave: waves, geometry above their band (engine/above), or both.
#pragma once

namespace fdtd {

enum class BandOrigin { unknown, wave, both, geometry };
const char* name_of(BandOrigin origin);  // "wave", "both", "geometry"; "" where it is unknown

// Where the parts of a response meet.
struct BandParts {
  double waves_to = 0.0, geometry_from = 0.0;  // Hz: waves alone below the first, geometry alone above the second
  bool known = false;                          // a response of another program says nothing of its parts
};

// Of the octave around `centre` (Hz, nominal); of all frequencies, 0, where both parts are there: both.
BandOrigin origin_of(double centre, const BandParts& parts);
// Of several bands together.
BandOrigin joint(BandOrigin a, BandOrigin b);

}  // namespace fdtd
