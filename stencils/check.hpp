// Derives the claims of a stencil again from its weights. The test of the catalogue and a user's weights go through
// these checks.
#pragma once

#include <string>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// The errors of a stencil, one sentence each; none when its claims are right. After an error in the shells or the
// moments the other checks are skipped:
//   - shells in order (q1 >= q2 >= q3 >= 0), each once, radius at most 20, one finite weight a shell;
//   - weights sum to 2, second moment 2 lambda^2, to 1e-12;
//   - -2 <= S <= 2 to 1e-12 over the whole Brillouin zone, at its own Courant number and at the limit it claims;
//   - the order of accuracy it claims, no more and no less;
//   - the kind of proof: run folding for points on the axes alone; the all-mask certificate not beyond the stencil's
//     own Courant number, and not refuted by a search for non-commuting contractions (stencils/all_mask.hpp). The
//     certificate itself is an SDP and not solved here: an unrefuted `all_mask` remains a claim, everything else is
//     derived.
std::vector<std::string> check(const Stencil& stencil);

// A stencil from weights that are not the catalogue's: order, Courant limit and kind of proof are derived (run
// folding for points on the axes alone, else the block construction). Call `check` for its errors; weights whose
// Courant limit cannot be derived claim the given Courant number.
Stencil user_stencil(std::string name, double courant, std::vector<Shell> shells, double centre,
                     std::vector<double> weights, bool time_dispersion_removal = false);

}  // namespace fdtd
