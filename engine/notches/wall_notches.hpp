// Speaker-boundary interference: notches that the first reflection of a wall makes in the direct sound.
//
// Of a source, a receiver and a wall, the direct sound over r metres and the specular reflection over d metres add up to
// 1 + a exp(-2 pi i f (d - r) / c) times the direct sound, a = (r / d) R(f, angle) sqrt(1 - s) E: the wall's law at the
// angle of incidence, less what its relief scatters, and the part of a facet with free edges (facet_mirror.hpp). Of a rigid wall the minima are where d - r is an odd
// number of half wavelengths (R. V. Waterhouse, "Interference patterns in reverberant sound fields", J. Acoust. Soc. Am.
// 27, 1955; R. F. Allison, "The influence of room boundaries on loudspeaker power output", J. Audio Eng. Soc. 22, 1974).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/point.hpp"
#include "engine/notches/response_dips.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

inline constexpr double least_notch = 3.0;  // dB below the direct sound, from which a minimum counts as a notch
// Hz, unless a user asks for another band: above it notches lie denser than an ear or a correction separates them.
inline constexpr struct { double from = 20.0, to = 500.0; } notch_band;

// Of a run: each pair of source and receiver is searched facet by facet.
inline constexpr std::size_t most_notch_pairs = 64;

struct WallNotch {
  std::string wall;    // of a box its side, of a mesh the name of the surface
  Point at{};          // m: where the wall reflects
  double extra = 0.0;  // m, by which the path of the reflection is longer than that of the direct sound
  double frequency = 0.0, depth = 0.0;  // Hz; dB below the direct sound alone
  std::optional<ResponseDip> dip;       // of a computed response there (find_dips)
};

struct PairNotches {
  std::string source, receiver;
  double distance = 0.0;           // m
  bool blocked = false;            // no direct sound arrives: nothing interferes with it
  bool computed = false;           // a response was looked at
  std::vector<WallNotch> notches;  // ascending in frequency
};

// Whether source and receiver are at one place: there is no direct path that anything could block.
bool at_one_place(const PairNotches& pair);

// From `from` to `to` Hz, of each source at each receiver, sources outermost; sources and receivers count as
// omnidirectional, moving receivers and all pairs beyond `most_pairs` are left out.
std::vector<PairNotches> wall_notches(const Scene& scene, double from, double to,
                                      std::size_t most_pairs = std::numeric_limits<std::size_t>::max());

// Fills `dip` of each notch up to `valid_to` (Hz) by the impulse response of the pair at `rate` (Hz).
void find_dips(PairNotches& pair, std::span<const double> response, double rate, double valid_to);

}  // namespace fdtd
