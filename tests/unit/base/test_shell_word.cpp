#include "base/shell_word.hpp"

#include <cstdio>
#include <string>

#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("words of a shell are quoted where it would take them apart") {
  CHECK(shell_word("out/ir_S_R-1.wav") == "out/ir_S_R-1.wav");
  CHECK(shell_word("raum ü=1.toml") == "'raum ü=1.toml'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
  for (const char* text : {"a b", "$HOME", "it's \"so\"", "`x`", "a;b&c|d", "*?[x]", "~", "a\\b", "(x)", "#x", "!x"}) {
    FILE* const shell = ::popen(("printf %s " + shell_word(text)).c_str(), "r");
    REQUIRE(shell != nullptr);
    std::string said;
    for (int c = 0; (c = std::fgetc(shell)) != EOF;) said += static_cast<char>(c);
    ::pclose(shell);
    CHECK(said == text);
  }
}

}  // namespace fdtd::test
