#include "engine/pictures/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

std::vector<Colour> between(const std::vector<Colour>& corners, int count) {
  std::vector<Colour> colours;
  for (int i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) / (count - 1) * static_cast<double>(corners.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), corners.size() - 2);
    Colour& colour = colours.emplace_back();
    for (std::size_t c = 0; c < 3; ++c)
      colour[c] = static_cast<std::uint8_t>(
          std::lround(corners[low][c] + (at - static_cast<double>(low)) * (corners[low + 1][c] - corners[low][c])));
  }
  return colours;
}

}  // namespace

std::vector<Colour> sequential_colours(int count) {
  return between({{0x44, 0x01, 0x54},
                  {0x48, 0x28, 0x78},
                  {0x3e, 0x49, 0x89},
                  {0x31, 0x68, 0x8e},
                  {0x26, 0x82, 0x8e},
                  {0x1f, 0x9e, 0x89},
                  {0x35, 0xb7, 0x79},
                  {0x6e, 0xce, 0x58},
                  {0xb5, 0xde, 0x2b},
                  {0xfd, 0xe7, 0x25}},
                 count);
}

std::vector<Colour> diverging_colours(int count) {
  return between({{0x05, 0x30, 0x61},
                  {0x21, 0x66, 0xac},
                  {0x43, 0x93, 0xc3},
                  {0x92, 0xc5, 0xde},
                  {0xd1, 0xe5, 0xf0},
                  {0xff, 0xff, 0xff},
                  {0xfd, 0xdb, 0xc7},
                  {0xf4, 0xa5, 0x82},
                  {0xd6, 0x60, 0x4d},
                  {0xb2, 0x18, 0x2b},
                  {0x67, 0x00, 0x1f}},
                 count);
}

std::string css(const Colour& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]); }

}  // namespace fdtd
