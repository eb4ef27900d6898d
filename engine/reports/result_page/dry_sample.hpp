// A dry sound to hear rooms by: claps, wood blocks, a drum, plucked strings. It is synthesised here, so that every page may
// hold it.
#pragma once

#include <vector>

namespace fdtd {

// 2.6 s at `rate` Hz, above 0; the largest magnitude is 1. Strings are those of K. Karplus, A. Strong, "Digital synthesis of
// plucked-string and drum timbres", Computer Music J. 7 (1983).
std::vector<double> dry_sample(double rate);

}  // namespace fdtd
