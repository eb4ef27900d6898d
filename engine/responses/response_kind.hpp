// Whether a signal can be an impulse response at all: a sweep, speech or music that is taken for one gives figures of
// nothing.
//
// The energy of a response arrives most at its beginning, in all octaves alike, and decays. Energies are those of
// octaves in blocks of 20 ms, where they stand out of the least that the octave has over a twentieth of the signal, at
// most a quarter of a second. Certain, since no room does it:
//  - One after the other: of three adjacent octaves or more, each has its first tenth when the one before has had 80 %
//    (reverberation times of adjacent octaves of a room would have to differ by a factor of 15), or four or more begin,
//    and have their half, one after the other, over 0.12 s at least.
//  - At different times: octaves from 250 Hz on are loudest at three or more times 0.12 s apart. All octaves of a room
//    are at the direct sound, an early reflection, or one late echo.
//  - Evenly: of the octaves from 250 Hz on, of equal weight, the centre of gravity lies beyond 0.45 of the time in which
//    99 % arrive, and nothing begins anew. An exponential decay has 0.22, any decay that is convex at most 0.37, and an
//    even signal 0.5. Neither short signals, nor a few single impulses, nor what does not rise above the end count.
//  - Again and again: after a quarter of a second, sound rises by 8 dB and more to levels within 12 dB of the largest
//    that are not below those before, four times and more, and the second half of these levels is no fainter by 3 dB than
//    the first, as those of a flutter echo are.
// Doubtful, since strong late echoes may do it:
//  - Evenly, with a centre of gravity beyond 0.4, or with new beginnings.
//  - At two times.
//  - Again: so twice or more; or it rises by 6 dB and more to levels that are not below those before, and more than 0.3
//    of all energy arrives so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/sample_stream.hpp"

namespace fdtd {

// Why a signal is none, or may be none, in a clause; empty: nothing says so.
struct ResponseDoubt {
  std::string why;
  bool certain = false;
};
// `bandwidth`: Hz, valid up to here.
ResponseDoubt response_doubt(std::span<const double> signal, double rate, double bandwidth);
ResponseDoubt response_doubt(SampleStream& signal, double rate, double bandwidth);

}  // namespace fdtd
