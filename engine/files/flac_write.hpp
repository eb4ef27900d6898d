// FLAC in memory, for sound that a page holds.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fdtd {

// Bytes of a FLAC stream of 16 bits: one span of equal length per channel, 1 to 8 of them, full scale +-1, clipped there.
// The bytes depend on the arguments and the library alone. Throws Error (scene) for no or too many channels, spans of
// unequal length, or a rate (Hz) that FLAC does not have.
std::string encode_flac(const std::vector<std::span<const double>>& channels, unsigned sample_rate);

}  // namespace fdtd
