// Image sources and rays of a scene: the sound above the crossover, for every source and receiver.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/above/above_plan.hpp"
#include "engine/above/above_record.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

inline constexpr double early_ringing = 0.05;  // s, in which the end of the band rings down after early sound

// Time of the parts.
struct AboveSeconds {
  double room = 0.0;   // s: facets and laws
  double paths = 0.0;  // search for image sources
  double early = 0.0;  // their sound
  double rays = 0.0;
  double spread = 0.0;  // of the rays, by receiver
};

struct AboveTrace {
  AboveRecord record;
  // Of the octave around overlap_centre (Hz), by element of record.channels: the energies of rays by bin.
  double overlap_centre = 0.0;
  std::vector<std::vector<double>> overlap;
  std::vector<bool> directional_source;  // by element of record.channels
  AboveSeconds seconds;
  std::int64_t hits = 0, lost = 0;     // of rays with the walls; rays that left through a gap between them
  std::array<double, 3> first_lost{};  // m: from where the first of those met no wall
};

// Each may be empty. From the thread that calls.
struct AboveCalls {
  std::function<void()> begin;
  std::function<void(const std::string&)> stage;  // "source 2 of 3, 40000 rays" begins
  std::function<void()> check;  // a few times a second, and last of all; an exception of it ends the trace
  std::function<void()> end;    // also after an error; must not throw
};

// The same bytes for any number of threads. Throws Error: status scene where more than a twentieth of all reflections
// find no wall (with a place), resource where memory is short.
AboveTrace trace_above(const Scene& scene, const AbovePlan& plan, const AboveCalls& calls = {});

}  // namespace fdtd
