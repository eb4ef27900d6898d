// Both parts of a directional source in one pass.
//
// The response of a source of a pattern is a H_0 + (1 - a) H_1 c / (alpha + i omega): of its omnidirectional part and of
// the derivative along its direction, which rendering integrates over time (responses/render.hpp). As the field is
// linear, the integration may as well be done on what the derivative sends: the two parts then add up in the field. At
// the grid's frequency w and the gains g_0, g_1 of both (source_gain.hpp), p = exp(-alpha T) and z = exp(iw), the parts
// send
//   F_0 = (1 - 1/z) (1 - p/z) / (1 - q/z) z^-L,
//   F_1 = (1 - 1/z) (1 - a)/a h(z) / (1 - q/z),  h(z) z^L = (1 - p/z) c / (alpha + i omega(w)) g_0(w) / g_1(w) in the band,
// h a filter of 2L + 2 samples by least squares: so that the record times (1 - q/z) / (1 - p/z) z^L (joint_pass.hpp) is
// that of the omnidirectional part alone, plus (1 - a)/a of the integrated derivative. q makes the signals short,
// some 600 samples, and leaves little for that last recursion to amplify: rounding errors below q's corner alone.
#pragma once

#include <vector>

#include "engine/plan/joint_pass.hpp"
#include "engine/plan/plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Hz below which the integrations of a derivative of that order would raise rounding noise to 40 dB below the signal.
double rounding_cut(const Plan& plan, int order);
// The same of a tap with a ball of nodes; 0 without its nodes.
double ball_rounding_cut(const Plan& plan, const Tap& tap);
// Hz below which the integration of a first derivative ends: 5 Hz, or rounding_cut where that is higher.
double first_order_cut(const Plan& plan);

// The joint passes of the plan's sources, which are the scene's `sources` channel by channel, up to `bandwidth` Hz of the responses. Parts are left
// out, to have a pass each, where a receiver is so near to the source, beside walls that do not lie along the grid, that
// rendering limits the derivative of this pair alone (near_corners).
std::vector<JointPass> join_parts(const std::vector<SourceSpec>& sources, const Plan& plan,
                                  const std::vector<JointParts>& parts, double bandwidth);

}  // namespace fdtd
