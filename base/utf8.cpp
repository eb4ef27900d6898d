#include "base/utf8.hpp"

#include <fmt/format.h>

namespace fdtd {

Glyph glyph_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const Glyph bad{lead, 1, false};
  if (lead < 0xC2 || lead > 0xF4 || bytes > text.size() - at) return bad;
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return bad;
    code = (code << 6) | (byte(at + i) & 0x3Fu);
  }
  constexpr char32_t min_code[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < min_code[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return bad;
  return {code, bytes, true};
}

std::string as_utf8(std::string_view text) {
  bool valid = true;
  for (std::size_t at = 0; at < text.size() && valid;) {
    const Glyph glyph = glyph_at(text, at);
    valid = glyph.valid;
    at += glyph.bytes;
  }
  if (valid) return std::string(text);
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x80) out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3F) : code);
  }
  return out;
}

bool is_printable(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD) return false;
  if (code == 0x061C || code == 0x180E || code == 0xFEFF) return false;
  if ((code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E)) return false;
  if ((code >= 0x2060 && code <= 0x206F) || (code >= 0xFFF0 && code <= 0xFFFB)) return false;
  return code < 0xE0000;  // tags, private planes
}

bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    if (!glyph.valid || !is_printable(glyph.code)) return false;
    at += glyph.bytes;
  }
  return true;
}

std::string printable(const Glyph& glyph, std::string_view bytes) {
  const auto code = static_cast<unsigned>(glyph.code);
  if (!glyph.valid) return fmt::format("\\x{:02x}", code);
  if (is_printable(glyph.code)) return std::string(bytes);
  if (glyph.code == U'\n') return "\\n";
  if (glyph.code == U'\t') return "\\t";
  return code > 0xFFFF ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    if (glyph.code == U'\n' || glyph.code == U'\t')
      out += text[at];
    else
      out += printable(glyph, text.substr(at, glyph.bytes));
    at += glyph.bytes;
  }
  return out;
}

}  // namespace fdtd
