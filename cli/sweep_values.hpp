// The values of a sweep: `KEY=[a, b, ...]` gives one run per value, several keys every combination.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// The overrides of one run, as for --set, in the order of the keys.
using SweepPoint = std::vector<std::string>;

// The last key changes fastest. A value that is not a list is the same for all runs. Throws Error(scene) for text that
// is not KEY=VALUE, an empty list, and more than `max_points` runs.
std::vector<SweepPoint> sweep_points(const std::vector<std::string>& sets, std::size_t max_points);

// "[a, [b, c], "d, e"]" -> {a, [b, c], "d, e"}: split at commas outside brackets, braces and quotes; one element for
// text that is not a list.
std::vector<std::string> list_elements(const std::string& text);

}  // namespace fdtd::cli
