#include "engine/reports/page.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a table longer than a screen scrolls below its head") {
  Table table{{"row", "value"}, {}};
  for (int i = 0; i < 40; ++i) table.rows.push_back({fmt::format("{}", i), "1"});
  CHECK_THAT(to_html(table), Catch::Contains("class=\"scroll\" tabindex=\"0\""));
  table.rows.push_back({"40", "1"});
  CHECK_THAT(to_html(table), Catch::Contains("class=\"scroll tall\" tabindex=\"0\""));
  const std::string page = html_page("title", to_html(table));
  CHECK_THAT(page, Catch::Contains(".tall { max-height") && Catch::Contains(".tall thead th { position: sticky"));
}
