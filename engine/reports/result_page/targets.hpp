// The figures that a standard asks of a room of a use, by octave.
//
// DIN 18041:2016-03, rooms of group A: T = a lg V + b (s, V in m3) of the occupied room, and its range by octave; equations
// and volumes as quoted by Saint-Gobain Rigips, "Bauphysik", p. 47, factors by octave as in redbluee/Raumakustik-CAD,
// module reverberation_calc. EBU Tech 3276 (2nd edition, 1998), 2.3, as ITU-R BS.1116: the mean of T from 200 Hz to 4 kHz is
// 0.25 (V / 100)^(1/3) s, in EBU Tech 3276 between 0.2 and 0.4 s, within 0.05 s in each band; their limits beyond these
// bands are left out, for want of a source. ISO 3382-1:2009, table A.1, as in jmrplens/phonometry, module room.auditorium: typical
// ranges of the mean of the octaves of 500 and 1000 Hz at single positions in unoccupied halls up to 25000 m3, no targets.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace fdtd {

struct FigureTarget {
  std::size_t figure = 0;                   // of named_figures
  std::vector<std::array<double, 3>> band;  // octave in Hz, least and largest value in the figure's unit
};

struct UseTargets {
  std::string use, source;            // "speech", "DIN 18041:2016, A2"
  std::string about;                  // what the target is of, and for which volume
  std::vector<FigureTarget> figures;  // empty: the volume is beyond the standard's range, as `about` says
  bool single_positions =
      false;  // of the mean over the octaves of a band at each position; else of means over positions
};

// "speech", "music" and others, in their order in the help.
const std::vector<std::string>& room_uses();

// `volume`: m3, above 0. Throws Error (scene) for a use that there is not.
UseTargets targets_of(const std::string& use, double volume);

}  // namespace fdtd
