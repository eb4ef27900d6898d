// Versions of the libraries that this program runs with, for `fdtd doctor` and provenance.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fdtd {
std::vector<std::pair<std::string, std::string>> library_versions();
}
