// Whether a signal can be an impulse response at all: a sweep, speech or music that is taken for one gives figures of
// nothing.
//
// The energy of a response arrives most at its beginning, in all octaves alike, and decays. Energies are those of
// octaves in blocks of 20 ms, where they stand out of the least that the octave has over a twentieth of the signal, at
// most a quarter of a second.
//  - One after the other: of three adjacent octaves or more, each has its first tenth when the one before has had 80 %
//    (reverberation times of adjacent octaves of a room would have to differ by a factor of 15), or four or more begin
//    one after the other, over 0.12 s at least.
//  - Evenly: of the octaves from 250 Hz on, of equal weight, the centre of gravity lies beyond 0.4 of the time in which
//    99 % arrive. An exponential decay has 0.22, any decay that is convex at most 0.37, and an even signal 0.5.
//    Neither short signals, nor a few single impulses, nor what does not rise above the end count.
//  - Again and again: after a quarter of a second, sound rises by 8 dB and more to levels within 12 dB of the largest
//    that are not below those before, and does so several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/sample_stream.hpp"

namespace fdtd {

// Why it is none, in a sentence; empty where it may be one. `bandwidth`: Hz, valid up to here.
std::string no_response(std::span<const double> signal, double rate, double bandwidth);
std::string no_response(SampleStream& signal, double rate, double bandwidth);

}  // namespace fdtd
