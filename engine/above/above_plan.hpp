// The plan of a response above the frequency up to which waves are computed: where geometry takes over, in which octaves,
// with how many rays and images.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/responses/crossover/octave_bank.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The wave part of a response, and the room that geometry shares with it.
struct WavePart {
  double valid_to = 0.0;          // Hz
  double dispersion_error = 0.0;  // of the phase velocity, relative, at valid_to
  double duration = 0.0;          // s
  double volume = 0.0;            // m3 of air
  double sound_speed = 343.2;     // m/s
  double updates = 0.0;           // of nodes, all steps and passes
  bool flat = false;              // the grid is one cell across, so that waves have two dimensions or one
};

// T20 of the halves of all rays, within which "auto" has enough of them; relative.
inline constexpr double ray_convergence = 0.03;

inline constexpr double deviation_width = 0.01;  // s, of the energies whose deviation is stated

// The relative standard deviation of an octave's energy by the draw of rays, in the octave where it is largest.
struct RayDeviation {
  double until = 0.0;     // s after the emission: in the deviation_width before
  double relative = 0.0;  // of all sound, image sources too
};

struct AbovePlan {
  Crossover crossover;
  double upper = 0.0;                     // Hz, where responses end
  std::vector<double> octaves;            // Hz, centres of those above crossover.from
  double overlap = 0.0;                   // Hz, centre of the octave that ends at crossover.from
  std::int64_t rays = 0;                  // a source; of "auto" the fewest
  std::int64_t most_rays = 0;             // a source: the number doubles up to here until T20 has converged
  double most_hits = 0.0;                 // of walls by all rays, beyond which it does not
  std::optional<RayDeviation> deviation;  // with these rays; none: not known, or image sources have most sound
  double radius = 0.0;                    // m, of the receivers' spheres; less beside walls
  std::int64_t path_rays = 50000;         // that search for a mesh's image sources
  int image_order = 0;                    // of a mesh
  double image_reach = 0.0;               // m: of a box, all images nearer than this
  double summed_reach = 0.0;              // m: the same, of which a prediction sums fewer or none (0)
  double coherent_until = 0.0;            // s: sound that arrives earlier is in phase with the wave part's
  double duration = 0.0;                  // s
  double volume = 0.0;                    // m3
  double sound_speed = 343.2;             // m/s
  std::uint64_t seed = 0;
  std::vector<std::string> extended;  // "plaster from 5657 Hz": materials whose data end below `upper`
};

// Nothing where the scene asks for none, or waves reach as far as responses do. Throws Error (status scene) for a crossover
// above wave.valid_to. `omitted`: as above_omitted().
std::optional<AbovePlan> plan_above(const Scene& scene, const WavePart& wave, std::string* omitted = nullptr);

// The reason why a scene that leaves the method open gets waves alone; "": it does not.
std::string above_omitted(const Scene& scene, const WavePart& wave);

// Hz, where responses end whose waves end at wave.valid_to.
double response_end(const Scene& scene, const WavePart& wave);

// "above 1000 to 20000 Hz by geometry: ...", for reports.
std::string above_text(const AbovePlan& plan, bool box);

}  // namespace fdtd
