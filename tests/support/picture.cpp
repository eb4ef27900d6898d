#include "tests/support/picture.hpp"

#include <cstdlib>
#include <stdexcept>

#include "engine/pictures/canvas.hpp"
#include "engine/pictures/fixed_font.hpp"

namespace fdtd::test {
namespace {

constexpr Colour black{0, 0, 0};

}  // namespace

Picture picture_of(const std::string& png) { return {decode_png(png)}; }

Colour Picture::at(int x, int y) const {
  const std::size_t first =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  return {rgb.at(first), rgb.at(first + 1), rgb.at(first + 2)};
}

int Picture::count(const Colour& colour, int left, int top, int wide, int high) const {
  int found = 0;
  for (int y = top; y < top + high; ++y)
    for (int x = left; x < left + wide; ++x) found += at(x, y) == colour ? 1 : 0;
  return found;
}

std::vector<std::array<int, 2>> Picture::places_of(const std::string& words, int scale) const {
  Canvas text(text_width(words, scale), letter_height * scale, 0);
  text.text(0, 0, words, scale, 1);
  const auto matches = [&](int left, int top) {
    std::size_t i = 0;
    for (int y = 0; y < text.height(); ++y)
      for (int x = 0; x < text.width(); ++x, ++i)
        if ((at(left + x, top + y) == black) != (text.pixels()[i] == 1)) return false;
    return true;
  };
  std::vector<std::array<int, 2>> places;
  for (int y = 0; y + text.height() <= height; ++y)
    for (int x = 0; x + text.width() <= width; ++x)
      if (matches(x, y)) places.push_back({x, y});
  return places;
}

bool Picture::shows_at(const std::string& words, int x, int y) const {
  for (const auto& [left, top] : places_of(words))
    if (std::abs(left + text_width(words, 1) / 2 - x) <= letter_width / 2 && std::abs(top + letter_height / 2 - y) <= 1)
      return true;
  return false;
}

std::array<int, 2> Picture::corner_of_map(int wide) const {
  for (int y = 0; y + 1 < height; ++y)
    for (int x = 0; x + wide + 2 <= width; ++x)
      if (count(black, x, y, wide + 2, 1) == wide + 2) return {x + 1, y + 1};
  throw std::runtime_error("no frame");
}

}  // namespace fdtd::test
