// PNG pictures of at most 256 colours, by libpng.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace fdtd {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue, as screens take them (sRGB)

// The file's bytes: `width` x `height` pixels, rows from the top, each a place in `palette` (1 to 256 colours). The same picture
// gives the same bytes. Throws std::invalid_argument where sizes do not fit together or a pixel has no colour, Error (resource)
// when libpng fails.
std::string encode_png(int width, int height, std::span<const std::uint8_t> pixels, std::span<const Colour> palette);

}  // namespace fdtd
