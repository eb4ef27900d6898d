// The measured directivities of a scene's sources, read and fitted.
#pragma once

#include <vector>

#include "base/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Fills Directivity::balloon of each source that names a file. A file that is none of AES69 is read as a table of text.
// Returns a problem, at the key `directivity`, for each that cannot be used.
std::vector<Problem> read_balloons(Scene& scene);

}  // namespace fdtd
