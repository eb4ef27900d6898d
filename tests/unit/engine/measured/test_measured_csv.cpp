// Figures measured in a room, from tables of text.
#include "engine/measured/measured_csv.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("measured: a table has a value a line, in commas or semicolons", "[measured]") {
  const char* const text = GENERATE(
      "source,receiver,figure,band,value,reason\n"
      "LS1,MP1,t20,500,2.07,\n"
      "LS1,MP1,T20,125,,too little range\n"
      "LS1,MP2,g,500,-1.5,\n",
      "Value;Band;Figure;Receiver;Source;Reason\r\n"
      "2,07;500;t20;MP1;LS1;\r\n"
      ";125;T20;MP1;LS1;too little range\r\n"
      "-1,5;500;g;MP2;LS1;\r\n");
  std::string why;
  const auto figures = read_measured_csv(text, why);
  INFO(why);
  REQUIRE(figures);
  CHECK(figures->centres == std::vector{125.0, 500.0});
  REQUIRE(figures->pairs.size() == 2);
  constexpr std::size_t t20 = 1, g = 7;
  CHECK(figures->pairs[0].receiver == "MP1");
  CHECK(figures->pairs[0].octaves[1][t20].value == 2.07);
  CHECK(figures->pairs[0].octaves[0][t20].reason == "too little range");
  CHECK(figures->pairs[1].octaves[1][g].value == -1.5);
  CHECK(figures->pairs[1].octaves[0][g].reason == "not stated in the measurement");
}

TEST_CASE("measured: a table that cannot be figures is refused, with its line", "[measured]") {
  struct Bad {
    const char *text, *why;
  };
  const std::string head = "source,receiver,figure,band,value\n";
  const Bad bad = GENERATE(values<Bad>({
      {"", "no line of figures"},
      {"A,B,t20,500,nan\n", "line 2: value: \"nan\" is not a number"},
      {"A,B,t20,500,2,07\n", "line 2: 6 columns instead of the 5"},
      {"A,B,t20,500\n", "line 2: 4 columns"},
      {"A,B,t15,500,1\n", "no line of figures"},
      {"A,B,t20,400,1\n", "line 2: 400 Hz is no octave"},
      {"A,B,t20,x,1\n", "line 2: band: \"x\" is not a number"},
      {"A,B,t20,500,-1\n", "line 2: T20 = -1 is not between"},
      {",B,t20,500,1\n", "line 2: source: a name is empty"},
      {"A,B,t20,500,1\nA,B,T20,500,2\n", "line 3: T20 of \"A\" at \"B\" in 500 Hz appears twice"},
  }));
  std::string why;
  CHECK_FALSE(read_measured_csv(head + bad.text, why));
  INFO(why);
  CHECK(why.find(bad.why) != std::string::npos);
}

TEST_CASE("measured: other figures of a table are named and left", "[measured]") {
  std::string why;
  const auto figures = read_measured_csv("source,receiver,figure,band,value\nA,B,lf,500,0.2\nA,B,t20,500,1.5\n", why);
  REQUIRE(figures);
  CHECK(figures->pairs[0].octaves[0][1].value == 1.5);
  REQUIRE(figures->remarks.size() == 1);
  CHECK(figures->remarks[0].find("not compared: \"lf\";") != std::string::npos);
}

TEST_CASE("measured: the head line of a table names the columns", "[measured]") {
  std::string why;
  CHECK_FALSE(read_measured_csv("source,receiver,figure,band\n", why));
  CHECK(why.find("line 1: the column \"value\" is missing") != std::string::npos);
  CHECK_FALSE(read_measured_csv("source,receiver,figure,band,value,seat\n", why));
  CHECK(why.find("line 1: \"seat\" is not a known column") != std::string::npos);
  CHECK_FALSE(read_measured_csv("source,source,figure,band,value\n", why));
  CHECK(why.find("appears twice") != std::string::npos);
  CHECK_FALSE(read_measured_csv("\xFF\xFEs", why));
  CHECK(why.find("UTF-16") != std::string::npos);
}
