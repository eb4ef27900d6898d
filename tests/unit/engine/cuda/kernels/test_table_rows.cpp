#include "engine/cuda/kernels/table_rows.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/cuda/kernels/march/blocks.hpp"
#include "engine/cuda/kernels/tma/tiles.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd::cuda;

namespace {

struct Row {
  int group, number;
  bool in_float, in_double;
  template <class T>
  constexpr bool compiled_in() const {
    return std::is_same_v<T, float> ? in_float : in_double;
  }
};
constexpr std::array<Row, 4> table = {
    {{0, 1, true, true}, {1, 2, true, false}, {0, 3, false, true}, {1, 4, true, true}}};

struct Family {
  static constexpr const auto& rows = table;
  template <class T, Row row>
  static constexpr int variant() {
    return 10 * row.number + static_cast<int>(sizeof(T));
  }
};

// Every row is compiled once in each of its precisions, in the table's order within its group.
template <const auto& rows, class T, int group = 0>
std::size_t count_groups() {
  if constexpr (group < row_groups<rows>()) {
    constexpr auto numbers = rows_of_group<rows, group, T>();
    CHECK(!numbers.empty());
    CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    return numbers.size() + count_groups<rows, T, group + 1>();
  }
  return 0;
}
template <const auto& rows>
void check_groups() {
  const auto rows_in = [](auto one) {
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const auto& row) { return row.template compiled_in<decltype(one)>(); }));
  };
  CHECK(count_groups<rows, float>() == rows_in(0.0F));
  CHECK(count_groups<rows, double>() == rows_in(0.0));
}

}  // namespace

TEST_CASE("a group's variants are its rows that are compiled in the precision, in the table's order") {
  CHECK(row_groups<table>() == 2);
  CHECK(variants_of_group<Family, 0, float>() == std::array{14});
  CHECK(variants_of_group<Family, 0, double>() == std::array{18, 38});
  CHECK(variants_of_group<Family, 1, float>() == std::array{24, 44});
  CHECK(variants_of_group<Family, 1, double>() == std::array{48});
}

TEST_CASE("every row of the kernels' tables is compiled once in each of its precisions") {
  check_groups<compiled_tiles::cube>();
  check_groups<compiled_tiles::star>();
  check_groups<compiled_blocks::star>();
  check_groups<compiled_blocks::plane_sums>();
}
