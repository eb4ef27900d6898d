// The middle of some values, as timings are told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fdtd {

// Of an even number the upper of the two in the middle. There has to be a value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace fdtd
