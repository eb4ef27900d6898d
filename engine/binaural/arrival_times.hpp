// Arrival times of single directions that a head does not have.
//
// Measurements of a head go on for hours: rings of loudspeakers, a turntable, a computer that starts late. Some directions
// then arrive earlier or later than others at both ears, which no head does: at low frequencies its responses are smooth
// over the sphere. Those of MIT's KEMAR lie up to four samples apart from one ring of elevation to the next.
#pragma once

#include <vector>

#include "engine/binaural/head_responses.hpp"

namespace fdtd {

// s, by direction, 0 in the mean: by how much sound comes too late at both ears. Each direction moves until both responses
// fit spherical harmonics of order 3 from 150 to 600 Hz best, where a head of usual size has no more; all 0 where there are
// fewer than four directions for each of these. `shares`: solid_angles(). The difference between the ears stays.
std::vector<double> late_directions(const HeadResponses& head, const std::vector<double>& shares);

}  // namespace fdtd
