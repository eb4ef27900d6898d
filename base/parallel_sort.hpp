// A stable sort by all threads: one order, whatever their number.
#pragma once

#include <parallel/algorithm>
#include <vector>

namespace fdtd {

// As std::stable_sort, which it is for few values.
template <class Value, class Before>
void sort_stably(std::vector<Value>& values, const Before& before) {
  constexpr std::size_t few = 65536;
  if (values.size() < few)
    std::stable_sort(values.begin(), values.end(), before);
  else
    __gnu_parallel::stable_sort(values.begin(), values.end(), before);
}

}  // namespace fdtd
