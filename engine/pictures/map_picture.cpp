#include "engine/pictures/map_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/files/png.hpp"
#include "engine/pictures/canvas.hpp"
#include "engine/pictures/colour_map.hpp"
#include "engine/pictures/fixed_font.hpp"

namespace fdtd {
namespace {

constexpr int map_colours = 251;  // odd: the middle one of the diverging colours is white
constexpr std::uint8_t wall = 0, paper = map_colours + 1, ink = map_colours + 2, marked = map_colours + 3;

std::vector<Colour> map_palette(bool diverging) {
  std::vector<Colour> palette{{0x80, 0x80, 0x80}};
  const std::vector<Colour> colours = diverging ? diverging_colours(map_colours) : sequential_colours(map_colours);
  palette.insert(palette.end(), colours.begin(), colours.end());
  palette.insert(palette.end(), {{0xff, 0xff, 0xff}, {0, 0, 0}, {0xff, 0xd7, 0x00}});
  return palette;
}

// The largest of 1, 2 and 5 times a power of ten that is not above `length`.
double round_below(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  const double digit = length / power;
  return power * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
}

// Round values from low to high, at most `most`.
std::vector<double> round_values(double low, double high, int most) {
  std::vector<double> values;
  if (!(high > low) || most < 1) return values;
  double step = round_below((high - low) / most);
  while (std::floor(high / step) - std::ceil(low / step) + 1.0 > most) step = round_below(step * 2.6);
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) values.push_back(n * step + 0.0);
  return values;
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

// Where the parts of the picture are, in pixels.
class Sheet {
 public:
  explicit Sheet(const MapPicture& map)
      : map_(map),
        zoom_(map_zoom(map)),
        map_width_(map.cells[0] * zoom_),
        map_height_(map.cells[1] * zoom_),
        scale_(1 + std::max(map_width_, map_height_) / 1000),
        line_(scale_ * (letter_height + 4)),
        gap_(scale_ * 6) {
    for (const double value : up_marks()) left_ = std::max(left_, text_width(number_text(value), scale_));
    for (const double value : bar_marks()) right_ = std::max(right_, text_width(number_text(value), scale_));
    left_ += 3 * gap_;
    right_ += 6 * gap_;
    top_ = gap_ + 2 * line_ + gap_;
    const int heads = std::max(text_width(map.title, scale_), text_width("x (m)  " + map.quantity, scale_));
    width_ = std::max(left_ + map_width_ + right_, heads + 2 * gap_);
    height_ = top_ + map_height_ + 2 * gap_ + 2 * line_;
    if (!says_grey()) return;
    width_ = std::max(width_, text_width(grey_text(), scale_) + 4 * gap_ + letter_height * scale_);
    height_ += line_;
  }

  std::string png() const {
    Canvas canvas(width_, height_, paper);
    canvas.text(gap_, gap_, map_.title, scale_, ink);
    draw_cells(canvas);
    draw_outlines(canvas);
    canvas.frame(left_, top_, map_width_, map_height_, scale_, ink);
    draw_axes(canvas);
    draw_bar(canvas);
    if (map_.scale_bar) draw_length(canvas);
    if (says_grey()) draw_grey(canvas);
    for (const MapMark& mark : map_.marks) draw_mark(canvas, mark);
    return encode_png(width_, height_, canvas.pixels(), map_palette(map_.diverging));
  }

 private:
  std::uint8_t colour_of(double value) const {
    if (!std::isfinite(value)) return wall;
    const double range = map_.high - map_.low;
    const double t = range > 0.0 ? std::clamp((value - map_.low) / range, 0.0, 1.0) : map_.diverging ? 0.5 : 0.0;
    return static_cast<std::uint8_t>(1 + std::lround(t * (map_colours - 1)));
  }
  double value_at(int x, int y) const {
    return map_
        .values[static_cast<std::size_t>(y) * static_cast<std::size_t>(map_.cells[0]) + static_cast<std::size_t>(x)];
  }
  bool is_wall(int x, int y) const { return !std::isfinite(value_at(x, y)); }
  int left_of(int x) const { return left_ + x * zoom_; }
  int top_of(int y) const { return top_ + (map_.cells[1] - 1 - y) * zoom_; }

  void draw_cells(Canvas& canvas) const {
    for (int y = 0; y < map_.cells[1]; ++y)
      for (int x = 0; x < map_.cells[0]; ++x)
        canvas.fill(left_of(x), top_of(y), zoom_, zoom_, colour_of(value_at(x, y)));
  }
  // On the side of the wall, which loses nothing by it.
  void draw_outlines(Canvas& canvas) const {
    const int thick = std::min(scale_, zoom_);
    for (int y = 0; y < map_.cells[1]; ++y)
      for (int x = 0; x < map_.cells[0]; ++x) {
        if (!is_wall(x, y)) continue;
        const int left = left_of(x), top = top_of(y);
        if (x > 0 && !is_wall(x - 1, y)) canvas.fill(left, top, thick, zoom_, ink);
        if (x + 1 < map_.cells[0] && !is_wall(x + 1, y)) canvas.fill(left + zoom_ - thick, top, thick, zoom_, ink);
        if (y + 1 < map_.cells[1] && !is_wall(x, y + 1)) canvas.fill(left, top, zoom_, thick, ink);
        if (y > 0 && !is_wall(x, y - 1)) canvas.fill(left, top + zoom_ - thick, zoom_, thick, ink);
      }
  }

