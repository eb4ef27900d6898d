#include "engine/pictures/canvas.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "engine/pictures/fixed_font.hpp"

namespace fdtd {
namespace {

const char* rows_of(char32_t code) {
  constexpr char32_t printable_ascii = 0x7f - 0x20;
  if (code >= 0x20 && code < 0x7f) return fixed_font[code - 0x20];
  if (code >= 0xa0 && code <= 0xff) return fixed_font[code - 0xa0 + printable_ascii];
  return fixed_font['?' - 0x20];
}

int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

Canvas::Canvas(int width, int height, std::uint8_t background)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void Canvas::fill(int x, int y, int width, int height, std::uint8_t colour) {
  const int left = std::clamp(x, 0, width_), right = std::clamp(x + width, left, width_);
  for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row) {
    const auto first = pixels_.begin() + static_cast<std::ptrdiff_t>(row) * width_;
    std::fill(first + left, first + right, colour);
  }
}

void Canvas::frame(int x, int y, int width, int height, int thickness, std::uint8_t colour) {
  const int outer = width + 2 * thickness;
  fill(x - thickness, y - thickness, outer, thickness, colour);
  fill(x - thickness, y + height, outer, thickness, colour);
  fill(x - thickness, y, thickness, height, colour);
  fill(x + width, y, thickness, height, colour);
}

void Canvas::disc(int x, int y, int radius, std::uint8_t colour) {
  for (int row = -radius; row <= radius; ++row) {
    int half = 0;
    while ((half + 1) * (half + 1) + row * row <= radius * radius) ++half;
    fill(x - half, y + row, 2 * half + 1, 1, colour);
  }
}

void Canvas::text(int x, int y, std::string_view words, int scale, std::uint8_t colour) {
  for (std::size_t at = 0; at < words.size();) {
    const Glyph glyph = glyph_at(words, at);
    at += glyph.bytes;
    const char* const rows = rows_of(glyph.valid ? glyph.code : U'?');
    for (int row = 0; row < letter_height; ++row) {
      const int bits = 16 * digit_of(rows[2 * row]) + digit_of(rows[2 * row + 1]);
      for (int column = 0; column < letter_width; ++column)
        if (bits >> (letter_width - 1 - column) & 1) fill(x + column * scale, y + row * scale, scale, scale, colour);
    }
    x += letter_width * scale;
  }
}

int text_width(std::string_view words, int scale) {
  int letters = 0;
  for (std::size_t at = 0; at < words.size(); ++letters) at += glyph_at(words, at).bytes;
  return letters * letter_width * scale;
}

}  // namespace fdtd
