// Decodes UTF-8 one character at a time, and decides which characters are safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fdtd {

struct Glyph {
  char32_t code = 0;
  std::size_t bytes = 1;  // 1 where the bytes are not UTF-8
  bool valid = true;
};

// The character at byte `at` < text.size(). Overlong forms, surrogates and codes above 10FFFF are not valid (RFC 3629).
Glyph glyph_at(std::string_view text, std::size_t at);

// The text itself if it is valid UTF-8; else its bytes are taken as ISO 8859-1 (Latin-1), which older programs write.
std::string as_utf8(std::string_view text);

// False for control characters and for characters that reorder or hide their neighbours (Unicode categories Cc, Cf in
// the common blocks, line and paragraph separators), so that a terminal would show something else.
bool is_printable(char32_t code);
bool is_printable(std::string_view text);  // valid UTF-8 without such characters

// One character as a terminal may get it: itself, or an escape such as \n, \u001b or \xff.
std::string printable(const Glyph& glyph, std::string_view bytes);

// Every text that comes from a file, a name or an argument passes here before it is printed. Line feeds and tabs, which
// messages and tables consist of, remain.
std::string printable(std::string_view text);

}  // namespace fdtd
