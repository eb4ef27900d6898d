// UTF-8, one character at a time, and which characters are safe to print.
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

// The text itself if it is UTF-8, else what its bytes are in ISO 8859-1 (Latin-1): older programs write their names so.
std::string as_utf8(std::string_view text);

// False for control characters and for those that reorder or hide what stands beside them (Unicode categories Cc, Cf
// among the common blocks, line and paragraph separators): a terminal or a file manager would show something else.
bool is_printable(char32_t code);

}  // namespace fdtd
