// The wave part and geometry compared in the octave below the crossover.
#pragma once

#include "engine/above/trace_above.hpp"
#include "engine/responses/agreement.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {

// `wave`: rendered, before the sound above was added. Geometry is what a response would hold of it there: image sources,
// and the energies of rays as noise. Receivers with a pattern and directional sources have no part.
Agreement agreement_below(const AboveTrace& trace, const Rendered& wave, const OverlapRoom& room);

}  // namespace fdtd
