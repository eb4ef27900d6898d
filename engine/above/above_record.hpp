// The sound above the crossover as a run stores it: enough to render the response again at any rate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/responses/crossover/octave_bank.hpp"

namespace fdtd {

inline constexpr double early_rate = 48000.0;  // Hz

// The energies of all sound but that of image sources at a receiver, from one source: [octave][bin], or
// [octave][bin][direction] for a receiver with a pattern. An arrival over r metres has the energy 1 / r^2.
struct LateRecord {
  std::uint32_t source = 0, receiver = 0;  // of the scene
  double start = 0.0;                      // s: of the direct sound
  bool directions = false;
  std::vector<double> energy;
};

// Of one channel s * receivers + r of the recording.
struct AboveChannel {
  std::size_t channel = 0;
  std::size_t late = 0;         // of AboveRecord::late
  std::vector<double> pattern;  // of the receiver: the factors of the SN3D harmonics 0, 1, ...; empty: omnidirectional
  std::vector<double> early;    // image sources: a filter at early_rate, as Rendered::ir; up to about 22 kHz
};

// Relative, dB, dB: how much T20, C80 and G of an octave still depend on the draw of rays, at the receiver where it is
// most. T20: missing where no decay has one.
struct RaySpread {
  std::optional<double> T20;
  double C80 = 0.0, G = 0.0;
};

// Why there are no more rays: image sources have all sound; T20 has converged; the scene says how many; there are as many
// as there may be; more would take too long. Of several sources the last in this order.
enum class RayEnd { silent, converged, asked, most, work };
inline constexpr std::array<const char*, 5> ray_end_names = {"silent", "converged", "asked", "most", "work"};

struct AboveRecord {
  Crossover crossover;                       // Hz
  double upper = 0.0;                        // Hz
  std::vector<double> octaves;               // Hz, centres
  double bin = 0.0;                          // s
  double coherent_until = 0.0;               // s: earlier sound is added in phase with the wave part
  double volume = 0.0, sound_speed = 343.2;  // m3, m/s: of late sound's density of arrivals
  std::uint64_t seed = 0;
  std::int64_t rays = 0;  // a source, the fewest of all
  RayEnd ray_end = RayEnd::silent;
  std::vector<RaySpread> spread;  // by octave; empty: no ray was traced
  // Unit vectors towards the middles of the cells to which directions of arrival are assigned.
  std::vector<std::array<double, 3>> directions;
  int image_order = -1;  // of a mesh; -1: all of a box
  std::vector<LateRecord> late;
  std::vector<AboveChannel> channels;  // those that are outputs
};

}  // namespace fdtd
