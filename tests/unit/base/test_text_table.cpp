// Tables of text: separators, quotes, decimal commas.
#include "base/text_table.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

std::vector<std::vector<std::string>> lines_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  TextTable table(text);
  std::vector<std::string_view> cells;
  while (table.next(cells)) lines.emplace_back(cells.begin(), cells.end());
  return lines;
}

using Lines = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("text table: semicolons, tabs, commas and blanks part cells", "[table]") {
  const Lines expected{{"a", "b"}, {"1", "2,5"}};
  CHECK(lines_of("a;b\n1;2,5\n") == expected);
  CHECK(lines_of("a\tb\r\n1\t2,5\r\n") == expected);
  CHECK(lines_of("a  b\n1 2,5") == expected);
  CHECK(lines_of("a,b\n1,\"2,5\"\n") == expected);
  CHECK(lines_of("\xEF\xBB\xBFsep=;\n# a comment\n\na; b\n 1 ;2,5") == expected);
}

TEST_CASE("text table: lines count from one, those that are skipped as well", "[table]") {
  TextTable table("# head\n\na,b\n\n1,2\n");
  std::vector<std::string_view> cells;
  REQUIRE(table.next(cells));
  CHECK(table.line() == 3);
  CHECK(table.separator() == ',');
  REQUIRE(table.next(cells));
  CHECK(table.line() == 5);
  CHECK_FALSE(table.next(cells));
}

TEST_CASE("text table: numbers have a decimal point or one decimal comma", "[table]") {
  CHECK(table_number("0.45") == 0.45);
  CHECK(table_number("0,45") == 0.45);
  CHECK(table_number("+2e-1") == 0.2);
  for (const char* none : {"", "1,2,3", "1,2.3", "nan", "inf", "1e999", "0.4 dB", "45%"})
    CHECK_FALSE(table_number(none));
  CHECK(no_number("45%").find("divide per cent by 100") != std::string::npos);
  CHECK(like_thousands("1,000"));
  CHECK_FALSE(like_thousands("0,125"));
  CHECK_FALSE(table_encoding_fault("\xFF\xFE").empty());
}
