// The crossover: a rendered wave response and the sound above it become one response.
#pragma once

#include <cstddef>

#include "engine/above/above_record.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {

// Replaces each channel of `record` in `rendered` by L times itself, plus H times its early sound as long as that is in
// phase with the wave part, plus Q times the rest (octave_bank.hpp has the weights); nothing above record.upper. Both
// parts are rendered at any rate; the same bytes for any number of threads. Throws std::invalid_argument for channels that
// `rendered` does not have.
void add_above(const AboveRecord& record, Rendered& rendered);

}  // namespace fdtd
