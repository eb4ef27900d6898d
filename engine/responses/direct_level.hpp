// How far the direct sound in a response is from 1/r where source and receiver are near.
//
// A response begins at the emission, and its band limit has linear phase: of an arrival after r/c, the ringing before
// the emission is cut off, up to half of the pulse. And the nodes of source and receiver overlap (near_field.hpp): what
// is not subtracted of that adds to the pulse.
#pragma once

#include "engine/responses/render_filter.hpp"
#include "engine/transducers/near_field.hpp"

namespace fdtd {

// dB by octave band within the low-pass, those of the least and the largest level; of all frequencies where there is no
// octave. Below 0: too low. In the highest octave the error is known to `within` dB alone: near its end the taps differ
// by direction, and what the near field holds beyond E_1 counts up to direct_near_cells.
inline constexpr double direct_near_cells = 2.5;
struct DirectError {
  double lowest = 0.0, highest = 0.0, within = 0.0;
  double largest() const { return within + (-lowest > highest ? -lowest : highest); }
};

// That of the responses of a plan, up to `bandwidth` Hz.
LowPass low_pass_of(const Plan& plan, double bandwidth);

// `distance`: m, above 0; `left`: of the grid's near field, what is in the response; `rate`: Hz, of the response.
DirectError direct_error(double distance, const NearField& left, const LowPass& low_pass, const Grid& grid,
                         double rate);

}  // namespace fdtd
