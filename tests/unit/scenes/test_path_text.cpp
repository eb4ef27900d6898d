// Files of paths: what they hold, and what is refused with the line.
#include "scenes/path_text.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;

namespace {

void check_refused(const std::string& text, const std::string& message) {
  std::string why;
  CAPTURE(text);
  CHECK_FALSE(read_path(text, why));
  CHECK_THAT(why, Contains(message));
}

}  // namespace

TEST_CASE("a path is a table of times and positions, its columns in any order") {
  std::string why;
  const auto path = read_path("# a walk\nX;t;y;Z;yaw\n1,5;0;2;1;0\n2;0,5;2;1;90\n", why);
  REQUIRE(path);
  REQUIRE(path->rows().size() == 2);
  CHECK(path->rows()[0].position == Point{1.5, 2, 1});
  CHECK(path->rows()[1].time == 0.5);
  CHECK(path->rows()[1].yaw == 90.0);
  CHECK(path->rows()[1].line == 4);
  REQUIRE(read_path("t,x,y,z\n-1,1,2,3\n", why));
}

TEST_CASE("a file that is no path is refused with its line") {
  check_refused("", "no row of a path");
  check_refused("t,x,y,z\n", "no row of a path");
  check_refused("0,1,1,1\n1,2,1,1\n", "line 1: \"0\" is not a known column");
  check_refused("time,x,y,z\n0,1,1,1\n", "line 1: \"time\" is not a known column");
  check_refused("t,x,y\n0,1,1\n", "line 1: the column \"z\" is missing");
  check_refused("t,x,y,z,z\n0,1,1,1,1\n", "line 1: the column \"z\" appears twice");
  check_refused("t,x,y,z\n0,1,1,1\n0,2,1,1\n", "line 3: times must increase: 0 follows 0 s");
  check_refused("t,x,y,z\n0,1,nan,1\n", "line 2: y: ");
  check_refused("t,x,y,z\n0,1,inf,1\n", "line 2: y: ");
  check_refused("t,x,y,z\n0,1,1e300,1\n", "line 2: y: 1e+300 is beyond");
  check_refused("t,x,y,z\n0,1,1\n", "line 2: ");
  check_refused(std::string("t,x,y,z\n\0", 9), "");
  std::string many = "t,x,y,z\n";
  for (std::size_t i = 0; i <= most_path_rows; ++i) many += std::to_string(i) + ",1,1,1\n";
  check_refused(many, "more than 100000 rows");
}
