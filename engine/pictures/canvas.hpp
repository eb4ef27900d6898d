// A picture of at most 256 colours on which one draws: rectangles, lines, text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

// Pixels are indices of a palette; x runs to the right from 0, y down. Drawing ends at the edges.
class Canvas {
 public:
  Canvas(int width, int height, std::uint8_t background);
  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<std::uint8_t>& pixels() const { return pixels_; }

  void fill(int x, int y, int width, int height, std::uint8_t colour);
  void frame(int x, int y, int width, int height, int thickness, std::uint8_t colour);  // around the rectangle
  void disc(int x, int y, int radius, std::uint8_t colour);
  // UTF-8, its upper left corner at x, y, each pixel of the letters a square of `scale`. Letters outside ISO 8859-1 become
  // question marks.
  void text(int x, int y, std::string_view words, int scale, std::uint8_t colour);

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;
};

int text_width(std::string_view words, int scale);  // pixels

}  // namespace fdtd
