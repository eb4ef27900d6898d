// All harmonics of a measured source in one pass.
//
// The response of a measured source is the sum over its channels of V_c(f) R_n(f) H_c(w) / g_c(w) (channel_filter.hpp):
// harmonic of the file, limited integration over time, spectrum of the channel's record over its gain. As the field is
// linear, channel c may as well send
//   S_c(w) = (1 - 1/z) V_c R_n g_0 / g_c z^-L,  z = exp(iw),
// so that the record of all channels together, once equalised by the first one's gain, is that sum, L samples late.
// Signals are known before the run: inverse transforms of S_c, with a raised cosine above the band and faded ends. V_c is
// not causal, since it is relative to the axis: L is as long as all but 1e-7 of the energy that the channels radiate
// asks, 30 ms at most. The integrations are bounded by the distance r of the measurement, r^n / (2n - 1)!! at 0 Hz, so no
// signal grows, and a signal sums to 0. (S. Bilbao & J. Ahrens, "Modeling continuous source distributions in wave-based
// virtual acoustics", J. Acoust. Soc. Am. 148 (2020) 3951.)
#pragma once

#include "engine/plan/joint_pass.hpp"
#include "engine/plan/plan.hpp"
#include "engine/transducers/channel_filter.hpp"
#include "scenes/balloon.hpp"

namespace fdtd {

// Of the sources `parts` of the plan, the channels of `balloon`, up to `bandwidth` Hz of the responses.
JointPass pass_of_harmonics(const Plan& plan, const JointParts& parts, const Balloon& balloon, double bandwidth);

// The filter of a channel of a measured source: its harmonic, and the radial filter of `cut` Hz.
ChannelFilter harmonic_filter(const Balloon& balloon, std::size_t acn, double cut);

}  // namespace fdtd
