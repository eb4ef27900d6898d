// The band that rendering passes: the valid one, and why it ends.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose/note.hpp"
#include "engine/planning/judge/valid_band.hpp"

namespace fdtd {

// The band of a plan leaves no octave. Status scene.
struct EmptyBand : Error {
  using Error::Error;
};

// Hz: the valid band up to `max_frequency`, but no less than a twentieth of that.
double passed_bandwidth(const ValidBand& valid, double max_frequency);

// Where the valid band ends below max_frequency: the limit that ends it, and the key that gives more. Throws EmptyBand
// where no octave is left.
std::optional<Note> note_on_band(const Scene& scene, const GridChoice& choice, const ValidBand& valid);

}  // namespace fdtd
