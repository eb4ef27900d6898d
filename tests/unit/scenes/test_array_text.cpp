// Tables of microphones: their columns in any order, and what makes no array.
#include "scenes/array_text.hpp"

#include "scenes/toml/reader.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("array_text: positions, weights and names by their columns") {
  const ArrayText read = read_array_text("name;z;y;x;weight\nfront left;0,3;0,2;0,1;0,5\n\"7\";0;0;0;-1\n", bad_name);
  CHECK(read.fault.empty());
  REQUIRE(read.microphones.size() == 2);
  CHECK(read.microphones[0].name == "front left");
  CHECK(read.microphones[0].position == Point{0.1, 0.2, 0.3});
  CHECK(read.microphones[0].weight == 0.5);
  CHECK(read.microphones[1].name == "7");
  CHECK(read.microphones[1].weight == -1.0);
  const ArrayText plain = read_array_text("x,y,z\n1,2,3\n", bad_name);
  REQUIRE(plain.microphones.size() == 1);
  CHECK(plain.microphones[0].weight == 1.0);
  CHECK(plain.microphones[0].name.empty());
}

TEST_CASE("array_text: a fault has its line") {
  const auto check_fault = [](const std::string& text, int line, const std::string& message) {
    const ArrayText read = read_array_text(text, bad_name);
    CAPTURE(text, read.fault);
    CHECK(read.line == line);
    CHECK_THAT(read.fault, Catch::Matchers::Contains(message));
  };
  check_fault("", 0, "no microphone");
  check_fault("x,y,z,gain\n0,0,0,1\n", 1, "\"gain\" is not a known column");
  check_fault("x,y,z,x\n0,0,0,0\n", 1, "the column \"x\" appears twice");
  check_fault("x,y,name\n0,0,a\n", 1, "must name the columns x, y and z");
  check_fault("x,y,z,weight\n0,0,0,loud\n", 2, "weight: ");
  check_fault("x,y,z,weight\n0,0,0,0\n", 2, "leave this line out");
  check_fault("x,y,z,weight\n0,0,0,1e7\n", 2, "a weight of 1e+07 is not between 1e-06 and 1e+06");
  check_fault("x,y,z,weight\n0,0,0,nan\n", 2, "weight: ");
  check_fault("x,y,z,name\n0,0,0,a:b\n", 2, "the name \"a:b\" holds the character :");
  check_fault("x,y,z,name\n0,0,0,\n", 2, "is empty");
  check_fault("x,y,z,name\n0,0,0,a\n0,0,1,a\n", 3, "a microphone \"a\" is listed before");
}
