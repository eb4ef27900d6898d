// Large vectors whose pages all threads bring in: one thread alone takes longer for that than for filling them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fdtd {

// As values.resize(count, value), of a vector without values.
template <class Value>
void resize_touched(std::vector<Value>& values, std::size_t count, const Value& value = {}) {
  constexpr std::size_t page = 4096;
  constexpr std::int64_t few_pages = 1024;
  values.clear();
  values.reserve(count);
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(values.data());
  const auto pages = static_cast<std::int64_t>(count * sizeof(Value) / page);
#pragma omp parallel for schedule(static) if (pages > few_pages)
  for (std::int64_t p = 0; p < pages; ++p) bytes[static_cast<std::size_t>(p) * page] = 0;
  values.resize(count, value);
}

// Lists, one after the other; they are emptied.
template <class Value>
std::vector<Value> concatenated(std::vector<std::vector<Value>>& lists) {
  std::vector<std::size_t> begin(lists.size() + 1, 0);
  for (std::size_t i = 0; i < lists.size(); ++i) begin[i + 1] = begin[i] + lists[i].size();
  std::vector<Value> all;
  resize_touched(all, begin.back());
#pragma omp parallel for schedule(dynamic) if (begin.back() > 65536)
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t n = 0; n < lists[i].size(); ++n) all[begin[i] + n] = lists[i][n];
    lists[i] = {};
  }
  return all;
}

}  // namespace fdtd
