// Kernels from a table: a row is a kernel's sizes and the group of rows that are compiled together, those that take
// about as long, a translation unit each and precision (engine/CMakeLists.txt). A row has `group` and compiled_in<T>().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace fdtd::cuda {

template <const auto& table>
constexpr int row_groups() {
  int groups = 0;
  for (const auto& row : table) groups = std::max(groups, row.group + 1);
  return groups;
}

template <const auto& table, int group, class T>
constexpr std::size_t rows_in_group() {
  std::size_t count = 0;
  for (const auto& row : table) count += row.group == group && row.template compiled_in<T>() ? 1 : 0;
  return count;
}

// Their numbers in the table.
template <const auto& table, int group, class T>
constexpr auto rows_of_group() {
  std::array<std::size_t, rows_in_group<table, group, T>()> numbers{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].group == group && table[i].template compiled_in<T>()) numbers[count++] = i;
  return numbers;
}

template <class Family, int group, class T, std::size_t... i>
constexpr auto variants_of_rows(std::index_sequence<i...>) {
  constexpr auto numbers = rows_of_group<Family::rows, group, T>();
  return std::array{Family::template variant<T, Family::rows[numbers[i]]>()...};
}
// Family::variant<T, row>() of every row of the group that is compiled in T.
template <class Family, int group, class T>
constexpr auto variants_of_group() {
  return variants_of_rows<Family, group, T>(std::make_index_sequence<rows_in_group<Family::rows, group, T>()>());
}

}  // namespace fdtd::cuda
