#include <string>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Problem at(int line, int column, int width = 0) { return {{line, column}, width, "room.box", "is wrong", "", ""}; }

// The line with the caret of a formatted problem, without its gutter.
std::string caret_line(const std::string& messages) {
  const auto first = messages.find('\n'), second = messages.find('\n', first + 1);
  return messages.substr(second + 1 + 8, messages.find('\n', second + 1) - second - 9);
}
std::string source_line(const std::string& messages) {
  const auto first = messages.find('\n');
  return messages.substr(first + 1 + 8, messages.find('\n', first + 1) - first - 9);
}

}  // namespace

TEST_CASE("a problem shows file, line, column, key, the line, a caret and a hint") {
  const Problem problem{{2, 7}, 0, "room.box", "must be three numbers, not 2", "write [x, y, z]", ""};
  CHECK(problem_text(problem, "hall.toml", "[room]\nbox = [3, 2]  # m\n") ==
        "hall.toml:2:7: room.box: must be three numbers, not 2\n"
        "    2 | box = [3, 2]  # m\n"
        "      |       ^~~~~~\n"
        "  hint: write [x, y, z]\n");
}

TEST_CASE("a problem without a place shows no line") {
  CHECK(problem_text({{}, 0, "", "no such file", "", ""}, "hall.toml", "") == "hall.toml: no such file\n");
}

TEST_CASE("a problem of --set shows the override instead of a line") {
  const Problem problem{{0, 10, 1}, 0, "room.box", "is wrong", "", "room.box=[3, 2]"};
  CHECK(problem_text(problem, "hall.toml", "box = 1") ==
        "--set room.box=[3, 2]: room.box: is wrong\n"
        "      | room.box=[3, 2]\n"
        "      |          ^~~~~~\n");
}

TEST_CASE("the caret underlines the whole value, key or table header") {
  const auto underlined = [](const std::string& line, int column) {
    return caret_line(problem_text(at(1, column), "f", line));
  };
  CHECK(underlined("a = 12.5 # m", 5) == "    ^~~~");
  CHECK(underlined("a = \"x # ] \\\" y\" # m", 5) == "    ^~~~~~~~~~~~");
  CHECK(underlined("a = 'x\\' # m", 5) == "    ^~~~");
  CHECK(underlined("a = [[1, 2], \"]\"] # m", 5) == "    ^~~~~~~~~~~~~");
  CHECK(underlined("a = { b = 1, c = 2 }", 11) == "          ^");
  CHECK(underlined("a = { b = 1 }", 11) == "          ^");
  CHECK(underlined("[room.walls]", 1) == "^~~~~~~~~~~~");
  CHECK(underlined("room.walls.x = 1", 6) == "     ^~~~~");
  CHECK(underlined("a = [", 5) == "    ^");
  CHECK(underlined("a = ", 5) == "    ^");
}

TEST_CASE("columns count characters: the caret stays under its place behind umlauts, tabs and escapes") {
  CHECK(caret_line(problem_text(at(1, 8), "f", "\xC3\xA4\xC3\xB6\xC3\xBC = 12")) == "       ^");
  CHECK(source_line(problem_text(at(1, 6), "f", "\ta = 12")) == " a = 12");
  CHECK(caret_line(problem_text(at(1, 6), "f", "\ta = 12")) == "     ^~");
  CHECK(source_line(problem_text(at(1, 6), "f",
                                 "\x1B"
                                 "a = 12")) == "\\u001ba = 12");
  CHECK(caret_line(problem_text(at(1, 6), "f",
                                "\x1B"
                                "a = 12")) == "          ^~");
}

TEST_CASE("long lines are cut around the place") {
  const std::string line = std::string(3000, 'a') + " = -1, " + std::string(3000, 'b');
  const std::string messages = problem_text(at(1, 3004), "f", line);
  CHECK(messages.size() < 350);
  CHECK(messages.find(" = -1, b") != messages.npos);
  const std::string caret = caret_line(messages), source = source_line(messages);
  CHECK(source.substr(caret.find('^'), 2) == "-1");
}

TEST_CASE("places beyond the text do no harm") {
  for (const int line : {1, 2, 3, 1000}) {
    for (const int column : {1, 2, 100000}) {
      for (const int width : {0, 1, 50}) CHECK_FALSE(problem_text(at(line, column, width), "f", "a\r\nb").empty());
    }
  }
}

TEST_CASE("nothing a scene holds reaches the terminal unescaped") {
  const std::string hostile =
      "\x1B[31m\r\x07\x7F\xFF\xC2\x9B"
      "2J\xE2\x80\xAE"
      "abc\xF3\xA0\x80\x81";
  const Problem problem{{1, 1}, 0, hostile, hostile, hostile, ""};
  Problem set = problem;
  set.set = hostile;
  for (const std::string& messages : {problem_text(problem, hostile, hostile), problem_text(set, hostile, hostile)}) {
    for (std::size_t i = 0; i < messages.size();) {
      const Glyph glyph = glyph_at(messages, i);
      CHECK(glyph.valid);
      CHECK((glyph.code == U'\n' || is_printable(glyph.code)));
      i += glyph.bytes;
    }
    CHECK(messages.find("\\u001b[31m\\u000d\\u0007\\u007f\\xff\\u009b2J\\u202eabc\\U000e0001") != messages.npos);
  }
}

TEST_CASE("the nearest name is found within a third of the length and one") {
  const std::vector<std::string> known = {"duration", "max_frequency", "grid_spacing", "stencil"};
  CHECK(nearest_name("duratoin", known) == "duration");
  CHECK(nearest_name("Duration", known) == "duration");
  CHECK(nearest_name("maxfreq", known) == "");
  CHECK(nearest_name("max_frequenzy", known) == "max_frequency");
  CHECK(nearest_name("stencils", known) == "stencil");
  CHECK(nearest_name("spacing", known) == "");
  CHECK(nearest_name("", known) == "");
  CHECK(nearest_name("x", {}) == "");
  CHECK(nearest_name(std::string(5'000'000, 'd'), known) == "");
}

TEST_CASE("UTF-8 is read as RFC 3629 says") {
  const auto valid = [](const std::string& bytes) {
    return glyph_at(bytes, 0).valid && glyph_at(bytes, 0).bytes == bytes.size();
  };
  for (const char* good : {"a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(valid(good));
  }
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xE2\x82", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
    CHECK_FALSE(glyph_at(bad, 0).valid);
    CHECK(glyph_at(bad, 0).bytes == 1);
  }
  CHECK(glyph_at("\xE2\x82\xAC", 0).code == 0x20AC);
  CHECK(glyph_at("\xF0\x9F\x98\x80", 0).code == 0x1F600);
}
