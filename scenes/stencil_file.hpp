// A user's own weights, from a TOML file that a scene's `stencil` names:
//   name = "mine"                          # optional: the file's name otherwise
//   courant = 0.5                          # the Courant number that the weights are for
//   centre = 0.5                           # weight of S at the node itself
//   shells = [[1, 0, 0], [2, 0, 0]]        # one point of each shell; signs and permutations are understood
//   weights = [0.27, -0.02]                # of S, one a shell
//   time_dispersion_removal = false        # optional: are the weights made for it?
// They pass the checks that the catalogue's own pass (stencils/check.hpp) or are refused with every reason.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/problem.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct StencilFile {
  Stencil stencil;                // meaningful only without problems
  std::string text;               // of the file
  std::vector<Problem> problems;  // in order of place
};

// Never throws for what the file holds.
StencilFile load_stencil(const std::filesystem::path& file);

}  // namespace fdtd
