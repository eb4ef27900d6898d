// The values of a sweep: `KEY=[a, b, ...]` is one run a value, several keys every combination.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// One run's overrides, as --set takes them, in the order of the keys.
using SweepPoint = std::vector<std::string>;

// The last key changes fastest. A value that is no list is the same for all. Throws Error(scene) for what is no KEY=VALUE, an
// empty list, and more than `most` runs.
std::vector<SweepPoint> sweep_points(const std::vector<std::string>& sets, std::size_t most);

// "[a, [b, c], "d, e"]" -> {a, [b, c], "d, e"}: split at commas outside brackets, braces and quotes; one element for what is no
// list.
std::vector<std::string> list_elements(const std::string& text);

}  // namespace fdtd::cli
