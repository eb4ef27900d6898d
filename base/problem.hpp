// A problem of a scene, and its message in the form of a compiler's: file:line:column, the line, a caret, a hint.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

// Line and column in the text of a scene, from 1; line 0: none (a value from --set, or a default). Columns count
// characters.
struct TextPlace {
  int line = 0, column = 0;
  int set = 0;  // 1, 2, ...: in that override of Scene::overrides, at `column`; 0: in the file
};

struct Problem {
  TextPlace place;         // line 0: the file as a whole
  int width = 0;           // columns to underline; 0: the whole value or key that starts there
  std::string where;       // "receiver.R1.position"; may be empty
  std::string message;     // "(31.2, 4, 1.2) is outside the room (30 x 20 x 8 m)"
  std::string hint;        // "the nearest point inside is (30, 4, 1.2), 1.2 m away"; may be empty
  std::string set;         // the text of the --set that has the problem, when it is not in the file (place.set > 0)
  std::size_t others = 0;  // problems that this entry stands for: "and 17 more problems"
};

// No message is longer, in bytes, whatever names, texts and lists it quotes.
inline constexpr std::size_t longest_message = 2000;

// hall.toml:14:12: receiver.seat_12: position ... / the line / the caret / hint: ...   Ends in a newline. Long lines
// are cut around the place, control characters and broken UTF-8 are shown as escapes: safe to print on any terminal.
// At most longest_message bytes.
std::string problem_text(const Problem& problem, std::string_view file, std::string_view text);

// Text from a scene as a message shows it: in quotes, escaped like problem_text(), cut at 40 characters.
std::string in_quotes(std::string_view text);

// At most `limit` bytes of a message: a longer one loses its middle, and says how much of it. A cut leaves UTF-8 whole.
std::string shortened(std::string_view message, std::size_t limit = longest_message);

// "a, b, c": names as they are given, as many as fit into `limit` bytes and one at least, and then "and 17 more".
std::string listed(const std::vector<std::string>& names, std::size_t limit = 600);

// The known name nearest to `name` (edit distance, at most a third of its length + 1), or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace fdtd
