// The work of the part above the waves' band, counted: above.method = "auto" leaves out what takes too long. Neither a
// clock nor the processor has a say, so that a scene has the same bytes everywhere.
#pragma once

#include <cstdint>

#include "scenes/scene.hpp"

namespace fdtd {

// Responses, or spectra of sources, of one place.
double outputs_of(const Directivity& directivity);

struct AboveWork {
  double images = 0.0;     // image sources of a box, of all pairs
  double crossings = 0.0;  // of walls and of receivers' spheres by rays, the fewest that "auto" takes
  double samples = 0.0;    // of responses, at early_rate, of all channels: memory grows with them too
  double a_sample = 0.0;   // image sources that take as long
  double total() const;    // image sources that take as long
};

// Of a plan that may be the scene's.
struct AboveExtent {
  double duration = 0.0, volume = 0.0, sound_speed = 0.0;  // s, m3, m/s
  double radius = 0.0;                                     // m, of receivers' spheres
  double image_reach = 0.0;                                // m, of a box
  std::int64_t rays = 0;                                   // a source
};
AboveWork above_work(const Scene& scene, const AboveExtent& plan);

// Of above_work(), that "auto" takes by itself: some 25 minutes of a core, and 2 GB of early sound.
inline constexpr double most_above_work = 1e10, most_above_samples = 2.4e8;

}  // namespace fdtd
