#include "base/rounded_text.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("rounded numbers have no exponent where {:g} has one") {
  CHECK(rounded_text(1000.0, 3) == "1000");
  CHECK(rounded_text(1417.3, 3) == "1420");
  CHECK(rounded_text(-15996.0, 3) == "-16000");
  CHECK(rounded_text(170.0, 2) == "170");
  CHECK(rounded_text(0.0212986, 3) == "0.0213");
  CHECK(rounded_text(0.1, 2) == "0.1");
  CHECK(rounded_text(0.0, 3) == "0");
  CHECK(rounded_text(999.6, 3) == "1000");
  CHECK(rounded_text(INFINITY, 3) == "inf");
}

TEST_CASE("numbers are rounded up and down, those of so many digits stay") {
  CHECK(rounded_up_text(0.0604, 2) == "0.061");
  CHECK(rounded_down_text(0.0604, 2) == "0.06");
  CHECK(rounded_up_text(0.06, 2) == "0.06");
  CHECK(rounded_down_text(0.06, 2) == "0.06");
  CHECK(rounded_up_text(1417.3, 2) == "1500");
  CHECK(rounded_down_text(1417.3, 2) == "1400");
  CHECK(rounded_up_text(-1.25, 2) == "-1.2");
  CHECK(rounded_down_text(-1.25, 2) == "-1.3");
  CHECK(rounded_up_text(9.96, 2) == "10");
  CHECK(rounded_up_text(0.0, 2) == "0");
}

}  // namespace fdtd::test