  // Centre of the pixel of a place along an axis, from the map's left or lower side.
  int along(std::size_t axis, double place) const {
    return static_cast<int>(std::lround(((place - map_.first[axis]) / map_.spacing[axis] + 0.5) * zoom_));
  }
  std::vector<double> marks_along(std::size_t axis, int most) const {
    const double end = map_.first[axis] + (map_.cells[axis] - 0.5) * map_.spacing[axis];
    return round_values(map_.first[axis] - 0.5 * map_.spacing[axis], end, std::clamp(most, 1, 8));
  }
  std::vector<double> up_marks() const { return marks_along(1, map_height_ / (2 * line_)); }
  std::vector<double> bar_marks() const {
    return round_values(map_.low, map_.high, std::clamp(map_height_ / (2 * line_), 1, 8));
  }

  void draw_axes(Canvas& canvas) const {
    const int below = top_ + map_height_;
    for (const double value : marks_along(0, map_width_ / (8 * letter_width * scale_))) {
      const int x = left_ + along(0, value);
      const std::string text = number_text(value);
      canvas.fill(x, below, scale_, gap_, ink);
      canvas.text(x - text_width(text, scale_) / 2, below + gap_ + scale_, text, scale_, ink);
    }
    for (const double value : up_marks()) {
      const int y = below - along(1, value);
      const std::string text = number_text(value);
      canvas.fill(left_ - gap_, y, gap_, scale_, ink);
      canvas.text(left_ - 3 * gap_ / 2 - text_width(text, scale_), y - scale_ * letter_height / 2, text, scale_, ink);
    }
    const std::string across = fmt::format("{} (m)", map_.axes[0]), up = fmt::format("{} (m)", map_.axes[1]);
    canvas.text(left_ + map_width_ - text_width(across, scale_), below + gap_ + line_, across, scale_, ink);
    canvas.text(gap_, gap_ + line_, up, scale_, ink);
  }

  void draw_bar(Canvas& canvas) const {
    const int left = left_ + map_width_ + 2 * gap_, wide = 2 * gap_;
    for (int y = 0; y < map_height_; ++y) {
      const double t = (map_height_ - 0.5 - y) / map_height_;
      canvas.fill(left, top_ + y, wide, 1, colour_of(map_.low + t * (map_.high - map_.low)));
    }
    canvas.frame(left, top_, wide, map_height_, scale_, ink);
    for (const double value : bar_marks()) {
      const double t = (value - map_.low) / (map_.high - map_.low);
      const int y = top_ + map_height_ - static_cast<int>(std::lround(t * map_height_));
      canvas.fill(left + wide, y, gap_ / 2, scale_, ink);
      canvas.text(left + wide + gap_, y - scale_ * letter_height / 2, number_text(value), scale_, ink);
    }
    canvas.text(width_ - gap_ - text_width(map_.quantity, scale_), gap_ + line_, map_.quantity, scale_, ink);
  }

  void draw_length(Canvas& canvas) const {
    const double length = round_below(0.3 * map_.cells[0] * map_.spacing[0]);
    const int wide = static_cast<int>(std::lround(length / map_.spacing[0] * zoom_));
    const int y = top_ + map_height_ + gap_ + line_ + scale_ * letter_height / 2;
    canvas.fill(left_, y, wide, scale_, ink);
    for (const int x : {left_, left_ + wide - scale_}) canvas.fill(x, y - gap_ / 2, scale_, gap_ + scale_, ink);
    canvas.text(left_ + wide + gap_, y - scale_ * letter_height / 2, number_text(length) + " m", scale_, ink);
  }

  bool says_grey() const {
    return !map_.grey.empty() && std::ranges::any_of(map_.values, [](double value) { return !std::isfinite(value); });
  }
  std::string grey_text() const { return "grey: " + map_.grey; }
  void draw_grey(Canvas& canvas) const {
    const int y = height_ - gap_ / 2 - line_, side = letter_height * scale_;
    canvas.fill(gap_, y, side, side, wall);
    canvas.text(2 * gap_ + side, y, grey_text(), scale_, ink);
  }

  void draw_mark(Canvas& canvas, const MapMark& mark) const {
    const int x = left_ + along(0, mark.place[0]), y = top_ + map_height_ - along(1, mark.place[1]);
    if (x < left_ || x > left_ + map_width_ || y < top_ || y > top_ + map_height_) return;
    canvas.disc(x, y, 5 * scale_, ink);
    canvas.disc(x, y, 4 * scale_, marked);
    const int wide = text_width(mark.label, scale_);
    if (wide == 0) return;
    // To the right of the place, to its left where the map ends.
    const int right = x + 8 * scale_, start = right + wide <= left_ + map_width_ ? right : x - 8 * scale_ - wide;
    const int top = y - scale_ * letter_height / 2;
    canvas.fill(start - scale_, top, wide + 2 * scale_, scale_ * letter_height, paper);
    canvas.text(start, top, mark.label, scale_, ink);
  }

  const MapPicture& map_;
  int zoom_, map_width_, map_height_, scale_, line_, gap_;
  int left_ = 0, right_ = 0, top_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

int map_zoom(const MapPicture& map) { return std::clamp(map.pixels / std::max(map.cells[0], map.cells[1]), 1, 64); }

std::string map_png(const MapPicture& map) { return Sheet(map).png(); }

}  // namespace fdtd
