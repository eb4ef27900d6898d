// PNG pictures as tests look at them: the colours of their pixels, and the places of a text.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/files/png.hpp"
#include "tests/support/png_library.hpp"

namespace fdtd::test {

struct Picture : PngPicture {
  Colour at(int x, int y) const;
  int count(const Colour& colour, int left, int top, int wide, int high) const;  // pixels of a rectangle
  // Upper left corners of `words` in the letters of a Canvas, black, with no other black pixel among them.
  std::vector<std::array<int, 2>> places_of(const std::string& words, int scale = 1) const;
  bool shows(const std::string& words) const { return !places_of(words).empty(); }
  bool shows_at(const std::string& words, int x, int y) const;  // its middle there, within half a letter
  // Upper left pixel inside the frame of a map `wide` pixels wide; throws std::runtime_error: no frame.
  std::array<int, 2> corner_of_map(int wide) const;
};

Picture picture_of(const std::string& png);  // throws std::runtime_error: no PNG

}  // namespace fdtd::test
